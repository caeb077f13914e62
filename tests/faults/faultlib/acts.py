"""The writes.

Each says what it is about to touch, writes through the public interface, and says what was acknowledged.
"""

# ruff: noqa: ARG001  every act takes the same arguments

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from faultlib.told import Told, relations, state, stored

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TOPICS = (
    "cache", "queue", "login", "invoice", "export", "search", "upload", "webhook", "report", "session",
    "token", "retry", "timeout", "parser", "shard", "replica", "header", "cookie", "cursor", "filter",
)  # fmt: skip
PAGE = 3
"""Memories that `remember_many` keeps at once: a batch with boundaries within, small enough to try every
one."""


def _text(topic: str, number: int) -> str:
    return (
        f"The {topic} of service {number} is owned by team {topic}-{number * 7919 % 1000} since release "
        f"{number}."
    )


def furnish(cortex: Any, told: Told, folder: Path, *, many: int = 20) -> None:
    """Fill a new store with some of everything; the roles of the memories are written beside it."""
    rows = [{"text": _text(TOPICS[n % len(TOPICS)], n), "tags": [f"tag{n}"]} for n in range(many)]
    with told.act("furnish") as facts:
        ids = list(cortex.remember_many(rows).ids)
        first = cortex.remember(
            "Deploys go out on Tuesday because the on-call engineer is there.", kind="decision",
            files=["src/a.py:3-9"], functions=["deploy"], metadata={"ticket": "OPS-1"}, pinned=True,
            importance="high",
        )  # fmt: skip
        second = cortex.remember("Deploys go out on Thursday.", kind="decision", supersedes=first.id)
        cortex.edit(ids[1], tags=["edited"], reason="a reason")
        cortex.edit(ids[1], text="The queue of service 1 is owned by nobody.", priority=9)
        cortex.forget(ids[2])
        cortex.link(ids[3], ids[4], relation="depends_on", evidence=["because it says so"])
        cortex.recall("who owns the webhook")
        kept = [*ids, first.id, second.id]
        facts["states"] = {id_: state(stored(cortex, id_)) for id_ in kept}
        facts["relations"] = [relations(cortex)[ids[3], ids[4], "depends_on"]]
    (folder / "roles.json").write_text(json.dumps({"ids": ids, "first": first.id, "second": second.id}))


def _roles(folder: Path) -> dict[str, Any]:
    roles: dict[str, Any] = json.loads((folder / "roles.json").read_text())
    return roles


def _remember(cortex: Any, told: Told, folder: Path) -> None:
    with told.act("remember") as facts:
        memory = cortex.remember(
            "The mailer sends at most forty letters a minute.", tags=["mail"], files=["m.py"]
        )
        facts["states"] = {memory.id: state(memory)}


def _remember_many(cortex: Any, told: Told, folder: Path) -> None:
    texts = [f"Worker pool {n} has {n + 3} threads and a queue of {n * 16}." for n in range(PAGE)]
    with told.act("remember_many") as facts:
        ids = cortex.remember_many([{"text": text} for text in texts]).ids
        facts["texts"] = dict(zip(ids, texts, strict=True))


def _edit(cortex: Any, told: Told, folder: Path) -> None:
    id_ = _roles(folder)["ids"][5]
    with told.act("edit", id_) as facts:
        facts["states"] = {id_: state(cortex.edit(id_, text="The search has a new owner.", tags=["x"]))}


def _forget(cortex: Any, told: Told, folder: Path) -> None:
    id_ = _roles(folder)["ids"][6]
    with told.act("forget", id_) as facts:
        facts["states"] = {id_: state(cortex.forget(id_).memory)}


def _restore(cortex: Any, told: Told, folder: Path) -> None:
    id_ = _roles(folder)["ids"][2]
    with told.act("restore", id_) as facts:
        facts["states"] = {id_: state(cortex.restore(id_))}


def _undo(cortex: Any, told: Told, folder: Path) -> None:
    id_ = _roles(folder)["ids"][1]
    with told.act("undo", id_) as facts:
        facts["states"] = {id_: state(cortex.undo(id_))}


def _supersede(cortex: Any, told: Told, folder: Path) -> None:
    old = _roles(folder)["ids"][7]
    with told.act("supersede", old) as facts:
        new = cortex.remember("Webhooks are owned by the platform team now.", supersedes=old)
        facts["states"] = {id_: state(stored(cortex, id_)) for id_ in (new.id, old)}


def _link(cortex: Any, told: Told, folder: Path) -> None:
    ids = _roles(folder)["ids"]
    with told.act("link", ids[8], ids[9]) as facts:
        cortex.link(ids[8], ids[9], relation="supports", function="run_report", pattern="p1")
        facts["relations"] = [relations(cortex)[ids[8], ids[9], "supports"]]
        facts["states"] = {ids[8]: state(stored(cortex, ids[8]))}


