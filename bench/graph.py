"""How long causal relations take: to insert one, its circle tested, and to walk from a memory.

Random graphs in which causes are older than effects, five relations a memory, some of them suggestions.
Inserted are relations among all of them, as a person makes them, in a transaction each; a tenth would close
a circle and is refused. Nothing is loaded ahead: each walk reads its levels from the store, with the depth,
strength and limit that are usual. Times are milliseconds of wall-clock, or of the processor with --cpu, where
others use it too.

    python bench/graph.py [--sizes 1000,50000,1000000] [--postgres] [--cpu] [--plans] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "contract")]  # how the tests open stores

from servers import Server, workspace  # type: ignore[import-not-found]  # noqa: E402

from example_memories import insert, memory  # type: ignore[import-not-found]  # noqa: E402
from recortex.domain.relation import (  # noqa: E402
    CAUSAL,
    FORWARD,
    Relation,
)
from recortex.domain.vocabulary import RelationStatus  # noqa: E402
from recortex.engines.graph.walks import levels, to_effects, walk  # noqa: E402
from recortex.errors import CausalCycleError  # noqa: E402
from recortex.storage.records.values import stored  # noqa: E402
from recortex.storage.sqlite.store import SqliteStore  # noqa: E402
from recortex.storage.tables import MEMORIES, RELATIONS  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Clock = Callable[[], float]

NOW = datetime(2026, 11, 22, tzinfo=UTC)
INSERTS, WALKS, CHUNK = 1_000, 300, 20_000
DEGREE = 5
"""Relations a memory: 50,000 among 10,000 memories."""
NEAR = 200
"""How far apart in time causes and effects are on average, in memories."""
TYPES = sorted(CAUSAL)


def id_of(number: int) -> str:
    return str(UUID(int=number, version=4))


def relation(random_: random.Random, cause: int, effect: int) -> Relation:
    type_ = random_.choice(TYPES)
    ends = (id_of(cause), id_of(effect))
    source, target = ends if type_ in FORWARD else ends[::-1]
    waits = RelationStatus.SUGGESTED if random_.random() < 0.05 else RelationStatus.ACTIVE
    return Relation(source, target, type_, NOW, round(random_.uniform(0.2, 1), 3), ("why",), status=waits)


def pair(random_: random.Random, count: int) -> tuple[int, int]:
    cause = random_.randrange(count - 1)
    return cause, min(count - 1, cause + 1 + int(random_.expovariate(1 / NEAR)))


def fill(store: Any, edges: int) -> int:
    """Memories and relations, as rows; returns how many memories there are."""
    random_, count = random.Random(edges), edges // DEGREE
    insert(store, memory(0))
    (first,) = store.full_copy.page(MEMORIES, None, 1)
    places = {name: place for place, name in enumerate(MEMORIES.names)}
    keys = [first[places["key"]], *range(1_000, 1_000 + count - 1)]
    with store.transaction():
        store.database.rows("DELETE FROM memories WHERE /*own*/ 1 = 1")
    for start in range(0, count, CHUNK):
        rows = [list(first) for _ in range(start, min(count, start + CHUNK))]
        for place, row in enumerate(rows, start):
            row[places["key"]], row[places["id"]] = keys[place], id_of(place)
        _write(store, MEMORIES, rows)
    names = [name for name in RELATIONS.names if name not in {"source_key", "target_key", "seal"}]
    for start in range(0, edges, CHUNK):
        ends = [pair(random_, count) for _ in range(start, min(edges, start + CHUNK))]
        made = [(relation(random_, *each), each) for each in ends]
        related: list[list[Any]] = []
        for one, (cause, effect) in made:
            columns = stored(one, tuple(names))
            source, target = (cause, effect) if one.type in FORWARD else (effect, cause)
            columns |= {"source_key": keys[source], "target_key": keys[target], "seal": None}
            related.append([columns[name] for name in RELATIONS.names])
        _write(store, RELATIONS, related)
    return count


def _write(store: Any, table: Any, rows: list[list[Any]]) -> None:
    with store.transaction():
        written = [store.full_copy.written(table, tuple(row)) for row in rows]
        store.database.run_many(store.full_copy.insertion(table), written)


def inserted(store: Any, count: int, clock: Clock) -> dict[str, float]:
    random_, spent, refused, slow = random.Random(1), [], 0, []
    for number in range(INSERTS):
        cause, effect = pair(random_, count)
        backwards = number % 10 == 0
        one = relation(random_, *((effect, cause) if backwards else (cause, effect)))
        began = clock()
        try:
            with store.transaction():
                store.relations.put(one)
        except CausalCycleError:
            refused += 1
            slow.append(1e3 * (clock() - began))
        else:
            spent.append(1e3 * (clock() - began))
    return {"refused": refused} | quantiles(spent, "insert") | quantiles(slow, "refuse")


def walked(store: Any, count: int, clock: Clock) -> dict[str, float]:
    random_, spent, reached = random.Random(2), [], 0
    for _ in range(WALKS):
        start = id_of(random_.randrange(count))
        began = clock()
        reached += len(walk(start, to_effects(), levels(store.relations, to_effects())))
        spent.append(1e3 * (clock() - began))
    return {"reached": reached / WALKS} | quantiles(spent, "walk")


def quantiles(spent: list[float], name: str) -> dict[str, float]:
    ordered = sorted(spent) or [0.0]
    return {
        f"{name} p{share}": round(ordered[min(len(ordered) - 1, len(ordered) * share // 100)], 3)
        for share in (50, 95, 99)
    }


def plans(store: Any) -> Iterator[str]:
    """How SQLite runs the queries."""
    given = {"following": (1, 9), "leading": (9, 1), "along": ("[]", "[]", "[]", 0.3)}
    for topic, name in (("causality", "following"), ("causality", "leading"), ("relations", "along")):
        yield name
        sql = f"EXPLAIN QUERY PLAN {store.database.queries(topic)[name]}"
        yield from (f"    {row[-1]}" for row in store.database.rows(sql, given[name]))


@contextmanager
def stores(*, postgres: bool) -> Iterator[dict[str, Any]]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        opened: dict[str, Any] = {
            "sqlite": SqliteStore(folder / "graph.db", backups=folder / "backups", clock=lambda: NOW)
        }
        if postgres:
            server = Server()
            stack.callback(server.stop)
            opened["postgres"] = stack.enter_context(workspace(server.url("postgres"), server.new_name()))
        stack.callback(opened["sqlite"].close)
        yield opened


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,50000,1000000")
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--cpu", action="store_true", help="count the processor's time")
    parser.add_argument("--plans", action="store_true", help="show how SQLite runs the queries")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    clock = time.thread_time if options.cpu else time.perf_counter
    found: dict[str, dict[str, float]] = {}
    for edges in map(int, options.sizes.split(",")):
        with stores(postgres=options.postgres) as opened:
            for engine, store in opened.items():
                count = fill(store, edges)
                if engine == "postgres":
                    store.database.rows("ANALYZE relations")
                figures = inserted(store, count, clock) | walked(store, count, clock)
                found[f"{engine} {edges}"] = figures
                print(f"{engine} {edges}", figures, flush=True)
                if options.plans and engine == "sqlite":
                    print("\n".join(plans(store)))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
