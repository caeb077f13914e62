"""Reciprocal rank fusion."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Key = TypeVar("Key")
K = 60
"""The constant of the method: the higher it is, the less the first ranks stand out."""


def fuse(rankings: Sequence[Sequence[Key]], k: int = K) -> dict[Key, float]:
    """Everything that any ranking holds, best first, with Σ 1 / (k + rank), ranks from 1.

    A key that a ranking holds twice counts there once, at its better rank. Equal scores keep the order of
    appearance.
    """
    scores: dict[Key, float] = {}
    for ranking in rankings:
        for rank, key in enumerate(dict.fromkeys(ranking), 1):
            scores[key] = scores.get(key, 0.0) + 1.0 / (k + rank)
    return dict(sorted(scores.items(), key=lambda entry: -entry[1]))
