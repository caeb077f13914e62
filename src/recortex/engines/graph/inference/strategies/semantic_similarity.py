"""Whether both are about the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.engines.graph.inference.facts import Pair

UNRELATED, SAME = 0.2, 0.8
"""A cosine of unrelated statements, and of ones that say the same (bench/likeness.py)."""


def semantic_similarity(pair: Pair) -> float:
    """The cosine from that of unrelated statements up; without vectors twice the share of words in common."""
    if pair.cosine is not None:
        return min(1.0, max(0.0, (pair.cosine - UNRELATED) / (SAME - UNRELATED)))
    every = len(pair.cause.words | pair.effect.words)
    return min(1.0, 2 * len(pair.shared_words) / every) if every else 0.0
