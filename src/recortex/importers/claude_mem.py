"""claude-mem: the observations and summaries of its database, in the tables of its plug-in and of its server.

An observation is kept as its narrative and as its facts, each of which can be recalled alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.importers import Link, Row, Seen, Source, Where
from recortex.importers.reading import database, listed, loaded, mapping, small, when, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from recortex.importers.reading import Database

_KINDS = {
    "": "insight",
    "decision": "decision",
    "bugfix": "tribal",
    "security_alert": "tribal",
    "security_note": "tribal",
    "feature": "progress",
    "refactor": "progress",
    "change": "progress",
    "summary": "progress",
}
_OBSERVATION = (
    "id", "memory_session_id", "project", "merged_into_project", "text", "type", "title", "subtitle", "facts",
    "narrative", "concepts", "files_read", "files_modified", "created_at_epoch", "agent_type", "content_hash",
)  # fmt: skip
_ITEM = (
    "id", "project_id", "server_session_id", "legacy_observation_id", "kind", "type", "title", "subtitle",
    "text", "narrative", "facts", "concepts", "files_read", "files_modified", "created_at_epoch",
    "updated_at_epoch",
)  # fmt: skip
_SUMMARY = (
    "id", "memory_session_id", "project", "merged_into_project", "request", "investigated", "learned",
    "completed", "next_steps", "notes", "files_read", "files_edited", "created_at_epoch",
)  # fmt: skip
_PROMPT = "it is a prompt: what was said in sessions is imported from the client's own transcripts"


def _read(path: Path) -> Iterator[Row]:
    with database(path) as opened:
        # The server took over what the plug-in's tables have, under ids of its own.
        seen: set[int] = set()
        if "observations" in opened.tables:
            for one in opened.rows("observations", _OBSERVATION, "id"):
                seen.add(one["id"])
                yield from _observed(one, f"observation-{one['id']}", _project(one), words(one["type"]))
        if "session_summaries" in opened.tables:
            for one in opened.rows("session_summaries", _SUMMARY, "id"):
                yield from _summed_up(one)
        if "user_prompts" in opened.tables:
            for one in opened.rows("user_prompts", ("id",), "id"):
                yield Row(id=f"prompt-{one['id']}", kind="prompt", refused=_PROMPT)
        if "memory_items" in opened.tables:
            yield from _items(opened, seen)


def _project(one: Mapping[str, Any]) -> str:
    return words(one["merged_into_project"]) or words(one["project"])


def _observed(one: Mapping[str, Any], id_: str, project: str, kind: str, session: str = "") -> Iterator[Row]:
    """The rows of an observation: what happened, then each of its facts."""
    narrative = words(one["narrative"]) or words(one["text"])
    title, subtitle = words(one["title"]), words(one["subtitle"])
    # A title becomes the beginning of the sentence, unless it is a sentence already.
    head = title if title.endswith((".", "!", "?")) or not narrative else f"{title}:" if title else ""
    facts = listed(one["facts"])
    common: dict[str, Any] = {
        "kind": kind,
        "created": when(one["created_at_epoch"]),
        "updated": when(one.get("updated_at_epoch")),
        "tags": listed(one["concepts"]),
        "files": tuple(dict.fromkeys((*listed(one["files_modified"]), *listed(one["files_read"])))),
        "project": project,
        "session": session or words(one.get("memory_session_id")),
        "speaker": words(one.get("agent_type")),
    }
    text = " ".join(filter(None, (head, narrative or subtitle)))
    yield Row(id=id_, text=text, summary=title, raw=small(subtitle=subtitle), **common)
    for number, fact in enumerate(facts, 1):
        link = Link(id_, words="fact of")
        yield Row(id=f"{id_}/fact-{number}", text=fact, links=(link,), raw=small(title=title), **common)


def _summed_up(one: Mapping[str, Any]) -> Iterator[Row]:
    """The rows of a session's summary: what was done, and what was learned."""
    id_ = f"summary-{one['id']}"
    done = (
        ("", one["request"]),
        ("Done: ", one["completed"]),
        ("Next: ", one["next_steps"]),
        ("Notes: ", one["notes"]),
    )
    common: dict[str, Any] = {
        "created": when(one["created_at_epoch"]),
        "files": tuple(dict.fromkeys((*listed(one["files_edited"]), *listed(one["files_read"])))),
        "project": _project(one),
        "session": words(one["memory_session_id"]),
    }
    text = "\n".join(f"{before}{words(value)}" for before, value in done if words(value))
    yield Row(id=id_, kind="summary", text=text, **common)
    if learned := words(one["learned"]) or words(one["investigated"]):
        link = Link(id_, words="learned in")
        yield Row(id=f"{id_}/learned", kind="learned", text=learned, links=(link,), **common)


def _items(opened: Database, seen: set[int]) -> Iterator[Row]:
    """The rows of the server's tables; what it took over from an observation is that observation's."""
    named = {
        one["id"]: words(one["root_path"]) or words(one["name"])
        for one in (
            opened.rows("projects", ("id", "name", "root_path")) if "projects" in opened.tables else ()
        )
    }
    for one in opened.rows("memory_items", _ITEM, "created_at_epoch"):
        id_, kind = f"item-{one['id']}", words(one["kind"])
        if kind == "prompt":
            yield Row(id=id_, kind="prompt", refused=_PROMPT)
        elif one["legacy_observation_id"] in seen:
            yield Row(id=id_, kind=kind, refused="it is a copy of an observation")
        else:
            own = "summary" if kind == "summary" else words(one["type"])
            session = words(one["server_session_id"])
            yield from _observed(one, id_, named.get(one["project_id"], ""), own, session)


def _is_ours(seen: Seen) -> bool:
    return seen.has("observations", "memory_session_id", "narrative", "facts") or seen.has(
        "memory_items", "project_id", "narrative", "facts"
    )


def _places(where: Where) -> Iterator[Path]:
    usual = where.home / ".claude-mem"
    settings = usual / "settings.json"
    moved = words(mapping(loaded(settings)).get("CLAUDE_MEM_DATA_DIR")) if settings.is_file() else ""
    # `~` is the home that is searched, which need not be that of this process.
    told = [where.home / moved[2:] if moved.startswith("~/") else where.home / moved] if moved else []
    for folder in (*where.named("CLAUDE_MEM_DATA_DIR"), *told, usual):
        yield folder / "claude-mem.db"


SOURCES = (
    Source(
        name="claude-mem",
        title="claude-mem",
        recognise=_is_ours,
        read=_read,
        kinds=_KINDS,
        discover=_places,
    ),
)
