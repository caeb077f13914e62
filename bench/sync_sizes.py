"""What a sync costs by the size of the store: the first one over a git branch, and one with nothing new.

    python bench/sync_sizes.py [--sizes 1000,10000,100000] [--repeats 9] [--url URL]

The store has a relation and an exchange for each ten memories. One with nothing new is timed over the branch,
and over a way that says at once what it has, so that only the store's part remains; in processor time, and
its statements that read most are named with `--explain`. So is one after a new memory, over the latter, and,
over the branch, one after a purge, with what git and the remote's side take.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]


class Told:
    """A way whose other side has all that is pushed, and keeps nothing but how far that goes."""

    name = "told"

    def __init__(self, person: Any) -> None:
        self.vector: dict[str, int] = {}
        self.set_hash, self._person = "", person

    def push(self, batch: Any) -> Any:
        from recortex.sync.protocol import Reply, add_to_hash

        self.set_hash = add_to_hash(self.set_hash, batch.versions)
        self.vector |= {one.replica: one.counter for one in batch.versions}
        return Reply(vector=self.vector, set_hash=self.set_hash)

    def pull(self, vector: Any, limit: int) -> Any:  # noqa: ARG002  a transport's
        from recortex.sync.protocol import Batch

        return Batch(workspace="team", vector=self.vector, set_hash=self.set_hash)


def fill(person: Any, size: int) -> None:
    from latency import Prose
    from recortex.domain.memory import Relation
    from recortex.domain.vocabulary import Actor, RelationType
    from recortex.engines.indexing import search_text
    from scale_data import BEGAN, CHUNK, LASTED, memories

    batch, now = [], datetime.now(UTC)
    for number, one in enumerate(memories(Prose(size), size), 1):
        batch.append(one)
        if len(batch) == CHUNK or number == size:
            with person.store.transaction():
                for memory in batch:
                    person.store.memories.insert(memory, search_text(memory), actor=Actor.SYSTEM)
                pairs = list(pairwise(batch))[::10]
                links = [Relation(a.id, b.id, RelationType.SUPPORTS, now, strength=0.5) for a, b in pairs]
                person.store.relations.put_all(links, [])
            batch = []
    said: Any = import_module("example_exchanges")
    for place in range(size // 10):  # over two years: those of the last day are looked at again
        at = BEGAN + LASTED * (10 * place / size)
        one = said.exchange(place, session=f"s{place}", started_at=at, ended_at=at)
        said.keep(person.services, one, at=at)


def over_branch(folder: Path, person: Any, size: int) -> Any:
    """The way over a branch, after the first sync, whose figures are printed."""
    from recortex.sync.git_branch import GitBranch
    from recortex.sync.protocol import SyncError

    origin = folder / "origin.git"
    subprocess.run(["git", "init", "-q", "--bare", str(origin)], check=True)

    def branch() -> Any:
        return GitBranch(str(origin), folder / "sync.git", person.clock())

    branch().found("team")
    began = time.perf_counter()
    try:
        done = person.sync(branch())
        print(f"{size:,}: first sync {time.perf_counter() - began:.1f} s, {done.sent:,} sent, {done.agreed}")
        print("  ", *done.problems[:2])
    except SyncError as error:
        print(f"{size:,}: first sync failed: {error.message}")
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "-l", "recortex/sync"],
        cwd=origin,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    sizes = sorted(int(one.split()[3]) for one in listed if one.endswith(".jsonl"))
    print(f"   {len(sizes)} files, largest {sizes[-1:]} bytes", flush=True)
    return branch


def measure(folder: Path, size: int, given: argparse.Namespace) -> None:
    person = import_module("replicas").Person(folder / "Ada", "Ada", url=given.url)
    person.now = datetime.now(UTC)
    person.shares()
    fill(person, size)
    told: Any = Told(person)
    person.sync(told)
    ways: dict[str, Any] = {"store's part": lambda: told}
    if not given.without_branch:
        ways["branch"] = over_branch(folder, person, size)
    for name, way in ways.items():
        took, cpu = [], []
        for _ in range(given.repeats):
            one = way()
            began, worked = time.perf_counter(), time.process_time()
            done = person.sync(one)
            took.append(time.perf_counter() - began)
            cpu.append(time.process_time() - worked)
            assert done.made == done.sent == done.received == 0, done
        print(f"   nothing new, {name}: {1000 * statistics.median(took):.1f} ms,", end=" ")
        print(f"processor {1000 * statistics.median(cpu):.1f} ms", flush=True)
    one_more(person, "a new memory", told, lambda number: person.remember(f"We keep limit {number}."), given)
    if not given.without_branch:
        ids = [person.remember(f"We keep box {number}.") for number in range(given.repeats)]
        person.sync(ways["branch"]())
        one_more(person, "a purge", ways["branch"], lambda number: person.cortex.purge(ids[number]), given)
    if given.explain:
        explain(person, told)
    person.close()


def one_more(person: Any, what: str, way: Any, act: Any, given: argparse.Namespace) -> None:
    """Time syncs after something was done."""
    cpu = []
    for number in range(given.repeats):
        act(number)
        transport = way() if callable(way) else way
        worked = processor()
        done = person.sync(transport)
        cpu.append(processor() - worked)
        assert done.sent, done
    print(f"   after {what}: processor {1000 * statistics.median(cpu):.1f} ms", flush=True)


def processor() -> float:
    """Seconds of this process and of those that it started."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def explain(person: Any, way: Any) -> None:
    """Print which statements of a sync took how long."""
    seen = Counter[str]()
    database: Any = vars(person.log)["_database"]
    real = type(database).rows

    def timed(self: Any, sql: Any, *more: Any, **named: Any) -> Any:
        began = time.perf_counter()
        try:
            return real(self, sql, *more, **named)
        finally:
            seen[" ".join(str(sql).split())[:100]] += int(1e6 * (time.perf_counter() - began))

    type(database).rows = timed
    person.sync(way)
    type(database).rows = real
    for sql, micros in seen.most_common(12):
        print(f"     {micros / 1000:8.2f} ms  {sql}")


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    words.add_argument("--sizes", default="1000,10000,100000")
    words.add_argument("--repeats", type=int, default=9)
    words.add_argument("--url", help="of a PostgreSQL database in place of a file")
    words.add_argument("--without-branch", action="store_true")
    words.add_argument("--explain", action="store_true")
    given = words.parse_args()
    os.environ |= {"RECORTEX_EMBEDDER": "none", "RECORTEX_WORKSPACE": "bench"}
    for size in map(int, given.sizes.split(",")):
        with tempfile.TemporaryDirectory(prefix="recortex-bench-sync-") as name:
            os.environ["RECORTEX_HOME"] = str(Path(name) / "home")
            measure(Path(name), size, given)


if __name__ == "__main__":
    main()
