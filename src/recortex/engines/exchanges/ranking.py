"""Ranks places of sessions for a question: standardised BM25 and two cosines, added up.

A place is an exchange with the stretches of work within it. It ranks by the best of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log
from typing import NamedTuple

from recortex.domain.exchange import ExchangeFacts
from recortex.domain.search import BM25_MOST_GAIN
from recortex.engines.similarity.standardisation import logistic, standardised

_LEAST_SPREAD = 0.02
"""Values that differ by less count as about equal."""
_STRETCHES = 3
"""The parts of a place that are read for its passage: the best ones (bench/exchanges.py)."""


class Weights(NamedTuple):
    """What each signal counts, in standard deviations (bench/exchanges.py)."""

    keyword: float = 2.0
    answered: float = 1.5
    outcome: float = 1.5


class Weakness(NamedTuple):
    """A logistic regression over questions that were and were not answered (bench/exchanges.py)."""

    bias: float
    coverage: float
    likeness: float = 0.0


WEIGHTS = Weights()
WEAKNESS = Weakness(bias=-4.5, coverage=4.6, likeness=3.2)
WORDS_ALONE = Weakness(bias=-3.3, coverage=5.3)
WEAK = 0.2
"""An answer whose probability is lower is marked as weak: of five answers at most one is right, so that
probabilities are low. Then 90 % of what nothing answers has weak answers only, or none
(bench/session_questions.py; docs/retrieval.md has the trade-off)."""


@dataclass(frozen=True)
class Evidence:
    """What is known of the candidates for one question.

    Attributes:
        keyword: BM25 by key; candidates without a match are left out.
        answered, outcome: cosines with the question by key; what has no vector is left out.
        frequency: how many exchanges hold each word of the question.
        size: exchanges in the store.
    """

    facts: Sequence[ExchangeFacts]
    keyword: Mapping[int, float]
    frequency: Mapping[str, int]
    size: int
    answered: Mapping[int, float] = field(default_factory=dict)
    outcome: Mapping[int, float] = field(default_factory=dict)

    @cached_property
    def highest(self) -> float:
        """The highest BM25 that a text could get."""
        return BM25_MOST_GAIN * sum(map(self.rarity, self.frequency)) or 1.0

    def rarity(self, word: str) -> float:
        """The inverse document frequency of BM25, always positive; highest for unknown words."""
        count = min(self.frequency.get(word, 0), self.size)
        return log(1.0 + (self.size - count + 0.5) / (count + 0.5))


class Place(NamedTuple):
    """A place of a session that may answer.

    Attributes:
        session, turn: of the exchange that it begins with.
        total: of its best part, in standard deviations.
        probability: that it answers.
        parts: keys of its best parts, best first.
    """

    session: str
    turn: int
    total: float
    probability: float
    parts: tuple[int, ...]


def ranked(
    evidence: Evidence, weights: Weights = WEIGHTS, when: Callable[[int], float] | None = None
) -> Iterator[Place]:
    """The places, best first; of equals the later.

    Args:
        evidence: what is known of the candidates.
        weights: of the signals.
        when: what its end, in microseconds since 1970 UTC, adds to a candidate, in standard deviations.
    """
    totals = _totals(evidence, weights)
    if when is not None:
        for one in evidence.facts:
            totals[one.key] += when(one.ended_at) if one.ended_at is not None else 0.0
    order = sorted(evidence.facts, key=lambda one: (-totals[one.key], -(one.ended_at or 0), one.key))
    places: dict[tuple[str, int], list[ExchangeFacts]] = {}
    for one in order:
        places.setdefault((one.session, one.root_turn), []).append(one)
    for (session, turn), found in places.items():
        best, parts = found[0].key, tuple(one.key for one in found[:_STRETCHES])
        yield Place(session, turn, totals[best], _probability(evidence, best), parts)


def _totals(evidence: Evidence, weights: Weights) -> dict[int, float]:
    keys = [one.key for one in evidence.facts]
    signals = (evidence.keyword, evidence.answered, evidence.outcome)
    totals = [0.0] * len(keys)
    for weight, values in zip(weights, signals, strict=True):
        if weight and values:
            deviations = standardised([values.get(key, 0.0) for key in keys], _LEAST_SPREAD)
            totals = [total + weight * one for total, one in zip(totals, deviations, strict=True)]
    return dict(zip(keys, totals, strict=True))


def evidence_of_answer(evidence: Evidence, key: int) -> tuple[float, float]:
    """Of a candidate: its share of the highest BM25, and its best cosine."""
    likeness = max(values.get(key, 0.0) for values in (evidence.answered, evidence.outcome))
    return evidence.keyword.get(key, 0.0) / evidence.highest, likeness


def _probability(evidence: Evidence, key: int) -> float:
    """That a candidate answers."""
    coverage, likeness = evidence_of_answer(evidence, key)
    model = WEAKNESS if evidence.answered or evidence.outcome else WORDS_ALONE
    return logistic(model.bias + model.coverage * coverage + model.likeness * likeness)
