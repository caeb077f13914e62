"""Decides whether the documents can answer a question: a wrong answer does more harm than none.

A logistic regression as that of memories (engines/retrieval/floor.py), with weights of its own: a chunk is
long, so some of its words are in any question; and the more chunks there are, the more is like one by chance.
"""

from __future__ import annotations

from math import log10
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.similarity.standardisation import logistic

if TYPE_CHECKING:
    from recortex.engines.retrieval.floor import Support

_FEWEST = 12
"""A store of fewer chunks is taken as one of so many, as among memories."""


class _Weights(NamedTuple):
    """What speaks for and against an answer: the first four as in `Support`, then ten times the chunks."""

    coverage: float
    likeness: float
    unknown: float
    unknown_names: float
    tenfold: float
    bias: float


_BY_BOTH = _Weights(7.0, 14.0, -4.0, -1.0, -2.0, -2.7)
_BY_WORDS = _Weights(13.5, 0.0, -4.0, -2.3, -1.9, 1.0)
_BY_MEANING = _Weights(0.0, 16.0, -7.0, -1.0, -1.9, -0.9)
"""Fitted to 49 questions that two documentation trees answer and 170 that they do not, in stores of 5 to
2,600 chunks, and rounded (docs/documents.md; bench/documents.py --questions)."""


def answerable(support: Support, size: int) -> float:
    """The probability that one of so many chunks answers: 0 to 1."""
    both = _BY_WORDS if support.likeness is None else _BY_BOTH
    weights = _BY_MEANING if support.coverage is None else both
    return logistic(
        weights.coverage * (support.coverage or 0.0)
        + weights.likeness * (support.likeness or 0.0)
        + weights.unknown * support.unknown
        + weights.unknown_names * support.unknown_names
        + weights.tenfold * log10(max(size, _FEWEST))
        + weights.bias
    )
