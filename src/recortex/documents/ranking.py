"""Ranks parts of documents for a question, with the probability that the words shown of one answer it."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.regression import Regression
from recortex.engines.retrieval.scorer import in_common, lacks_vector

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recortex.engines.retrieval.scorer import Considered, Scored

LEAST = 0.1
"""A part with a lower probability is not told: 5 % of what answers is below it (bench/RESULTS.md)."""
WEAK = 0.2
"""A part with a lower probability is marked as weak, as an exchange is."""
LOOKED_AT = 40
"""Candidates that are ranked, the first ones by the common scorer."""
_RIVALS = 5
_NEWS = 0.3
"""How much less a page of news counts: it repeats in other words what all other pages say."""
_OF_NEWS = re.compile(
    r"(?:^|/)(?:change-?(?:s|log)?|history|news|releases?(?:[-_]?notes?)?|whats[-_]?new)[^/]*$", re.IGNORECASE
)
_ASKS_FOR_NEWS = re.compile(
    r"\b(?:versions?|releas\w*|chang\w*|new|news|since|upgrad\w*|migrat\w*|deprecat\w*)\b", re.IGNORECASE
)
_WITHOUT_VECTOR = (0.35, 0.17)
"""The usual cosine of a part that waits for its vector: by itself, and for its share of the words."""


class _Fit(NamedTuple):
    """What was fitted where words, vectors or both were compared.

    Attributes:
        keyword, semantic: the weights of a part's sum.
        rival: the usual sum of the five parts after the best, for stores that have fewer.
        chance: the probability that the shown words answer; `lead` is how far a part's sum is above the mean
            of the five best others.
    """

    keyword: float
    semantic: float
    rival: float
    chance: Regression


_BOTH = _Fit(
    1.1,
    1.7,
    0.76,
    Regression(-2.79, {"semantic": 2.05, "unknown": -1.34, "unknown_names": -1.7, "lead": 5.91}),
)
_WORDS = _Fit(
    1.1,
    0.0,
    0.24,
    Regression(-2.99, {"keyword": 1.75, "unknown": -1.51, "unknown_names": -1.39, "lead": 11.34}),
)
_MEANING = _Fit(
    0.0,
    1.7,
    0.59,
    Regression(-2.74, {"semantic": 1.96, "unknown": -1.3, "unknown_names": -1.73, "lead": 8.78}),
)
"""Fitted to 116 questions that five documentation trees answer and 46 that they do not (bench/RESULTS.md)."""


def ranked(
    query: str,
    considered: Considered,
    paths: Callable[[Sequence[int]], Mapping[int, str]],
) -> list[tuple[Scored, float]]:
    """The first candidates, best first, each with the probability that its shown words answer.

    Args:
        query: the question.
        considered: the candidates.
        paths: the documents of parts, by their keys.
    """
    support, first = considered.support, list(islice(considered.scored, LOOKED_AT))
    both = _WORDS if support.likeness is None else _BOTH
    fit = _MEANING if support.coverage is None else both
    news = {} if _ASKS_FOR_NEWS.search(query) else paths([one.facts.key for one in first])
    sums = [
        fit.keyword * one.compared.keyword
        + fit.semantic * _likeness(one)
        - _NEWS * bool(_OF_NEWS.search(news.get(one.facts.key, "")))
        for one in first
    ]
    order = sorted(range(len(first)), key=lambda place: -sums[place])
    best = [sums[place] for place in order[: _RIVALS + 1]]
    found, last = [], 1.0
    for number, place in enumerate(order):
        others = [*best[:number], *best[number + 1 :]][:_RIVALS]
        others += [fit.rival] * (_RIVALS - len(others))
        measured = {
            "keyword": first[place].compared.keyword,
            "semantic": _likeness(first[place]),
            "unknown": support.unknown,
            "unknown_names": support.unknown_names,
            "lead": sums[place] - sum(others) / _RIVALS,
        }
        last = min(last, fit.chance.probability(measured))
        found.append((first[place], last))
    return found


def answering(found: Sequence[tuple[Scored, float]]) -> list[tuple[Scored, float]]:
    """Those that are probable enough to be told."""
    return [(one, chance) for one, chance in found if chance >= LEAST and in_common(one)]


def _likeness(one: Scored) -> float:
    if lacks_vector(one.facts):
        alone, of_words = _WITHOUT_VECTOR
        return alone + of_words * one.compared.keyword
    return one.compared.semantic
