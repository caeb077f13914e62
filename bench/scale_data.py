"""Stores of up to a million memories, made quickly.

Statements of `latency.Prose`, vectors that lie as the model's do.

A few thousand statements are embedded by the shipped model. Each further vector is one of them, moved by
the difference of two others that are neighbours: `new = one + 0.7 (other - its neighbour)`, scaled to
length 1. With 0.7 the median cosine between a vector and its nearest neighbour, among as many made ones as
there are real ones, is that of the real ones (0.80 to 0.80 for these statements; 0.71 to 0.70 for the
functions and turns of `vectors.py`). The local dimension is a little higher than theirs (29 to 26, and 23
to 17), which makes neighbours harder to find, not easier.
"""

from __future__ import annotations

import random
import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np

from latency import PARTS, Prose
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.memory import FileLink, Memory
from recortex.domain.vocabulary import Actor
from recortex.embeddings.onnx import OnnxEmbedder
from recortex.engines.indexing import compact, search_text
from recortex.engines.similarity import content_hash

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

REAL, ASKED = 6_000, 300
MOVED = 0.7
NEIGHBOURS = 10
CHUNK = 2_000
KIND = tuple(map(Kind, ("tribal", "decision", "insight", "procedural")))
BEGAN = datetime(2024, 1, 1, tzinfo=UTC)
LASTED = timedelta(days=700)


def embedded(cache: Path, threads: int) -> tuple[Array, Array]:
    """Vectors of statements and of questions about some of them, from the cache file when it is there."""
    if not cache.exists():
        prose = Prose(1)
        texts = [prose.statement() for _ in range(REAL)]
        questions = [prose.question(text) for text in prose.random.sample(texts, ASKED)]
        embedder = OnnxEmbedder(threads=threads)
        np.savez(cache, stored=embedder.embed(texts), asked=embedder.embed(questions))
    kept = np.load(cache)
    return kept["stored"].astype(np.float32), kept["asked"].astype(np.float32)


def neighbours(vectors: Array) -> npt.NDArray[np.int64]:
    """The positions of the nearest others of each vector."""
    found = []
    for start in range(0, len(vectors), CHUNK):
        likeness = vectors[start : start + CHUNK] @ vectors.T
        likeness[np.arange(len(likeness)), np.arange(start, start + len(likeness))] = -2
        found.append(np.argpartition(-likeness, NEIGHBOURS, axis=1)[:, :NEIGHBOURS])
    return np.concatenate(found)


def grown(vectors: Array, near: npt.NDArray[np.int64], count: int, seed: int) -> Array:
    """Vectors that lie as the given ones do."""
    source = np.random.default_rng(seed)
    one, other = source.integers(0, len(vectors), (2, count))
    moved = vectors[other] - vectors[near[other, source.integers(0, NEIGHBOURS, count)]]
    made = vectors[one] + MOVED * moved
    unit: Array = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return unit


def memories(prose: Prose, count: int) -> Iterator[Memory]:
    """Memories of some 200 characters, recorded over two years."""
    source = random.Random(count)
    template = Memory(
        id="",
        kind=KIND[0],
        text="",
        summary="",
        content=KINDS[KIND[0]].from_text("x"),
        content_hash="00",
        recorded_at=BEGAN,
        updated_at=BEGAN,
        valid_from=BEGAN,
        tokens=50,
    )
    for place in range(count):
        text, kind, at = prose.statement(), KIND[place % 4], BEGAN + LASTED * (place / count)
        yield replace(
            template,
            id=str(uuid.UUID(int=source.getrandbits(128), version=4)),
            kind=kind,
            text=text,
            summary=text,
            content=KINDS[kind].from_text(text),
            content_hash=content_hash(kind, text),
            tags=(PARTS[place % len(PARTS)],),
            files=(FileLink(f"src/{PARTS[place % 30]}.py"),),
            recorded_at=at,
            updated_at=at,
            valid_from=at,
        )


def fill(store: Any, model: str, count: int, cache: Path) -> None:
    """Put memories with vectors into an empty store, through its ports: the same for every engine."""
    real, _ = embedded(cache, threads=1)
    near, batch = neighbours(real), list[Memory]()
    for number, memory in enumerate(memories(Prose(count), count), 1):
        batch.append(memory)
        if len(batch) == CHUNK or number == count:
            _put(store, model, batch, grown(real, near, len(batch), number))
            batch = []


def _put(store: Any, model: str, batch: list[Memory], vectors: Array) -> None:
    codes = {
        bytes.fromhex(memory.content_hash)[:16]: compact(vector)
        for memory, vector in zip(batch, vectors, strict=True)
    }
    with store.transaction():
        for memory in batch:
            store.memories.insert(memory, search_text(memory), actor=Actor.SYSTEM)
        keys = store.vectors.put(model, codes)
        hashes = [bytes.fromhex(memory.content_hash) for memory in batch]
        store.vectors.attach(
            [(memory.id, keys[hash_[:16]], hash_) for memory, hash_ in zip(batch, hashes, strict=True)]
        )
