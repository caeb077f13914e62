"""How vectors are best kept in SQLite: recall, time and size of the coarse passes that sqlite-vec offers.

    RECORTEX_BENCH_DATA=… python bench/vectors.py [--sizes 10000,100000] [--queries 200] [--cache FILE]
    [--json FILE]

The vectors are the shipped model's, of the functions in cosqa and the turns in LoCoMo; beyond their number
each further one is a mixture of two of them with a little noise. The queries are the questions of both
sets. The truth is the exact float32 ranking. Each design is a function that builds its tables and returns
a search for the best `k` row ids.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import tempfile
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np
import sqlite_vec

from recortex.embeddings.onnx import OnnxEmbedder
from recortex.engines.indexing.vectors import compact

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Array = npt.NDArray[Any]
    Search = Callable[[Array, int], list[int]]
    Design = Callable[[apsw.Connection, Array], Search]

SEED = 7
WIDTH = 384


@dataclass(frozen=True)
class Row:
    """One line of the table: a design at a size; times are medians per query, sizes are of the whole file."""

    vectors: int
    design: str
    recall_10: float
    recall_50: float
    ms_10: float
    ms_50: float
    bytes_per_vector: float
    build_us_per_vector: float


def read_texts(data: Path) -> tuple[list[str], list[str]]:
    """Return what is stored (without repetitions) and what is asked."""
    with gzip.open(data / "cosqa/code_idx_map.txt.gz", "rt") as file:
        functions = list(json.load(file))
    with gzip.open(data / "cosqa/cosqa-retrieval-dev-500.json.gz", "rt") as file:
        asked = [entry["doc"] for entry in json.load(file)]
    with gzip.open(data / "locomo/locomo10.json.gz", "rt") as file:
        talks = json.load(file)
    sessions = [value for talk in talks for value in talk["conversation"].values() if isinstance(value, list)]
    turns = [f"{turn['speaker']}: {turn['text']}" for session in sessions for turn in session]
    asked += [entry["question"] for talk in talks for entry in talk["qa"]]
    return list(dict.fromkeys(functions + turns)), list(dict.fromkeys(asked))


def embed_all(data: Path, queries: int, cache: Path | None) -> tuple[Array, Array]:
    """The vectors of the texts and of a sample of the questions, from the cache file if there is one."""
    if cache is not None and cache.exists():
        kept = np.load(cache)
        return kept["stored"], kept["asked"][:queries]
    texts, asked = read_texts(data)
    chosen = np.random.default_rng(SEED).permutation(len(asked))[:queries]
    embedder = OnnxEmbedder(threads=int(os.environ.get("RECORTEX_BENCH_THREADS", "1")))
    stored, questions = embedder.embed(texts), embedder.embed([asked[i] for i in chosen])
    if cache is not None:
        np.savez(cache, stored=stored, asked=questions)
    return stored, questions


def grown(vectors: Array, count: int) -> Array:
    """Return `count` vectors.

    The real ones first, then mixtures of pairs, which keep to where real vectors lie.
    """
    random = np.random.default_rng(SEED)
    real = vectors[random.permutation(len(vectors))][:count]
    extra = count - len(real)
    first, second = (vectors[random.integers(0, len(vectors), extra)] for _ in range(2))
    share = random.uniform(0.6, 0.95, (extra, 1))
    mixed = share * first + (1 - share) * second + random.normal(0, 0.005, (extra, WIDTH))
    mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
    return np.concatenate([real, mixed]).astype(np.float32)


def bits(vector: Array) -> bytes:
    """Return the signs, eight to a byte, as sqlite-vec packs them."""
    return bytes(np.packbits(vector > 0, bitorder="little").tobytes())


def int8(vector: Array) -> bytes:
    """Return a unit vector as the package keeps it."""
    return compact(vector)


def floats(vector: Array) -> bytes:
    """Return the values as they are."""
    return bytes(vector.astype("<f4").tobytes())


def fill(db: apsw.Connection, sql: str, rows: list[tuple[Any, ...]]) -> None:
    """Insert all rows in one transaction."""
    with db:
        db.executemany(sql, rows)


def full_scan(column: str, wrap: str, encode: Callable[[Array], bytes], width: int = WIDTH) -> Design:
    """One vec0 table, its own order is the answer."""

    def build(db: apsw.Connection, vectors: Array) -> Search:
        db.execute(f"create virtual table v using vec0(e {column})")
        fill(
            db,
            f"insert into v(rowid, e) values (?, {wrap}(?))",  # noqa: S608
            [(i, encode(v[:width])) for i, v in enumerate(vectors)],
        )
        sql = f"select rowid from v where e match {wrap}(?) and k = ? order by distance"  # noqa: S608
        return lambda query, k: [row[0] for row in db.execute(sql, (encode(query[:width]), k))]

    return build


def bits_table(db: apsw.Connection, vectors: Array) -> None:
    """Make the coarse table of signs."""
    db.execute(f"create virtual table v using vec0(e bit[{WIDTH}])")
    fill(db, "insert into v(rowid, e) values (?, vec_bit(?))", [(i, bits(v)) for i, v in enumerate(vectors)])


def exact_table(db: apsw.Connection, vectors: Array, encode: Callable[[Array], bytes]) -> None:
    """Make the plain table that the re-rank reads."""
    db.execute("create table x(id integer primary key, e blob not null)")
    fill(db, "insert into x values (?, ?)", [(i, encode(v)) for i, v in enumerate(vectors)])


def two_pass(over: int, kind: str) -> Design:
    """Signs in vec0, then a re-rank of `over` candidates with numpy."""
    encode, dtype = (int8, np.int8) if kind == "int8" else (floats, np.float32)

    def build(db: apsw.Connection, vectors: Array) -> Search:
        bits_table(db, vectors)
        exact_table(db, vectors, encode)
        sql = "select id, e from x where id in (select rowid from v where e match vec_bit(?) and k = ?)"

        def search(query: Array, k: int) -> list[int]:
            rows = list(db.execute(sql, (bits(query), over)))
            values = np.frombuffer(b"".join(row[1] for row in rows), dtype=dtype).reshape(-1, WIDTH)
            matrix = values.astype(np.float32)
            scores = matrix @ query / np.linalg.norm(matrix, axis=1)
            return [rows[i][0] for i in np.argsort(-scores)[:k]]

        return search

    return build


RERANK = "order by vec_distance_cosine(vec_int8(e), vec_int8(?)) limit ?"


def two_pass_sql(over: int) -> Design:
    """Signs in vec0, then sqlite-vec's own cosine over the candidates."""

    def build(db: apsw.Connection, vectors: Array) -> Search:
        bits_table(db, vectors)
        exact_table(db, vectors, int8)
        coarse = "select rowid from v where e match vec_bit(?) and k = ?"
        sql = f"select id from x where id in ({coarse}) {RERANK}"  # noqa: S608
        return lambda query, k: [row[0] for row in db.execute(sql, (bits(query), over, int8(query), k))]

    return build


