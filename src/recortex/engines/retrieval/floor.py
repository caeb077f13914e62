"""Decides whether a store can answer a question: a wrong memory does more harm than none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.engines.retrieval.normalise import logistic

if TYPE_CHECKING:
    from recortex.engines.retrieval.scorer import Scored

FLOOR = 0.5
"""An answer below it is no answer."""
LEAST_LIKENESS = 0.25
"""A memory that shares no word with the question must be so like it, or stand near turns that are."""


@dataclass(frozen=True, slots=True)
class Support:
    """What speaks for and against an answer; each from 0 to 1.

    Attributes:
        coverage: of the best match, the share of the question's rare words that it holds (BM25 over the best
            conceivable); None where words were not searched.
        unknown: the share of the question, by rarity, that no memory mentions.
        strangers: the share of the names in the question that no memory mentions.
        likeness: the best cosine; None where no vectors were compared.
        outline: whether the best hit is a list of names, or longer than the model reads: it holds few of the
            words in which one asks for it.
    """

    coverage: float | None
    unknown: float
    strangers: float
    likeness: float | None = None
    outline: bool = False


_COVERAGE, _LIKENESS, _UNKNOWN, _STRANGERS, _OUTLINE = 5.0, 6.0, -4.0, -2.5, 2.0
_COVERAGE_ALONE, _KEYWORD_BIAS = 8.0, 1.5
_LIKENESS_ALONE, _SEMANTIC_BIAS = 9.0, 0.0
"""Weights of a logistic regression over questions that can and cannot be answered, rounded
(bench/retrieval.py --floor-curve: LoCoMo across conversations, the developer notes, and commits)."""


def answerable(support: Support) -> float:
    """0 to 1: how sure it is that the store holds an answer."""
    against = _UNKNOWN * support.unknown + _STRANGERS * support.strangers + _OUTLINE * support.outline
    if support.coverage is None:
        return logistic(_LIKENESS_ALONE * (support.likeness or 0.0) + against + _SEMANTIC_BIAS)
    if support.likeness is None:
        return logistic(_COVERAGE_ALONE * support.coverage + against + _KEYWORD_BIAS)
    return logistic(_COVERAGE * support.coverage + _LIKENESS * support.likeness + against)


def in_common(one: Scored) -> bool:
    """Whether a candidate shares a word with the question, or is like it, alone or with the turns around it.

    Where words were not searched, everything that was gathered is like the question as far as anything is.
    """
    likeness = max(one.compared.semantic, one.compared.nearby)
    return one.compared.keyword > 0.0 or not one.weights.compared.keyword or likeness >= LEAST_LIKENESS
