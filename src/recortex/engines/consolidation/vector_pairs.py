"""All pairs of vectors that point nearly the same way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.engines.consolidation.overlaps import OverlappingPairs, ScoredPair, scored_pair
from recortex.engines.similarity.vector_verdict import NEARLY_SAME

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_VECTORS = 12_000
"""The most vectors that are compared with each other: 10,000 take 0.3 s on idle cores
(bench/consolidation.py)."""
MOST_PAIRS = 20_000
"""Far more than anybody reads; it bounds the memory that a store full of equal texts would take."""
BLOCK = 512
"""Rows of one matrix product: 512 by 12,000 cosines are 25 MB."""


def similar_vectors(codes: Mapping[str, bytes]) -> OverlappingPairs:
    """Every pair of vectors with a cosine of at least `NEARLY_SAME`.

    Args:
        codes: int8 vectors of one embedder by key; beyond `MOST_VECTORS` the first ones are compared.
    """
    keys = list(codes)[:MOST_VECTORS]
    pairs: list[ScoredPair] = []
    rows = _unit({key: codes[key] for key in keys})
    for start in range(0, len(keys), BLOCK):
        room = MOST_PAIRS - len(pairs)
        found = _above(rows, start, room + 1)
        pairs += [scored_pair(keys[a], keys[b], min(1.0, cosine)) for a, b, cosine in found[:room]]
        if len(found) > room:
            return OverlappingPairs(tuple(pairs), complete=False)
    return OverlappingPairs(tuple(pairs), complete=len(keys) == len(codes))


def _unit(codes: Mapping[str, bytes]) -> Any:
    """Rows of unit length; a vector of another length than the first one's is all zeros."""
    import numpy as np

    size = len(next(iter(codes.values()), b""))
    fitting = [raw if len(raw) == size else bytes(size) for raw in codes.values()]
    rows = np.frombuffer(b"".join(fitting), dtype=np.int8).astype(np.float32).reshape(len(fitting), size)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def _above(rows: Any, start: int, most: int) -> list[tuple[int, int, float]]:
    """Pairs of the block's rows with all rows from the block on, each once; at most `most`."""
    import numpy as np

    block = rows[start : start + BLOCK]
    cosines = block @ rows[start:].T
    # Within the block, each pair would occur twice, and each row with itself.
    cosines[:, : len(block)] = np.triu(cosines[:, : len(block)], k=1)
    first, second = (found[:most] for found in np.nonzero(cosines >= NEARLY_SAME))
    return [
        (start + int(a), start + int(b), float(cosines[a, b])) for a, b in zip(first, second, strict=True)
    ]
