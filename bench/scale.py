"""What a million memories cost.

Writing, recall, disk and memory at 1k, 10k, 100k and 1M, beside a bound by brute force.

    python bench/scale.py [--sizes 1000,10000,100000,1000000] [--queries 200]
        [--only write,recall,vectors,turn,fill] [--sessions FOLDER] [--json FILE]
        [--engine sqlite | --engine postgres --url postgresql://…/…] [--store URL] [--vectors FILE.npz]
        [--folder DIR]

How the stores are made: `scale_data.py`, with relations, exchanges and documents as in `latency.py`. A store
is filled, and its index of vectors is built, in a process of its own; what is measured goes through the
public API, and `vectors` through the store's ports.

write    remember_many of 1,000 new statements on top, linked, without making vectors, in memories per second
         of processor time; then `remember`, one by one.
fill     remember_many of as many (at most 100,000) at once into an empty store: peak of memory.
recall   hybrid recall with the question's vector at hand, counting of the access included; then by words
alone, and
         questions of common words only.
vectors  recall@10 of the candidates that the store gives, ordered by their int8 codes, against NumPy's
exact order of the
         same codes; its time for one question, as one product with a float32 matrix in memory, is the bound.
turn     processor time of what follows a turn, without the start, while 1,000 memories wait to be read for
changes of mind, and the memory that it takes; of a brief that is made anew; with --sessions of learning from
that folder.

`--store` measures a store that is there already and adds to it; `--vectors` takes other vectors (arrays
`stored` and `asked`, such as `vectors.py --cache` keeps) in place of those of the statements. PostgreSQL:
each size in a workspace of its own.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import statistics
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import scale_data
from latency import (
    DOCUMENTS,
    EXCHANGES,
    PARTS,
    Prose,
    give_documents,
    give_exchanges,
    give_relations,
    timed,
)
from recortex import Cortex
from recortex.app.jobs.capture import OF_A_TURN
from recortex.app.jobs.running import run
from recortex.app.jobs.table import AFTER_SESSION, CHANGES
from recortex.domain.search import MemoryQuery
from recortex.engines.retrieval.service import RECIPES
from recortex.operations.recording import MAX_BATCH

SIZES = "1000,10000,100000,1000000"
PHASES = "write,recall,vectors,turn,fill"
TOP = 10


def services_of(cx: Cortex) -> Any:
    """The store with what works on it: what is measured below the public API."""
    return cx._app.all_services()[0]  # noqa: SLF001  the bench looks inside


def model_of(cx: Cortex) -> str:
    """The name of the embedder."""
    app: Any = cx._app  # noqa: SLF001  the bench looks inside
    return str(app.embedder.active_name)


def filled(url: str, size: int, cache: Path) -> None:
    """Fill a store, and make room as its upkeep does; in a process of its own."""
    with Cortex.open(url=url) as cx:
        cx.init()
        store = services_of(cx).store
        scale_data.fill(store, model_of(cx), size, cache)
        give_relations(store, size)
        give_exchanges(cx, Prose(size), min(EXCHANGES, size // 2))
        with tempfile.TemporaryDirectory() as folder:
            give_documents(cx, Prose(size), min(DOCUMENTS, size // 50), Path(folder) / "documents")
        store.compaction.tidy(lambda: 60.0)


def indexed(url: str, answer: Any) -> None:
    """Build the index of vectors; in a process of its own, whose peak of memory is told."""
    with Cortex.open(url=url) as cx:
        began = time.perf_counter()
        count = services_of(cx).store.vectors.keep_index(threads=os.cpu_count() or 1)
        answer.put((count, round(time.perf_counter() - began, 1), peak()))


def apart(act: Any, *values: Any) -> float:
    """Run something in a process of its own; returns the seconds it took."""
    began = time.perf_counter()
    process = multiprocessing.get_context("spawn").Process(target=act, args=values)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(f"{act.__name__} failed.")
    return time.perf_counter() - began


def peak() -> int:
    """The most memory that this process had, in MB; pages of mapped files count."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def build_index(url: str, row: dict[str, Any]) -> None:
    answer = multiprocessing.get_context("spawn").Queue()
    apart(indexed, url, answer)
    row["indexed"], row["index_s"], row["index_peak_mb"] = answer.get()


BACKLOG = 1_000