def plain_bits(over: int) -> Design:
    """Signs in a plain table, sorted by sqlite-vec's Hamming distance.

    Then its cosine over the candidates.
    """

    def build(db: apsw.Connection, vectors: Array) -> Search:
        db.execute("create table c(id integer primary key, b blob not null)")
        fill(db, "insert into c values (?, ?)", [(i, bits(v)) for i, v in enumerate(vectors)])
        exact_table(db, vectors, int8)
        coarse = "select id from c order by vec_distance_hamming(vec_bit(b), vec_bit(?)) limit ?"
        sql = f"select id from x where id in ({coarse}) {RERANK}"  # noqa: S608
        return lambda query, k: [row[0] for row in db.execute(sql, (bits(query), over, int8(query), k))]

    return build


def blocks(over: int) -> Design:
    """Signs of 1,024 vectors to a row, counted by numpy; then sqlite-vec's cosine over the candidates."""

    def build(db: apsw.Connection, vectors: Array) -> Search:
        db.execute("create table c(id integer primary key, b blob not null)")
        packed = [bits(v) for v in vectors]
        parts = [(i, b"".join(packed[i : i + 1024])) for i in range(0, len(packed), 1024)]
        fill(db, "insert into c values (?, ?)", parts)
        exact_table(db, vectors, int8)
        sql = f"select id from x where id in (select value from json_each(?)) {RERANK}"  # noqa: S608

        def search(query: Array, k: int) -> list[int]:
            joined = b"".join(row[0] for row in db.execute("select b from c order by id"))
            differing = np.frombuffer(joined, dtype=np.uint64).reshape(-1, 6) ^ np.frombuffer(
                bits(query), np.uint64
            )
            distances = np.bitwise_count(differing).sum(axis=1, dtype=np.uint16)
            best = np.argpartition(distances, over)[:over].tolist()
            return [row[0] for row in db.execute(sql, (json.dumps(best), int8(query), k))]

        return search

    return build


CHOSEN_TABLES = """
create table embedding(id integer primary key, hash blob not null unique, vector blob not null);
create table memory_vector(memory integer primary key, embedding integer not null, bits blob not null);
"""
CHOSEN_SEARCH = """
with coarse as materialized (
    select memory, embedding from memory_vector
    order by vec_distance_hamming(vec_bit(bits), vec_bit(?)) limit ?
)
select memory from coarse join embedding e on e.id = coarse.embedding
order by vec_distance_cosine(vec_int8(e.vector), vec_int8(?)) limit ?
"""


