"""The scorer: measures the signals of `weights` for each candidate and adds them up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.kinds import KINDS
from recortex.domain.search import Facts, Links
from recortex.engines.indexing.pieces import Wording
from recortex.engines.indexing.traits import Trait
from recortex.engines.retrieval.dates import agreement
from recortex.engines.retrieval.question import question
from recortex.engines.retrieval.weights import COMMON, Common, Compared, Form, Spoken, weights_of
from recortex.engines.similarity.standardisation import clamp, standardised

if TYPE_CHECKING:
    from recortex.engines.retrieval.question import Question

_SPOKEN = int(Trait.DIALOGUE | Trait.MESSAGE | Trait.REPLY)
_QUESTION, _MESSAGE, _TEST = int(Trait.QUESTION), int(Trait.MESSAGE), int(Trait.TEST)
"""As plain integers: operations on flags would cost a millisecond for each recall."""

_NEVER_EMBEDDED: frozenset[str] = frozenset(kind for kind, content in KINDS.items() if not content.embedded)
LEAST_SPREAD = 0.05
"""Cosines and keyword shares that differ by less count as about equal."""
_LEAST_SPREAD_OF_WORDS = 0.02
"""The same of cosines between words, which are means of several."""
_RECENCY_DAYS = 90.0
"""After this many days the signal `recency` is a half."""
_DAY = 86_400_000_000
_HIGHEST_PRIORITY = 10
_NO_LINKS = Links()


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


class Scored(NamedTuple):
    """A candidate with its total (in standard deviations) and the measured signals.

    Attributes:
        deviations: of the compared signals from the mean of the candidates.
        named: the signals, where a recipe has its own.
    """

    facts: Facts
    total: float
    weights: Form
    compared: Compared
    spoken: Spoken
    common: Common
    deviations: Compared
    named: Mapping[str, float] | None = None

    @property
    def adds(self) -> dict[str, float]:
        """By how much each signal raises the total; those that change nothing are left out."""
        form, parts = self.weights, dict[str, float]()
        for weights, values in (
            (form.compared, self.deviations),
            (form.spoken, self.spoken),
            (COMMON, self.common),
        ):
            parts |= dict(zip(weights._fields, map(mul, weights, values), strict=True))
        return {name: value for name, value in parts.items() if value}

    @property
    def signals(self) -> dict[str, float]:
        """The signals by name, each from 0 to 1; those that do not count for this form are left out.

        A cosine that was measured is never left out: whether a memory answers is told by it.
        """
        if self.named is not None:
            return dict(self.named)
        found = {"semantic": clamp(self.compared.semantic)} if self.compared.semantic else {}
        for weights, values in ((self.weights.compared, self.compared), (self.weights.spoken, self.spoken)):
            named = zip(values._fields, weights, values, strict=True)
            found |= {name: clamp(value) for name, weight, value in named if weight}
        return found | self.common._asdict()


def score(asked: Question, evidence: Evidence) -> list[Scored]:
    """The candidates, best first; of equals the more important, then the newer, then the one written later.

    Where a memory has no vector yet, its words count instead, as they do in a store without vectors. If the
    mean counted instead, and the spread were taken over all, a store in which half of the vectors are missing
    would find less than words alone do: 72.1 against 75.6 % of LoCoMo at 10 (bench/model_swap.py --curve).
    """
    words, vectors, pieces = bool(evidence.keyword), bool(evidence.semantic), bool(evidence.wording)
    forms: dict[int, Form] = {}  # cheaper than the cache of `weights_of`: this is asked for each candidate
    scored = []
    for one, compared, deviations in zip(evidence.facts, *_compared(evidence), strict=True):
        form = forms.get(one.traits)
        if form is None:
            form = forms[one.traits] = weights_of(one.traits, words=words, vectors=vectors, pieces=pieces)
        spoken, common = _spoken(asked, evidence, one), _common(asked, evidence, one)
        total = sum(map(mul, form.compared, deviations)) + sum(map(mul, COMMON, common))
        if spoken is not _NOTHING_SPOKEN:
            total += sum(map(mul, form.spoken, spoken))
        scored.append(Scored(one, total, form, compared, spoken, common, deviations))
    return sorted(
        scored,
        key=lambda one: (-one.total, -one.facts.priority, -one.facts.recorded_at, -one.facts.key),
    )


def _compared(evidence: Evidence) -> tuple[list[Compared], list[Compared]]:
    """The signals that compare candidates, in their order: as measured, and as deviations from the mean.

    Where a candidate lacks a vector or word pieces, other signals stand in for them.
    """
    facts = evidence.facts
    keyword, session = [evidence.keyword.get(one.key, 0.0) for one in facts], _session(evidence)
    before, after = _beside(evidence, -1), _beside(evidence, 1)
    semantic, nearby = [evidence.semantic.get(one.key) for one in facts], _nearby(evidence)
    by_words = standardised(keyword, LEAST_SPREAD)
    by_vectors = _deviations(
        semantic, [by if lacks_vector(one) else 0.0 for one, by in zip(facts, by_words, strict=True)]
    )
    nothing = [0.0] * len(facts)
    by_passages = _deviations(nearby, nothing)
    wording = [evidence.wording.get(one.key) for one in facts]
    words = [one and one.words for one in wording]
    weakest = [one and one.weakest for one in wording]
    passage = [one and one.passage for one in wording]
    length = [one and log(one.pieces) for one in wording]
    measured = (keyword, semantic, nearby, session, before, after, words, weakest, passage, length)
    deviations = (
        by_words,
        by_vectors,
        by_passages,
        standardised(session, LEAST_SPREAD),
        standardised(before, LEAST_SPREAD),
        standardised(after, LEAST_SPREAD),
        _deviations(words, by_vectors, _LEAST_SPREAD_OF_WORDS),
        _deviations(weakest, by_vectors, _LEAST_SPREAD_OF_WORDS),
        _deviations(passage, by_passages, _LEAST_SPREAD_OF_WORDS),
        _deviations(length, nothing),
    )
    known = ([value or 0.0 for value in values] for values in measured)
    return list(map(Compared, *known)), list(map(Compared, *deviations))


_NOTHING_SPOKEN = Spoken()


def _spoken(asked: Question, evidence: Evidence, one: Facts) -> Spoken:
    """The signals of a turn of speech; nothing for other texts."""
    if not one.traits & _SPOKEN:
        return _NOTHING_SPOKEN
    return Spoken(
        speaker=float(len(evidence.speakers) == 1 and one.speaker in evidence.speakers),
        date=agreement(asked.dates, one.valid_from) if asked.dates else 0.0,
        answer=float(bool(one.traits & int(asked.answer))),
        question=float(bool(one.traits & _QUESTION)),
        person=float(bool(one.traits & _MESSAGE)),
    )


def _common(asked: Question, evidence: Evidence, one: Facts) -> Common:
    """The signals of every memory, whatever its form."""
    linked = evidence.links.get(one.key, _NO_LINKS)
    return Common(
        proximity=_proximity(linked.files, evidence.files) if evidence.files and linked.files else 0.0,
        patterns=float(bool(linked.patterns) and not evidence.patterns.isdisjoint(linked.patterns)),
        recency=recency(one, evidence.now),
        confidence=evidence.confidence.get(one.key, one.confidence),
        importance=one.priority / _HIGHEST_PRIORITY,
        kind=float(one.kind in asked.kinds),
        test=float(bool(one.traits & _TEST) and not asked.about_tests),
    )


def recency(one: Facts, now: int) -> float:
    """1 for what was recorded or used just now, a half after `_RECENCY_DAYS`."""
    age = (now - (one.last_accessed_at or one.recorded_at)) / _DAY
    return 0.5 ** min(age / _RECENCY_DAYS, 60.0) if age > 0 else 1.0


def _proximity(paths: Sequence[str], asked: Sequence[str]) -> float:
    return max(closeness(path, file) for path in paths for file in asked)


def patterns_asked_for(asked: Question, links: Mapping[int, Links], files: Sequence[str]) -> frozenset[str]:
    """The patterns that a question names, and those of memories about one of these files."""
    words = frozenset(asked.words)
    # Every word of the pattern's id is in the question: `retry-with-backoff` by "retry with a backoff".
    ids = {id_ for one in links.values() for id_ in one.patterns}
    named = {id_ for id_ in ids if (parts := _words_of(id_)) and parts <= words}
    beside = {
        id_
        for one in links.values()
        if one.patterns and any(closeness(path, file) == 1.0 for path in one.files for file in files)
        for id_ in one.patterns
    }
    return frozenset(named | beside)


@lru_cache(1024)
def _words_of(pattern: str) -> frozenset[str]:
    found = [word for word in question(pattern).words if word.isalnum()]
    parts = [word for word in found if not any(len(one) > 1 and one != word and one in word for one in found)]
    return frozenset(parts)  # of `repositoryPattern` its two words, not the whole name


def closeness(path: str, named: str) -> float:
    """1 for the same file, or a name that ends the path; 0.5 for the same folder; else 0."""
    path, named = path.strip("/").lower(), named.strip("/").lower()
    if path == named or path.endswith("/" + named) or path.startswith(named + "/"):
        return 1.0
    folder = named.rpartition("/")[0]
    return 0.5 if folder and path.rpartition("/")[0].endswith(folder) else 0.0


def lacks_vector(one: Facts) -> bool:
    """Whether a memory lacks a vector that it should have, as while the embedding model is changed."""
    return one.vector is None and one.kind not in _NEVER_EMBEDDED


def _deviations(
    values: Sequence[float | None], stand_ins: Sequence[float], least_spread: float = LEAST_SPREAD
) -> list[float]:
    """The deviations of the known values from their mean; the stand-in for each unknown one."""
    spread = iter(standardised([value for value in values if value is not None], least_spread))
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
