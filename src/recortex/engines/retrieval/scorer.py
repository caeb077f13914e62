"""The scorer: A's eight factors over the signals that exist so far, and those of dialogue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recortex.engines.indexing.traits import Trait
from recortex.engines.retrieval.dates import agreement
from recortex.engines.retrieval.normalise import clamp, standardised
from recortex.engines.retrieval.weights import COMMON, weights_of
from recortex.ports.search import Facts, Links

if TYPE_CHECKING:
    from recortex.engines.retrieval.question import Question

_LEAST_SPREAD = 0.03
"""Cosines and keyword shares that differ by less are taken as about equal."""
_SESSION_TURNS = 3
_RECENCY_DAYS = 90.0
_DAY = 86_400_000_000
_HIGHEST_PRIORITY = 10


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known of the candidates for one question.

    Attributes:
        keyword: BM25 as a share of what the best conceivable text would get; candidates without a match are left out.
        semantic: cosine with the question.
        around: the neighbours of a turn, by key.
        speakers: those whom the question names, as stored.
        now: microseconds since 1970 UTC.
        links: files and patterns, where the question or the caller names some.
        files: paths that the question or the caller names.
        patterns: ids of patterns that matter now.
    """

    facts: Sequence[Facts]
    keyword: Mapping[int, float]
    semantic: Mapping[int, float]
    now: int
    around: Mapping[int, Sequence[int]] = field(default_factory=dict)
    speakers: frozenset[str] = frozenset()
    links: Mapping[int, Links] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    patterns: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its total (standard deviations, any number) and the parts of it (0 to 1)."""

    facts: Facts
    total: float
    signals: dict[str, float]


def score(asked: Question, evidence: Evidence) -> list[Scored]:
    """The candidates, best first; of equals the more important, then the newer, then the one written later."""
    parts = {
        "keyword": [evidence.keyword.get(one.key, 0.0) for one in evidence.facts],
        "semantic": _with_mean(evidence.facts, evidence.semantic),
        "nearby": _nearby(evidence),
        "session": _session(evidence),
    }
    spread = {name: standardised(values, _LEAST_SPREAD) for name, values in parts.items()}
    scored = [
        _scored(asked, evidence, one, {name: (parts[name][n], spread[name][n]) for name in parts})
        for n, one in enumerate(evidence.facts)
    ]
    return sorted(scored, key=_order)


def _order(one: Scored) -> tuple[float, int, int, int]:
    return -one.total, -one.facts.priority, -one.facts.recorded_at, -one.facts.key


def _scored(
    asked: Question, evidence: Evidence, one: Facts, measured: Mapping[str, tuple[float, float]]
) -> Scored:
    weights = weights_of(one.traits).having(words=bool(evidence.keyword), vectors=bool(evidence.semantic))
    seen = _seen(asked, evidence, one)
    common = _common(asked, evidence, one)
    total = sum(getattr(weights, name) * deviation for name, (_, deviation) in measured.items())
    total += sum(getattr(weights, name) * value for name, value in seen.items())
    total += sum(getattr(COMMON, name) * value for name, value in common.items())
    signals = {name: clamp(value) for name, (value, _) in measured.items() if getattr(weights, name)}
    return Scored(one, total, signals | {name: value for name, value in seen.items() if value} | common)


def _seen(asked: Question, evidence: Evidence, one: Facts) -> dict[str, float]:
    """What the question asks for and the text has."""
    if not one.traits & (Trait.DIALOGUE | Trait.MESSAGE | Trait.REPLY):
        return {}
    return {
        "speaker": float(len(evidence.speakers) == 1 and one.speaker in evidence.speakers),
        "date": agreement(asked.dates, one.valid_from) if asked.dates else 0.0,
        "answer": float(bool(one.traits & asked.asked)),
        "question": float(bool(one.traits & Trait.QUESTION)),
        "person": float(bool(one.traits & Trait.MESSAGE)),
    }


def _common(asked: Question, evidence: Evidence, one: Facts) -> dict[str, float]:
    used = max(one.recorded_at, one.last_accessed_at or 0)
    age = max(0.0, (evidence.now - used) / _DAY)
    linked = evidence.links.get(one.key)
    return {
        "proximity": max(
            (closeness(path, file) for path in linked.files for file in evidence.files), default=0.0
        )
        if linked
        else 0.0,
        "patterns": float(bool(linked and evidence.patterns.intersection(linked.patterns))),
        "recency": 0.5 ** min(age / _RECENCY_DAYS, 60.0),
        "confidence": one.confidence,
        "importance": one.priority / _HIGHEST_PRIORITY,
        "kind": float(one.kind in asked.kinds),
        "test": float(bool(one.traits & Trait.TEST) and not asked.about_tests),
    }


def closeness(path: str, named: str) -> float:
    """1 for the same file, or a name that is the end of the path; 0.5 for a file in the same folder; else 0."""
    path, named = path.strip("/").lower(), named.strip("/").lower()
    if path == named or path.endswith("/" + named) or path.startswith(named + "/"):
        return 1.0
    folder = named.rpartition("/")[0]
    return 0.5 if folder and path.rpartition("/")[0].endswith(folder) else 0.0


def _with_mean(facts: Sequence[Facts], values: Mapping[int, float]) -> list[float]:
    """The value of each; the mean where there is none, so that a memory without a vector is neither helped nor hurt."""
    known = [values[one.key] for one in facts if one.key in values]
    mean = sum(known) / len(known) if known else 0.0
    return [values.get(one.key, mean) for one in facts]


def _nearby(evidence: Evidence) -> list[float]:
    """The mean cosine of a turn and those around it."""

    def mean(key: int) -> float:
        keys = (key, *evidence.around.get(key, ()))
        known = [evidence.semantic[near] for near in keys if near in evidence.semantic]
        return sum(known) / len(known) if known else 0.0

    return [mean(one.key) if evidence.semantic else 0.0 for one in evidence.facts]


def _session(evidence: Evidence) -> list[float]:
    """The mean keyword score of the best turns of a candidate's session."""
    by_session: defaultdict[str, list[float]] = defaultdict(list)
    for one in evidence.facts:
        if one.session:
            by_session[one.session].append(evidence.keyword.get(one.key, 0.0))
    best = {
        session: sum(sorted(values, reverse=True)[:_SESSION_TURNS]) / min(len(values), _SESSION_TURNS)
        for session, values in by_session.items()
    }
    return [best.get(one.session, 0.0) for one in evidence.facts]