def chosen(over: int) -> Design:
    """What was recommended to the store.

    Vectors shared by hash, their signs beside the memory, all in SQL.
    """

    def build(db: apsw.Connection, vectors: Array) -> Search:
        db.execute(CHOSEN_TABLES)
        packed = [int8(v) for v in vectors]
        random = np.random.default_rng(SEED)
        fill(
            db,
            "insert into embedding values (?, ?, ?)",
            [(i, random.bytes(32), v) for i, v in enumerate(packed)],
        )
        signs = "insert into memory_vector values (?, ?, vec_quantize_binary(vec_int8(?)))"
        fill(db, signs, [(i, i, v) for i, v in enumerate(packed)])

        def search(query: Array, k: int) -> list[int]:
            asked = int8(query)
            ((coarse,),) = db.execute("select vec_quantize_binary(vec_int8(?))", (asked,))
            return [row[0] for row in db.execute(CHOSEN_SEARCH, (coarse, over, asked, k))]

        return search

    return build


DESIGNS: dict[str, Design] = {
    "float32 full scan": full_scan(f"float[{WIDTH}] distance_metric=cosine", "vec_f32", floats),
    "float32, first 128": full_scan("float[128] distance_metric=cosine", "vec_f32", floats, 128),
    "int8 full scan": full_scan(f"int8[{WIDTH}] distance_metric=cosine", "vec_int8", int8),
    "vec0 bits alone": full_scan(f"bit[{WIDTH}]", "vec_bit", bits),
    "vec0 bits 100, int8": two_pass_sql(100),
    "vec0 bits 200, int8": two_pass_sql(200),
    "vec0 bits 400, int8": two_pass_sql(400),
    "vec0 bits 400, int8 numpy": two_pass(400, "int8"),
    "vec0 bits 400, float numpy": two_pass(400, "float32"),
    "plain bits 100, int8": plain_bits(100),
    "plain bits 200, int8": plain_bits(200),
    "plain bits 400, int8": plain_bits(400),
    "plain bits 800, int8": plain_bits(800),
    "blocks of bits 400, int8": blocks(400),
    "chosen, 400": chosen(400),
    "chosen, 600": chosen(600),
    "chosen, 800": chosen(800),
}


def measure(name: str, vectors: Array, queries: Array) -> Row:
    """Build a design in a fresh file, then ask everything."""
    truth = np.argsort(-(queries @ vectors.T), axis=1)[:, :50]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "v.db"
        db = open_database(path)
        start = time.perf_counter()
        search = DESIGNS[name](db, vectors)
        built = time.perf_counter() - start
        near, wide = (ask(search, queries, truth, k) for k in (10, 50))
        db.pragma("wal_checkpoint", "truncate")
        size = path.stat().st_size / len(vectors)
        db.close()
    recalls, times = (near[0], wide[0]), (near[1], wide[1])
    return Row(len(vectors), name, *recalls, *times, round(size, 1), round(built / len(vectors) * 1e6, 1))


def ask(search: Search, queries: Array, truth: Array, k: int) -> tuple[float, float]:
    """Return the recall at `k` and the median milliseconds."""
    times, found = [], []
    for query, best in zip(queries, truth, strict=True):
        start = time.perf_counter()
        ids = search(query, k)
        times.append((time.perf_counter() - start) * 1000)
        found.append(len(set(ids) & set(best[:k].tolist())) / k)
    return round(statistics.mean(found), 4), round(statistics.median(times), 2)


def open_database(path: Path) -> apsw.Connection:
    """Open a file as the store does: WAL, sqlite-vec loaded."""
    db = apsw.Connection(str(path))
    db.enable_load_extension(enable=True)
    db.load_extension(sqlite_vec.loadable_path())
    db.pragma("journal_mode", "wal")
    db.pragma("mmap_size", 268_435_456)
    return db


def main() -> None:
    """Measure each design at each size; print a table, write JSON when asked."""
    parser = argparse.ArgumentParser(description="Compare ways to keep vectors in SQLite.")
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--only", default="", help="the designs whose name contains this")
    parser.add_argument("--cache", type=Path, help="a file that keeps the embeddings between runs")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    stored, asked = embed_all(Path(os.environ["RECORTEX_BENCH_DATA"]), options.queries, options.cache)
    print(f"{len(stored):,} real vectors, {len(asked)} questions")
    print("  ".join(field.name.rjust(9) for field in fields(Row)))
    rows = []
    for size in map(int, options.sizes.split(",")):
        vectors = grown(stored, size)
        for name in (design for design in DESIGNS if options.only in design):
            rows.append(measure(name, vectors, asked))
            print("  ".join(str(value).rjust(9) for value in asdict(rows[-1]).values()), flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
