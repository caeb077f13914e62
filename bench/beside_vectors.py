"""Recall beside a store of vectors alone, turn by turn in one process: the time until there is an answer.

    python bench/beside_vectors.py --cache FOLDER [--sizes 1000,10000,100000] [--queries 200] [--json FILE]

Both sides hold the same memories with the same vectors (`scale_data.py` says how they are made) and embed
each question with the same model in the same process; no question is asked twice, so that its vector is
always made. The other side is Chroma, where it is installed (it is no dependency; `pip install chromadb`
into the environment that measures): a collection on disk, cosine, as it comes, asked for the texts of the
eight nearest. Where it is not, an index of usearch with the texts in a dictionary stands in, and the table
says so.

Who begins alternates. Beside the medians of both stand the median of the differences, which a busy machine
disturbs least, and the processor time of each, which it hardly disturbs. Stores are made once, in FOLDER,
which lies outside the repository. `memory` is what the process grew by from the first recall to the last,
after the other side was asked once.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import statistics
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from latency import PARTS, Prose
from recortex import Cortex
from recortex.embeddings.onnx import OnnxEmbedder
from scale import apart, filled, services_of

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = "1000,10000,100000"
WANTED = 8
BATCH = 2_000
WARM_UP = 20


class Took(NamedTuple):
    """Milliseconds by the clock, and of the processor: all threads of this process."""

    clock: float
    processor: float


def stores_of(cache: Path, size: int) -> str:
    """The address of a store of that size, made once."""
    path = cache / f"{size}.db"
    if not path.exists():
        part = path.with_suffix(".part")
        apart(filled, f"sqlite:///{part}", size, cache / "vectors.npz")
        part.rename(path)
    return f"sqlite:///{path}"


def contents(cx: Cortex) -> tuple[list[str], list[str], Any]:
    """Ids, texts and vectors of all memories."""
    rows = services_of(cx).store.pool.rows(
        "SELECT m.id, m.text, e.vector FROM memories m JOIN embeddings e ON e.key = m.embedding_key"
    )
    ids, texts, codes = zip(*rows, strict=True)
    vectors = np.frombuffer(b"".join(codes), np.int8).reshape(len(codes), -1).astype(np.float32)
    return list(ids), list(texts), vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def chroma(folder: Path, cx: Cortex) -> Callable[[Any], list[str]]:
    """Ask Chroma for the texts that are nearest to a vector."""
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
    found: Any = client.get_or_create_collection("all", metadata={"hnsw:space": "cosine"})
    if not found.count():
        ids, texts, vectors = contents(cx)
        for start in range(0, len(ids), BATCH):
            part = slice(start, start + BATCH)
            found.add(ids=ids[part], documents=texts[part], embeddings=vectors[part])

    def ask(vector: Any) -> list[str]:
        texts: list[str] = found.query(query_embeddings=[vector], n_results=WANTED)["documents"][0]
        return texts

    return ask


def in_memory(cx: Cortex) -> Callable[[Any], list[str]]:
    """Ask an index of usearch, with the texts in a list."""
    from recortex.storage.sqlite.vector_index import graphs

    _, texts, vectors = contents(cx)
    index = graphs()(ndim=vectors.shape[1], metric="cos")
    index.add(np.arange(len(texts)), vectors)
    return lambda vector: [texts[key] for key in index.search(vector, WANTED).keys]


def a_file(question: str) -> str:
    return f"src/{PARTS[len(question) % 30]}.py"


def took(act: Callable[[str], Any], question: str) -> Took:
    began, used = time.perf_counter(), time.process_time()
    assert act(question)
    return Took(1e3 * (time.perf_counter() - began), 1e3 * (time.process_time() - used))


def resident() -> float:
    """Megabytes that this process holds now, pages of mapped files left out where that can be told."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def questions_of(cx: Cortex, count: int, seed: int) -> list[str]:
    """Questions about memories; those of another seed are others."""
    prose = Prose(seed)
    rows = services_of(cx).store.pool.rows("SELECT text FROM memories ORDER BY random() LIMIT ?", (count,))
    texts = [row[0] for row in rows]
    return [prose.question(prose.random.choice(texts)) for _ in range(count)]


def measure(size: int, queries: int, cache: Path) -> dict[str, Any]:
    embedder = OnnxEmbedder()
    with Cortex.open(url=stores_of(cache, size)) as cx:
        cx.warm()
        other = chroma(cache / f"chroma-{size}", cx) if find_spec("chromadb") else in_memory(cx)
        sides: dict[str, Callable[[str], Any]] = {
            "recall": lambda question: cx.recall(question, floor=False).hits,
            "vectors": lambda question: other(embedder.embed([question], purpose="query")[0]),
            "embedding": lambda question: len(embedder.embed([question], purpose="query")),
            "context": lambda question: cx.context(f"fix it: {question}", files=[a_file(question)]),
        }
        sides["vectors"]("what the other side reads with its first question is none of ours")
        gc.collect()
        before = resident()
        asked = questions_of(cx, queries + WARM_UP, time.time_ns())
        times: dict[str, list[Took]] = {name: [] for name in sides}
        for number, question in enumerate(asked):
            order = list(sides.items())
            for place, (name, act) in enumerate(order if number % 2 else reversed(order)):
                # Each gets a question of its own, so that none finds what another has put into a cache.
                times[name].append(took(act, f"{question[:-1]} {len(order) * number + place}?"))
        gc.collect()
        row: dict[str, Any] = {"memories": size, "memory_mb": round(resident() - before, 1)}
    for name, all_ in times.items():
        row[name] = summary(all_[WARM_UP:])
    pairs = zip(times["recall"][WARM_UP:], times["vectors"][WARM_UP:], strict=True)
    row["difference"] = round(statistics.median(one.clock - beside.clock for one, beside in pairs), 2)
    return row


def summary(times: list[Took]) -> dict[str, float]:
    clock = [one.clock for one in times]
    return {
        "p50": round(statistics.median(clock), 2),
        "p95": round(statistics.quantiles(clock, n=20)[18], 2),
        "processor": round(statistics.median(one.processor for one in times), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    rows = []
    other = "Chroma" if find_spec("chromadb") else "usearch and a list"
    print(f"The other side: {other}. p50 / p95 / processor, ms")
    print("| memories | recall | vectors | difference | embedding | context | memory MB |")
    print("|---" * 7 + "|")
    for size in map(int, options.sizes.split(",")):
        row = measure(size, options.queries, options.cache)
        rows.append(row)
        cells = {
            name: " / ".join(map(str, one.values())) for name, one in row.items() if isinstance(one, dict)
        }
        print(
            f"| {size} | {cells['recall']} | {cells['vectors']} | {row['difference']:+} "
            f"| {cells['embedding']} | {cells['context']} | {row['memory_mb']} |",
            flush=True,
        )
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
