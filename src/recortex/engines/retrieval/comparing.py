"""What is known of candidates; the signals that compare them, and how far each is from their mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import TYPE_CHECKING, Any, TypeAlias

from recortex.domain.kinds import KINDS
from recortex.domain.search import Facts, Links
from recortex.engines.indexing.pieces import Wording
from recortex.engines.similarity.standardisation import standardised

if TYPE_CHECKING:
    Columns: TypeAlias = Sequence[Sequence[float]]

_NEVER_EMBEDDED: frozenset[str] = frozenset(kind for kind, content in KINDS.items() if not content.embedded)
LEAST_SPREAD = 0.05
"""Cosines and keyword shares that differ by less count as about equal."""
_LEAST_SPREAD_OF_WORDS = 0.02
"""The same of cosines between words, which are means of several."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything known about the candidates for one question.

    Attributes:
        keyword: BM25 as a share of the highest that a text could get; candidates without a match are left
            out.
        semantic: cosine with the question.
        wording: how near the words of a text are to the question's, one by one.
        around: the neighbours of a turn, by key.
        speakers: people whom the question names, as stored.
        now: microseconds since 1970 UTC.
        links: files and patterns of candidates that have some.
        files: paths that the question or the caller names.
        confidence: as decayed until now; candidates that are left out count with the stored one.
        patterns: ids of patterns that the question is about (`patterns_asked_for`).
    """

    facts: Sequence[Facts]
    keyword: Mapping[int, float]
    semantic: Mapping[int, float]
    now: int
    wording: Mapping[int, Wording] = field(default_factory=dict)
    around: Mapping[int, Sequence[int]] = field(default_factory=dict)
    speakers: frozenset[str] = frozenset()
    links: Mapping[int, Links] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    confidence: Mapping[int, float] = field(default_factory=dict)
    patterns: frozenset[str] = frozenset()


def compared(evidence: Evidence, columns: Any) -> tuple[Columns, Columns]:
    """The signals that compare candidates, by column: as measured, and as deviations from the mean.

    Args:
        evidence: what is known of the candidates.
        columns: their `Facts`, by column.

    Where a candidate lacks a vector or word pieces, other signals stand in for them.
    """
    facts, nothing = evidence.facts, [0.0] * len(evidence.facts)
    keyword = [evidence.keyword.get(key, 0.0) for key in columns.key]
    session, before, after = nothing, nothing, nothing
    if any(columns.session):
        session, before, after = _session(evidence), _beside(evidence, -1), _beside(evidence, 1)
    semantic, nearby = list(map(evidence.semantic.get, columns.key)), _nearby(evidence)
    by_words = _spread(keyword)
    by_vectors = _deviations(
        semantic, [by if lacks_vector(one) else 0.0 for one, by in zip(facts, by_words, strict=True)]
    )
    by_passages = _deviations(nearby, nothing)
    told = (keyword, [one or 0.0 for one in semantic], [one or 0.0 for one in nearby], session, before, after)
    told_apart = (by_words, by_vectors, by_passages, *map(_spread, (session, before, after)))
    if not evidence.wording:
        return (*told, *4 * [nothing]), (*told_apart, by_vectors, by_vectors, by_passages, nothing)
    wording = list(map(evidence.wording.get, columns.key))
    by_wording = (
        ([one and one.words for one in wording], by_vectors),
        ([one and one.weakest for one in wording], by_vectors),
        ([one and one.passage for one in wording], by_passages),
    )
    length = [one and log(one.pieces) for one in wording]
    measured = ([one or 0.0 for one in values] for values in (*(one for one, _ in by_wording), length))
    deviations = (_deviations(*one, _LEAST_SPREAD_OF_WORDS) for one in by_wording)
    return (*told, *measured), (*told_apart, *deviations, _deviations(length, nothing))


def _spread(values: list[float]) -> list[float]:
    """The deviations of values that are mostly all zero."""
    return standardised(values, LEAST_SPREAD) if any(values) else values


def lacks_vector(one: Facts) -> bool:
    """Whether a memory lacks a vector that it should have, as while the embedding model is changed."""
    return one.vector is None and one.kind not in _NEVER_EMBEDDED


def _deviations(
    values: Sequence[float | None], stand_ins: Sequence[float], least_spread: float = LEAST_SPREAD
) -> list[float]:
    """The deviations of the known values from their mean; the stand-in for each unknown one."""
    known = [value for value in values if value is not None]
    if len(known) == len(values):
        return standardised(known, least_spread)
    spread = iter(standardised(known, least_spread))
    return [other if value is None else next(spread) for value, other in zip(values, stand_ins, strict=True)]


def _nearby(evidence: Evidence) -> list[float | None]:
    """The mean cosine of a turn and those around it; None where none of them has a vector."""
    if not evidence.around:
        return [evidence.semantic.get(one.key) for one in evidence.facts]

    def mean(key: int) -> float | None:
        keys = (key, *evidence.around.get(key, ()))
        known = [evidence.semantic[near] for near in keys if near in evidence.semantic]
        return sum(known) / len(known) if known else None

    return [mean(one.key) for one in evidence.facts]


def _session(evidence: Evidence) -> list[float]:
    """The best keyword score of a candidate's session."""
    best: defaultdict[str, float] = defaultdict(float)
    for one in evidence.facts:
        if one.session:
            best[one.session] = max(best[one.session], evidence.keyword.get(one.key, 0.0))
    return [best[one.session] if one.session else 0.0 for one in evidence.facts]


def _beside(evidence: Evidence, step: int) -> list[float]:
    """The keyword score of the turn so many turns after each candidate's; 0 where words did not find it."""
    found = {
        (one.session, one.turn): evidence.keyword.get(one.key, 0.0)
        for one in evidence.facts
        if one.session and one.turn is not None
    }
    turns = (None if one.turn is None else one.turn + step for one in evidence.facts)
    return [
        found.get((one.session, turn), 0.0) if turn is not None else 0.0
        for one, turn in zip(evidence.facts, turns, strict=True)
    ]
