"""Whether a third tier of remembered vectors, a memory-mapped file, would pay besides the two that there are.

    python bench/embedding_cache.py [--texts N] [--json FILE]

Prints the time to get one question's vector from the shipped model, from this process's memory (first tier),
from the store's table of vectors by hash (second tier) and from a memory-mapped file of sorted hashes and
int8 vectors (third tier). Each is measured warm and in a new process, which must open the table, map the file
or load the model first. Medians of fresh processes are of seven. Texts are made here from a seed.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from embeddings import make_texts, milliseconds
from recortex.embeddings.chain import CachedEmbedder
from recortex.embeddings.onnx import DIMENSIONS, MODEL_NAME, OnnxEmbedder
from recortex.engines.indexing.vectors import compact
from recortex.engines.similarity.jaccard import vector_hash

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

RUNS, FRESH = 200, 7
TABLE = "vectors.db"
HASHES, VECTORS = "hashes.npy", "vectors.npy"


def write_tiers(folder: Path, texts: list[str]) -> None:
    """The second and the third tier with a vector for each text.

    By chance, since only the way to them is timed.
    """
    rows = np.random.default_rng(1).normal(size=(len(texts), DIMENSIONS)).astype(np.float32)
    kept = sorted(
        (vector_hash(MODEL_NAME, text), compact(row)) for text, row in zip(texts, rows, strict=True)
    )
    database = apsw.Connection(str(folder / TABLE))
    database.execute("PRAGMA journal_mode=WAL")
    database.execute(
        "CREATE TABLE embeddings (key INTEGER PRIMARY KEY, hash BLOB NOT NULL UNIQUE, "
        "model INTEGER NOT NULL, vector BLOB)"
    )
    with database:
        database.executemany("INSERT INTO embeddings (hash, model, vector) VALUES (?, 1, ?)", kept)
    database.close()
    np.save(folder / HASHES, np.array([np.void(hash_) for hash_, _ in kept]))
    np.save(folder / VECTORS, np.array([np.frombuffer(code, dtype=np.int8) for _, code in kept]))


def second_tier(folder: Path) -> Callable[[str], bytes]:
    """The store's table."""
    database = apsw.Connection(str(folder / TABLE))

    def look(text: str) -> bytes:
        hash_ = vector_hash(MODEL_NAME, text)
        code: bytes = database.execute("SELECT vector FROM embeddings WHERE hash = ?", (hash_,)).get
        return code

    return look


def third_tier(folder: Path) -> Callable[[str], bytes]:
    """A file that is mapped into memory."""
    hashes = np.load(folder / HASHES, mmap_mode="r")
    vectors: npt.NDArray[np.int8] = np.load(folder / VECTORS, mmap_mode="r")

    def look(text: str) -> bytes:
        wanted = vector_hash(MODEL_NAME, text)
        low, high = 0, len(hashes)
        while low < high:
            middle = (low + high) // 2
            if hashes[middle].tobytes() < wanted:
                low = middle + 1
            else:
                high = middle
        return bytes(vectors[low].tobytes())

    return look


def ways(folder: Path) -> dict[str, Callable[[], Callable[[str], Any]]]:
    """Each way to a vector: makes what it needs, and gives the look-up."""
    return {
        "model": lambda: lambda text: OnnxEmbedder().embed([text], purpose="query"),
        "second tier, table": lambda: second_tier(folder),
        "third tier, mapped file": lambda: third_tier(folder),
    }


def warm(folder: Path, texts: list[str]) -> dict[str, float]:
    """Microseconds of a look-up in a process that has done it before."""
    model = OnnxEmbedder()
    first = CachedEmbedder(model)
    asked = random.Random(5).sample(texts, RUNS)
    first.embed(asked)
    looks: dict[str, Callable[[str], Any]] = {
        "model": lambda text: model.embed([text]),
        "first tier, memory": lambda text: first.embed([text]),
        "second tier, table": second_tier(folder),
        "third tier, mapped file": third_tier(folder),
    }
    second, third = looks["second tier, table"], looks["third tier, mapped file"]
    assert all(second(text) == third(text) for text in asked)
    return {name: statistics.median(micros(look, text) for text in asked) for name, look in looks.items()}


def micros(look: Callable[[str], Any], text: str) -> float:
    """How long one look-up takes."""
    return milliseconds(lambda: look(text)) * 1000


def fresh(folder: Path, way: str, text: str) -> float:
    """Milliseconds of the first look-up of a process, without the start of Python and its imports."""
    child = [sys.executable, __file__, "--child", way, "--folder", str(folder), "--text", text]
    return statistics.median(float(subprocess.check_output(child, text=True)) for _ in range(FRESH))


def measure(count: int) -> dict[str, dict[str, float]]:
    """All figures."""
    texts = list(dict.fromkeys(f"{text} {number}" for number, text in enumerate(make_texts(count))))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tiers(folder, texts)
        return {
            "warm, us": warm(folder, texts),
            "fresh process, ms": {way: fresh(folder, way, texts[7]) for way in ways(folder)},
            "bytes per vector": {
                "table": (folder / TABLE).stat().st_size / len(texts),
                "file": ((folder / HASHES).stat().st_size + (folder / VECTORS).stat().st_size) / len(texts),
            },
        }


def main() -> None:
    """Measure, print, write JSON when asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--text", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        start = time.perf_counter()
        ways(options.folder)[options.child]()(options.text)
        print((time.perf_counter() - start) * 1000)
        return
    figures = measure(options.texts)
    for title, rows in figures.items():
        for name, value in rows.items():
            print(f"{title:<20} {name:<26} {value:10.1f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