def prepared(url: str) -> None:
    """Run the jobs once, then let 1,000 memories wait to be read; in a process of its own."""
    with Cortex.open(url=url) as cx:
        services = services_of(cx)
        keys = [key for key, _ in services.store.memories.added_after(0, 2**62)]
        done = {"changes": keys[-min(BACKLOG, len(keys))], "retold": keys[-1], "causes": keys[-1]}
        for name, key in done.items():
            services.store.maintenance.note(name, datetime.now(UTC), {"key": key})
        run(
            services,
            lambda: datetime.now(UTC),
            services.settings,
            [one for one in AFTER_SESSION if one is not CHANGES],
        )


def turned(url: str, sessions: str, answer: Any) -> None:
    """What follows a turn; then a brief, and learning; in a process of its own."""
    with Cortex.open(url=url) as cx:
        services = services_of(cx)
        began = time.process_time()
        jobs = (replace(one, seconds=OF_A_TURN) if one is CHANGES else one for one in AFTER_SESSION)
        run(services, lambda: datetime.now(UTC), services.settings, jobs)
        row = {"turn_s": round(time.process_time() - began, 2), "turn_peak_mb": peak()}
        briefs = []
        for _ in range(3):
            began = time.process_time()
            cx.surface(fresh=True)
            briefs.append(time.process_time() - began)
        row["brief_s"] = round(statistics.median(briefs), 2)
        if sessions:
            began = time.process_time()
            cx.import_("any", sessions, trust=True, embed=False)
            row["learn_s"] = round(time.process_time() - began, 2)
        answer.put(row)


def turn(url: str, row: dict[str, Any], sessions: str) -> None:
    answer = multiprocessing.get_context("spawn").Queue()
    apart(prepared, url)
    apart(turned, url, sessions, answer)
    row |= answer.get()


def remembered(url: str, size: int, answer: Any) -> None:
    """Remember many statements at once; in a process of its own, whose peak of memory is told."""
    prose = Prose(size)
    with Cortex.open(url=url) as cx:
        cx.init()
        cx.remember_many([{"text": prose.statement()} for _ in range(size)], embed=False)
    answer.put(peak())


def fill(row: dict[str, Any]) -> None:
    answer = multiprocessing.get_context("spawn").Queue()
    with tempfile.TemporaryDirectory() as folder:
        apart(remembered, f"sqlite:///{folder}/filled.db", min(row["memories"], MAX_BATCH), answer)
        row["fill_peak_mb"] = answer.get()


def index_bytes(store: Any) -> int:
    """The size of the files beside the store; 0 where the engine keeps its index itself."""
    folder = store.vectors.index.folder if hasattr(store.vectors, "index") else None
    return sum(path.stat().st_size for path in folder.glob("*.usearch")) if folder else 0


def write(cx: Cortex, row: dict[str, Any]) -> None:
    prose = Prose(row["memories"] + 1)
    wishes = [{"text": prose.statement(), "tags": [PARTS[place % 30]]} for place in range(1_000)]
    began = time.process_time()
    cx.remember_many(wishes, embed=False)
    row["write_per_s"] = round(len(wishes) / (time.process_time() - began))
    singles = [prose.statement() for _ in range(30)]
    row["remember"] = timed(cx.remember, singles)


