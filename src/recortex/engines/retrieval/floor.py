"""Decides whether a store can answer a question: a wrong memory does more harm than none.

The weights were fitted with BM25's coverage: after a change of how words are weighed, run
bench/retrieval.py --floor-curve again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from math import exp, log1p
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.indexing.pieces import Trait
from recortex.engines.regression import logistic
from recortex.engines.retrieval.scorer import LEAST_SPREAD, Scored, recency
from recortex.engines.retrieval.weights import Common, Compared, Form, Spoken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.engines.retrieval.scorer import Evidence


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
    return logistic(sum(evidence(support).values()))


def evidence(support: Support) -> dict[str, float]:
    """What speaks for an answer, or against it, in logits."""
    return _for(support) | {
        "unknown": _UNKNOWN * support.unknown,
        "unknown names": _UNKNOWN_NAMES * support.unknown_names,
        "outline": _OUTLINE * support.outline,
    }


def _for(support: Support) -> dict[str, float]:
    if support.coverage is None:
        return {"likeness": _LIKENESS_ALONE * (support.likeness or 0.0), "bias": _SEMANTIC_BIAS}
    if support.likeness is None:
        return {"coverage": _COVERAGE_ALONE * support.coverage, "bias": _KEYWORD_BIAS}
    return {"coverage": _COVERAGE * support.coverage, "likeness": _LIKENESS * support.likeness}


_CLOSE, _FAR, _FARTHEST = 6.0, 8.0, 10.0
_REACH = (
    (int(Trait.DIALOGUE | Trait.MESSAGE | Trait.REPLY), _FARTHEST),
    (int(Trait.OUTLINE | Trait.DOCUMENT), _FAR),
)
"""How far behind the best candidate a hit may be, in standard deviations, by the form of its text. Of what is
said and of outlines several answer together, and their order says less. With these, no set loses anything
within ten hits, and of a developer's notes an answer has 1.6 memories instead of 5.1, all that are wanted
among them (bench/retrieval.py: LoCoMo loses 1.1 points with 6; the notes lose 0.8 with 2)."""
NEAR = 4.0
"""A hit this many standard deviations behind the best one is about 1/e as sure."""


class Rated(NamedTuple):
    """A candidate with its score: FLOOR where it is as far behind the best one as its form allows.

    Attributes:
        score: 0 to 1; it never rises in the order of the candidates.
        weak: much less sure than the best one: it may be about something else.
    """

    scored: Scored
    score: float
    weak: bool


def rated(scored: Iterable[Scored], best: float) -> Iterator[Rated]:
    """The candidates with their scores, in their order.

    Args:
        scored: best first.
        best: the probability that the store has an answer.
    """
    top, last = None, 1.0
    for one in scored:
        top = one.total if top is None else top
        behind = top - one.total
        sure = best * exp(max(-behind / NEAR, -60.0))  # a score of 0 would look like no hit
        if best > FLOOR:
            last = min(
                last,
                best
                * (FLOOR / best)
                ** min(
                    behind / next((reach for traits, reach in _REACH if one.facts.traits & traits), _CLOSE),
                    60.0,
                ),
            )
        else:
            last = min(last, sure)
        yield Rated(one, last, sure < FLOOR)


def passing(candidates: Iterable[Rated]) -> Iterator[Rated]:
    """The candidates that are told beside the best one: near enough to it, and to the question."""
    near = takewhile(lambda one: one.score >= FLOOR, candidates)  # their scores never rise
    return (one for one in near if in_common(one.scored))


def in_common(one: Scored) -> bool:
    """Whether a candidate shares a word with the question or is similar, alone or with the turns around it.

    Always true where words were not searched: the candidates are then the most similar ones.
    """
    likeness = max(one.compared.semantic, one.compared.nearby)
    return one.compared.keyword > 0.0 or not one.weights.compared.keyword or likeness >= LEAST_LIKENESS


# -- the recipe `frame` (E, Retriever): four signals from 0 to 1, added up as they are measured


class Signals(NamedTuple):
    """What is measured of a candidate, and the weight of each.

    Attributes:
        semantic: cosine with the question; what has no vector yet counts with its words instead.
        keyword: how much of the question it holds, by the rarity of the words.
        recency: it was written, recorded or used recently.
        frequency: it was given often, beside the candidate that was given most.
    """

    semantic: float = 0.6
    keyword: float = 0.2
    recency: float = 0.1
    frequency: float = 0.1


WEIGHTS = Signals()
_WEIGHTED = Form(Compared(keyword=WEIGHTS.keyword, semantic=WEIGHTS.semantic))
_NO_OTHERS = Common(*(0.0,) * len(Common._fields))


def frame_score(evidence: Evidence) -> list[Scored]:
    """The candidates, best first; of equals the newer, then the one written later.

    Totals are the sums, which are from 0 to 1, in units of `LEAST_SPREAD`: so they compare with those of the
    other recipes, which are standard deviations.
    """
    most = log1p(max((one.access_count for one in evidence.facts), default=0)) or 1.0
    scored = []
    for one in evidence.facts:
        keyword = min(evidence.keyword.get(one.key, 0.0), 1.0)
        semantic = max(evidence.semantic.get(one.key, keyword), 0.0)
        signals = Signals(semantic, keyword, recency(one, evidence.now), log1p(one.access_count) / most)
        total = sum(weight * value for weight, value in zip(WEIGHTS, signals, strict=True)) / LEAST_SPREAD
        compared = Compared(keyword=keyword, semantic=semantic, nearby=semantic)
        parts = Compared(keyword=keyword / LEAST_SPREAD, semantic=semantic / LEAST_SPREAD)
        named = signals._asdict()
        scored.append(Scored(one, total, _WEIGHTED, compared, Spoken(), _NO_OTHERS, parts, named))
    return sorted(scored, key=lambda one: (-one.total, -one.facts.recorded_at, -one.facts.key))


# -- what a recall makes of its candidates before any is told


class Considered(NamedTuple):
    """The scored candidates of a recall, the support for an answer, and notes on what could not be used."""

    scored: Sequence[Scored]
    support: Support
    degraded: tuple[str, ...] = ()
