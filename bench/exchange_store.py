"""What exchanges cost a store: their size, and the time of writing and finding them on both engines.

    python bench/exchange_store.py STORES [--sessions DIR] [--count 20000] [--url postgresql://…/…]

STORES is a folder that `bench/exchanges.py --stores` left: the size of tables, indexes and vectors is given
for each project, and against the transcripts with --sessions (as in `bench/exchanges.py`). Then the exchanges
of all projects are put into a new store, again and again under other ids until there are enough of them, with
vectors of random signs; words of their own messages are asked for. With --url the same is done in a new
workspace of PostgreSQL.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.domain.exchange import Exchange

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DIMENSIONS, MODEL = 384, "of a bench"
CHUNK, QUESTIONS, WORDS, LIMIT = 500, 200, 8, 200
_TABLES = "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name LIKE '%exchanges%'"
_VECTORS = "SELECT count(*), coalesce(sum(octet_length(vector)), 0) FROM embeddings WHERE key < 0"
AROUND_VECTOR = 150
"""Bytes of a vector's key, hash, signs and places in indexes."""


def sizes(stores: Path, sessions: Path | None) -> None:
    """What exchanges take in each store."""
    for path in sorted(stores.glob("*/store.db")):
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            found = connection.execute(
                "SELECT count(*), sum(octet_length(asked || message || opening || conclusion)),"
                " sum(octet_length(terms)) FROM exchanges"
            )
            count, texts, terms = (int(str(value)) for value in found.fetchall()[0])
            tables = int(connection.execute(_TABLES).get)
            vectors, codes = (int(str(value)) for value in connection.execute(_VECTORS).fetchall()[0])
        total = tables + codes + vectors * AROUND_VECTOR
        of = ""
        if sessions:
            read = sum(
                one.stat().st_size for one in (sessions / path.parent.name).rglob("*") if one.is_file()
            )
            of = f", {100 * total / read:.1f} % of {read / 1e6:.1f} MB"
        each = f"{texts / count:.0f} of text, {terms / count:.0f} of terms, {vectors / count:.1f} vectors"
        print(f"{path.parent.name:<20} {count:6} exchanges of {total / count:.0f} bytes ({each}){of}")


def said(stores: Path) -> list[Exchange]:
    """The exchanges of all stores."""
    from recortex.storage.sqlite.store import SqliteStore

    found: list[Exchange] = []
    for path in sorted(stores.glob("*/store.db")):
        with closing(SqliteStore(path, backups=path.with_name("b"), clock=lambda: NOW)) as store:
            keys = store.exchanges.oldest(2**62)
            found += store.exchange_search.exchanges(keys).values()
    return found


def many(found: Sequence[Exchange], count: int) -> Iterator[Exchange]:
    """So many, under ids and sessions of their own."""
    for number, one in zip(range(count), itertools.cycle(found)):
        yield replace(one, id=f"{number:032x}", session=f"{one.session} {number // len(found)}")


def fill(store: Any, exchanges: Sequence[Exchange]) -> None:
    """Keep exchanges with two vectors each."""
    from recortex.engines.exchanges.ranking import terms

    chance = np.random.default_rng(7)
    for start in range(0, len(exchanges), CHUNK):
        chunk = exchanges[start : start + CHUNK]
        with store.transaction():
            store.exchanges.put([(one, terms(one)) for one in chunk], NOW)
            waiting = store.exchange_vectors.waiting(len(chunk))
            rows = chance.integers(-127, 128, (2 * len(waiting), DIMENSIONS), np.int8)
            codes = {f"{place:016}".encode(): row.tobytes() for place, row in enumerate(rows, 2 * start)}
            keys = list(store.exchange_vectors.put(MODEL, codes).values())
            store.exchange_vectors.attach(
                {one.key: tuple(keys[2 * place : 2 * place + 2]) for place, one in enumerate(waiting)}
            )


def finding(store: Any, found: Sequence[Exchange], name: str) -> None:
    """The time of a search by words and of one by vectors."""
    from recortex.engines.exchanges.ranking import asked_words

    chance = Random(7)  # questions that are the same each time
    questions = [asked_words(one.message)[:WORDS] for one in found if len(one.message) > DIMENSIONS // 8]
    questions = chance.sample(questions, min(QUESTIONS, len(questions)))
    rows = np.random.default_rng(8).standard_normal((len(questions), DIMENSIONS)).astype("<f4")
    search = store.exchange_search
    ways = {
        "match": [partial(_matching, search, words) for words in questions],
        "nearest": [partial(search.nearest, row.tobytes(), LIMIT, None, MODEL) for row in rows],
    }
    for way, calls in ways.items():
        times = []
        for call in calls:
            began = time.perf_counter()
            call()
            times.append(1e3 * (time.perf_counter() - began))
        first, rest = times[0], sorted(times[1:])
        p95 = rest[int(0.95 * len(rest))]
        told = f"least {rest[0]:.2f}, p50 {statistics.median(rest):.2f}, p95 {p95:.2f}"
        print(f"{name} {way}: first {first:.1f} ms, then {told}", flush=True)


def _matching(search: Any, words: Sequence[str]) -> None:
    search.match(dict(zip(words, search.frequencies(words), strict=True)), LIMIT, None)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("stores", type=Path)
    parser.add_argument("--sessions", type=Path)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--url", default="")
    options = parser.parse_args()
    from recortex.domain.address import parse
    from recortex.storage.sqlite.store import SqliteStore

    sizes(options.stores, options.sessions)
    found = said(options.stores)
    exchanges = list(many(found, options.count))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        stores: list[tuple[str, Any]] = [
            ("sqlite", SqliteStore(path, backups=Path(folder), clock=lambda: NOW))
        ]
        if options.url:
            from recortex.storage.postgres.store import PgStore

            address = parse(options.url, workspace=f"bench-{time.time_ns()}")
            stores.append(("postgres", PgStore(address, clock=lambda: NOW)))
        for name, store in stores:
            began = time.perf_counter()
            fill(store, exchanges)
            took = time.perf_counter() - began
            size = f", {store.bytes() / len(exchanges):.0f} bytes each" if name == "sqlite" else ""
            print(f"{name}: {len(exchanges)} written in {took:.1f} s{size}")
            finding(store, found, name)
            store.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