def recall(cx: Cortex, row: dict[str, Any], queries: int) -> None:
    store, prose = services_of(cx).store, Prose(5)
    size = row["memories"]
    found = [
        memory
        for place in range(min(queries, size))
        for memory in store.memories.find(
            MemoryQuery(order="recorded", limit=1, offset=0, recorded_after=_moment(place, queries))
        )
    ]
    asked = [prose.question(memory.text) for memory in found]
    common = [f"why does the {' '.join(prose.random.sample(PARTS, 3))} fail?" for _ in range(queries // 4)]
    for question in asked + common:
        cx.recall(question, floor=False)  # the question's vector is in memory now, and the index open

    def ask(**more: Any) -> Any:
        return lambda question: cx.recall(question, floor=False, **more)

    row["recall"] = timed(ask(), asked)
    row["recall_words"] = timed(ask(recipe="keyword"), asked)
    row["recall_common"] = timed(ask(), common)
    row["recall_kind"] = timed(ask(kinds=["decision"]), asked[: queries // 4])
    row["peak_mb"] = peak()


def _moment(place: int, of: int) -> Any:
    return scale_data.BEGAN + scale_data.LASTED * (place / of)


def all_codes(store: Any, model: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Keys of memories and the codes of their vectors, shape (n, 384), through the port."""
    keys, rows = [], []
    for start in range(0, store.search.searchable() + 1, 20_000):
        part = store.search.vectors(list(range(start, start + 20_000)), model)
        keys += list(part)
        rows.append(np.frombuffer(b"".join(part.values()), np.int8).reshape(len(part), -1))
    return np.array(keys), np.concatenate([rows_ for rows_ in rows if len(rows_)])


def vectors(cx: Cortex, row: dict[str, Any], asked: Any) -> None:
    store, model = services_of(cx).store, model_of(cx)
    keys, codes = all_codes(store, model)
    matrix = codes.astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    place = {key: number for number, key in enumerate(keys.tolist())}
    hits, times, bound = 0, [], []
    for query in asked:
        raw = query.astype("<f4").tobytes()
        began = time.perf_counter()
        near = store.search.nearest(raw, RECIPES["hybrid"].vectors, None, model)
        times.append(1e3 * (time.perf_counter() - began))
        began = time.perf_counter()
        likeness = matrix @ query
        exact = np.argpartition(-likeness, TOP)[:TOP]
        bound.append(1e3 * (time.perf_counter() - began))
        best = sorted((place[key] for key in near if key in place), key=lambda one: -likeness[one])[:TOP]
        hits += len(set(best) & set(exact.tolist()))
    row["vector_recall_10"] = round(hits / TOP / len(asked), 4)
    row["vector"] = spread(times)
    row["numpy"] = spread(bound)


def spread(times: list[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    return {"p50": round(statistics.median(times), 2), "p95": round(statistics.quantiles(times, n=20)[18], 2)}


def measure(url: str, size: int, options: argparse.Namespace, cache: Path) -> dict[str, Any]:
    row: dict[str, Any] = {"engine": options.engine, "memories": size}
    if not options.store:
        row["fill_per_s"] = round(size / apart(filled, url, size, cache))
    build_index(url, row)
    if "fill" in options.only:
        fill(row)
    if "turn" in options.only:
        turn(url, row, options.sessions)
    _, asked = scale_data.embedded(cache, threads=1)
    with Cortex.open(url=url) as cx:
        cx.warm()
        if "recall" in options.only:
            recall(cx, row, options.queries)
        if "write" in options.only:
            write(cx, row)
        if "vectors" in options.only:
            vectors(cx, row, asked[: options.queries])
    with Cortex.open(url=url) as cx:  # closed in between: SQLite has folded its log in
        store = services_of(cx).store
        row["bytes_each"] = round(store.bytes() / store.search.searchable())
        row["index_bytes_each"] = round(index_bytes(store) / store.search.searchable())
    return row


COLUMNS = (
    "memories",
    "fill_per_s",
    "fill_peak_mb",
    "write_per_s",
    "remember",
    "recall",
    "recall_words",
    "recall_common",
    "recall_kind",
    "vector",
    "vector_recall_10",
    "numpy",
    "bytes_each",
    "index_bytes_each",
    "index_s",
    "index_peak_mb",
    "peak_mb",
    "turn_s",
    "turn_peak_mb",
    "brief_s",
    "learn_s",
)


def cell(value: Any) -> str:
    """A figure, or a median and a 95th percentile."""
    return f"{value['p50']} / {value['p95']}" if isinstance(value, dict) else str(value)


def address(options: argparse.Namespace, size: int, folder: Path) -> str:
    if options.store:
        return str(options.store)
    if options.engine == "postgres":
        joint = "&" if "?" in options.url else "?"
        return f"{options.url}{joint}workspace=scale-{size}-{os.getpid()}"
    return f"sqlite:///{folder / str(size)}/{size}.db"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--only", default=PHASES)
    parser.add_argument("--engine", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--url", default="", help="of the database, for postgres")
    parser.add_argument("--store", default="", help="the URL of a store that is filled already")
    parser.add_argument("--vectors", type=Path, help="a file with arrays `stored` and `asked`")
    parser.add_argument("--sessions", default="", help="a folder of sessions to learn from")
    parser.add_argument("--folder", type=Path, help="keeps the stores; without it they are removed")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    with tempfile.TemporaryDirectory() as temporary:
        kept = options.folder or Path(temporary)
        kept.mkdir(parents=True, exist_ok=True)
        cache = (options.vectors or kept / "vectors.npz").absolute()
        scale_data.embedded(cache, threads=os.cpu_count() or 1)
        for size in map(int, options.sizes.split(",")):
            (kept / str(size)).mkdir(exist_ok=True)
            rows.append(measure(address(options, size, kept.absolute()), size, options, cache))
            print("| " + " | ".join(cell(rows[-1].get(name, "")) for name in COLUMNS) + " |", flush=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