def _unlink(cortex: Any, told: Told, folder: Path) -> None:
    ids = _roles(folder)["ids"]
    with told.act("unlink", ids[3], ids[4]) as facts:
        cortex.unlink(ids[3], ids[4])
        facts["unrelated"] = [[ids[3], ids[4], "depends_on"]]


def _merge(cortex: Any, told: Told, folder: Path) -> None:
    ids = _roles(folder)["ids"]
    with told.act("merge", ids[10], ids[11]) as facts:
        cortex.consolidate("merge", [ids[10], ids[11]], text="Tokens and retries are owned by one team.")
        merged = stored(cortex, ids[10]).superseded_by  # `list` shows confidence as it is now, not as stored
        facts["states"] = {id_: state(stored(cortex, id_)) for id_ in (merged, *ids[10:12])}


def _purge(cortex: Any, told: Told, folder: Path) -> None:
    id_ = _roles(folder)["ids"][12]
    with told.act("purge", id_) as facts:
        cortex.purge(id_)
        facts["purged"] = [id_]


def _import(cortex: Any, told: Told, folder: Path) -> None:
    with told.act("import"):
        cortex.import_("jsonl", str(folder / "import.jsonl"))


def _learn(cortex: Any, told: Told, folder: Path) -> None:
    with told.act("learn") as facts:
        cortex.extract(str(folder / "transcript.jsonl"))
        facts["learned"] = True


def _backup(cortex: Any, told: Told, folder: Path) -> None:
    with told.act("backup") as facts:
        made = cortex.backup()
        facts["backups"] = {made.path: made.memories}


def _ingest(cortex: Any, told: Told, folder: Path) -> None:
    parts = [
        f"## Part {n}\n\nThe valve {n} is checked every {n + 2} weeks by two people." for n in range(PAGE)
    ]
    place = cortex._app.root / "guide.md"
    place.write_text("\n\n".join(["# Valves", *parts]))
    with told.act("ingest"):
        cortex.ingest([str(place)])


def _gc(cortex: Any, told: Told, folder: Path) -> None:
    with told.act("gc"):
        cortex.gc(full=True)


def _recall(cortex: Any, told: Told, folder: Path) -> None:
    with told.act("recall"):
        cortex.recall("who owns the cookie")


def _recover(cortex: Any, told: Told, folder: Path) -> None:
    with told.act("recover"):
        cortex.recover()


def _open(cortex: Any, told: Told, folder: Path) -> None:
    with told.act("open"):
        cortex.status()


def _migrate(cortex: Any, told: Told, folder: Path) -> None:
    """Only open the store: a program of an older schema cannot read all of today's tables."""
    from recortex.domain.vocabulary import Scope

    with told.act("migrate"):
        cortex._app.services(Scope.PROJECT)


def _several(cortex: Any, told: Told, folder: Path) -> None:
    """A stretch of different writes, each acknowledged by itself, in order."""
    for act in (_remember, _edit, _link, _remember_many, _forget, _restore, _undo):
        act(cortex, told, folder)


def _stream(cortex: Any, told: Told, folder: Path, count: int = 40) -> None:
    """One memory after the other, in order."""
    for number in range(count):
        text = f"Reading {number} of the sensor was {number * 37 % 101}."
        with told.act("stream") as facts:
            facts["texts"] = {cortex.remember(text).id: text}


ACTS: dict[str, Callable[[Any, Told, Path], None]] = {
    "remember": _remember, "remember_many": _remember_many, "edit": _edit, "forget": _forget,
    "restore": _restore, "undo": _undo, "supersede": _supersede, "link": _link, "unlink": _unlink,
    "merge": _merge, "purge": _purge, "import": _import, "learn": _learn, "backup": _backup,
    "ingest": _ingest, "gc": _gc, "recall": _recall, "recover": _recover, "open": _open,
    "migrate": _migrate, "several": _several, "stream": _stream, "furnish": furnish,
}  # fmt: skip

WRITES = (
    "remember", "remember_many", "edit", "forget", "restore", "undo", "supersede", "link", "unlink",
    "merge", "purge", "import", "learn", "backup", "recall",
)  # fmt: skip
"""Those whose every statement boundary is tried."""


LONG = ("several", "ingest", "gc")
"""Those that are killed within some write of a file."""


def transcript() -> str:
    """A session in which a person says something to keep."""
    said = (
        "Remember: never deploy on a Friday, because nobody is there to roll back.",
        "We decided to use PostgreSQL for the ledger because it has row-level security.",
        "From now on, always run the linter before each commit.",
    )
    lines = []
    for number, text in enumerate(said):
        at = f"2026-03-01T12:0{number}:00.000Z"
        lines.append(
            {
                "type": "user", "uuid": f"u{number}", "sessionId": "s1", "cwd": "/w", "timestamp": at,
                "message": {"role": "user", "content": text},
            }
        )  # fmt: skip
        lines.append(
            {
                "type": "assistant", "uuid": f"a{number}", "sessionId": "s1", "cwd": "/w", "timestamp": at,
                "message": {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
            }
        )  # fmt: skip
    return "".join(json.dumps(line) + "\n" for line in lines)
