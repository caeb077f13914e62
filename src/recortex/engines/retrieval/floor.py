"""Decides whether a store can answer a question: a wrong memory does more harm than none.

The weights were fitted with BM25's coverage: after a change of how words are weighed, run
bench/retrieval.py --floor-curve again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.engines.similarity.standardisation import logistic

if TYPE_CHECKING:
    from recortex.engines.retrieval.scorer import Scored

FLOOR = 0.5
"""With less support than this (0 to 1), recall returns nothing."""
LEAST_LIKENESS = 0.25
"""The least cosine, alone or as the mean with the turns around it, of a hit that shares no word with the
question."""


@dataclass(frozen=True, slots=True)
class Support:
    """What speaks for and against an answer; each from 0 to 1.

    Attributes:
        coverage: how much of the question the best match has, by the rarity of its words (BM25 as a share of
            the highest possible); None where words were not searched.
        unknown: the share of the question, by rarity, that no memory mentions.
        unknown_names: the share of the names in the question that no memory mentions.
        likeness: the best cosine; None where no vectors were compared.
        outline: whether the best hit is a list of names, or longer than the model reads: questions about such
            a text share few words with it.
    """

    coverage: float | None
    unknown: float
    unknown_names: float
    likeness: float | None = None
    outline: bool = False


_COVERAGE, _LIKENESS, _UNKNOWN, _UNKNOWN_NAMES, _OUTLINE = 5.0, 6.0, -4.0, -2.5, 2.0
_COVERAGE_ALONE, _KEYWORD_BIAS = 8.0, 1.5
_LIKENESS_ALONE, _SEMANTIC_BIAS = 9.0, 0.0
"""Weights of a logistic regression over questions that can and cannot be answered, rounded
(bench/retrieval.py --floor-curve: LoCoMo across conversations, the developer notes, and commits)."""


def answerable(support: Support) -> float:
    """The probability that the store has an answer: 0 to 1."""
    against = _UNKNOWN * support.unknown + _UNKNOWN_NAMES * support.unknown_names + _OUTLINE * support.outline
    if support.coverage is None:
        return logistic(_LIKENESS_ALONE * (support.likeness or 0.0) + against + _SEMANTIC_BIAS)
    if support.likeness is None:
        return logistic(_COVERAGE_ALONE * support.coverage + against + _KEYWORD_BIAS)
    return logistic(_COVERAGE * support.coverage + _LIKENESS * support.likeness + against)


def in_common(one: Scored) -> bool:
    """Whether a candidate shares a word with the question or is similar, alone or with the turns around it.

    Always true where words were not searched: the candidates are then the most similar ones.
    """
    likeness = max(one.compared.semantic, one.compared.nearby)
    return one.compared.keyword > 0.0 or not one.weights.compared.keyword or likeness >= LEAST_LIKENESS
