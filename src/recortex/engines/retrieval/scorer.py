"""The scorer: measures the signals of `weights` for each candidate and adds them up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from math import log
from operator import add, mul
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

from recortex.domain.kinds import KINDS
from recortex.domain.search import Facts, Links
from recortex.engines.indexing.pieces import Trait, Wording
from recortex.engines.retrieval.question import agreement, question
from recortex.engines.retrieval.weights import COMMON, Common, Compared, Form, Spoken, weights_of
from recortex.engines.similarity.jaccard import clamp, standardised

if TYPE_CHECKING:
    from recortex.engines.retrieval.question import Question

    Columns: TypeAlias = Sequence[Sequence[float]]


# -- what is known of candidates; the signals that compare them, and how far each is from their mean


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


# -- the scorer: measures the signals of `weights` for each candidate and adds them up


_SPOKEN = int(Trait.DIALOGUE | Trait.MESSAGE | Trait.REPLY)
_QUESTION, _MESSAGE, _TEST = int(Trait.QUESTION), int(Trait.MESSAGE), int(Trait.TEST)
"""As plain integers: operations on flags would cost a millisecond for each recall."""

_RECENCY_DAYS = 90.0
"""After this many days the signal `recency` is a half."""
_DAY = 86_400_000_000
_HIGHEST_PRIORITY = 10
_NO_LINKS = Links()


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


class Ranking(Sequence[Scored]):
    """Candidates, best first; each is put together when it is looked at, since few of hundreds are.

    Args:
        order: places of the candidates, best first.
        facts, totals, forms, spoken: of each candidate.
        measured, common, deviations: the signals, by column.
    """

    def __init__(
        self,
        order: Sequence[int],
        facts: Sequence[Facts],
        totals: Sequence[float],
        forms: Sequence[Form],
        spoken: Sequence[Spoken],
        *,
        measured: Columns,
        common: Columns,
        deviations: Columns,
    ) -> None:
        self._order, self._rows = order, (facts, totals, forms, spoken)
        self._columns = measured, common, deviations

    @property
    def facts(self) -> Sequence[Facts]:
        """Of the candidates, in no order."""
        return self._rows[0]

    def __len__(self) -> int:
        """How many candidates there are."""
        return len(self._order)

    @overload
    def __getitem__(self, place: int) -> Scored: ...
    @overload
    def __getitem__(self, place: slice) -> list[Scored]: ...
    def __getitem__(self, place: int | slice) -> Scored | list[Scored]:
        """The candidate at a place, or those of several."""
        if isinstance(place, slice):
            return list(map(self._scored, self._order[place]))
        return self._scored(self._order[place])

    def _scored(self, at: int) -> Scored:
        facts, totals, forms, spoken = self._rows
        measured, common, deviations = ([column[at] for column in columns] for columns in self._columns)
        return Scored(
            facts[at],
            totals[at],
            forms[at],
            Compared(*measured),
            spoken[at],
            Common(*common),
            Compared(*deviations),
        )


def score(asked: Question, evidence: Evidence) -> Ranking:
    """The candidates, best first; of equals the more important, then the newer, then the one written later.

    Where a memory has no vector yet, its words count instead, as they do in a store without vectors. If the
    mean counted instead, and the spread were taken over all, a store in which half of the vectors are missing
    would find less than words alone do: 72.1 against 75.6 % of LoCoMo at 10 (bench/model_swap.py --curve).
    """
    facts = evidence.facts
    columns = _by_column(facts)
    measured, deviations = compared(evidence, columns)
    common = _common(asked, evidence, columns)
    spoken = [_spoken(asked, evidence, one) if one.traits & _SPOKEN else _NOTHING_SPOKEN for one in facts]
    forms = _forms(evidence, columns.traits)
    totals = _totals(forms, deviations, common, spoken)
    sort = zip(totals, columns.priority, columns.recorded_at, columns.key, count(), strict=False)
    order = [one[-1] for one in sorted(sort, reverse=True)]
    return Ranking(
        order, facts, totals, forms, spoken, measured=measured, common=common, deviations=deviations
    )


def _by_column(facts: Sequence[Facts]) -> Any:
    """Candidates by column, under the names of `Facts`."""
    return Facts._make(zip(*facts, strict=True) if facts else [()] * len(Facts._fields))


def _forms(evidence: Evidence, traits: Sequence[int]) -> list[Form]:
    """The weights of each candidate."""
    words, vectors, pieces = bool(evidence.keyword), bool(evidence.semantic), bool(evidence.wording)
    forms = {one: weights_of(one, words=words, vectors=vectors, pieces=pieces) for one in set(traits)}
    return [forms[one] for one in traits]


def _totals(
    forms: Sequence[Form], deviations: Columns, common: Columns, spoken: Sequence[Spoken]
) -> list[float]:
    """The sum of each candidate's signals by their weights, computed by column for each form."""
    totals, places = [0.0] * len(forms), defaultdict[int, list[int]](list)
    for place, form in enumerate(forms):
        places[id(form)].append(place)
    for among in places.values():
        whole = len(among) == len(forms)
        own = deviations if whole else [_at(among, column) for column in deviations]
        for place, value in zip(among, _weighted(forms[among[0]].compared, own), strict=True):
            totals[place] = value
    totals = list(map(add, totals, _weighted(COMMON, common)))
    for place, said in enumerate(spoken):
        if said is not _NOTHING_SPOKEN:
            totals[place] += sum(map(mul, forms[place].spoken, said))
    return totals


def _at(places: Sequence[int], column: Sequence[float]) -> Sequence[float]:
    return [column[place] for place in places]


def _weighted(weights: Sequence[float], columns: Columns) -> list[float]:
    """The weighted sum of columns."""
    total = [0.0] * len(columns[0])
    for weight, column in zip(weights, columns, strict=True):
        if weight and any(column):
            total = [before + weight * value for before, value in zip(total, column, strict=True)]
    return total


_NOTHING_SPOKEN = Spoken()


def _spoken(asked: Question, evidence: Evidence, one: Facts) -> Spoken:
    """The signals of a turn of speech."""
    return Spoken(
        speaker=float(len(evidence.speakers) == 1 and one.speaker in evidence.speakers),
        date=agreement(asked.dates, one.valid_from) if asked.dates else 0.0,
        answer=float(bool(one.traits & int(asked.answer))),
        question=float(bool(one.traits & _QUESTION)),
        person=float(bool(one.traits & _MESSAGE)),
    )


def _common(asked: Question, evidence: Evidence, columns: Any) -> Columns:
    """The signals of every memory, whatever its form, by column."""
    facts, files, patterns = evidence.facts, evidence.files, evidence.patterns
    linked = [evidence.links.get(key, _NO_LINKS) for key in columns.key] if evidence.links else ()
    nothing, decayed = [0.0] * len(facts), evidence.confidence
    near = (
        [
            max(closeness(path, file) for path in one.files for file in files) if one.files else 0.0
            for one in linked
        ]
        if files
        else ()
    )
    alike = [float(not patterns.isdisjoint(one.patterns)) for one in linked] if patterns else ()
    signals = {
        "proximity": near or nothing,
        "patterns": alike or nothing,
        "recency": [recency(one, evidence.now) for one in facts],
        "confidence": [decayed.get(one.key, one.confidence) for one in facts],
        "importance": [one / _HIGHEST_PRIORITY for one in columns.priority],
        "kind": [float(one in asked.kinds) for one in columns.kind],
        "test": nothing if asked.about_tests else [float(bool(one & _TEST)) for one in columns.traits],
    }
    return [signals[name] for name in Common._fields]


def recency(one: Facts, now: int) -> float:
    """1 for what was recorded or used just now, a half after `_RECENCY_DAYS`."""
    age = (now - (one.last_accessed_at or one.recorded_at)) / _DAY
    return 0.5 ** min(age / _RECENCY_DAYS, 60.0) if age > 0 else 1.0


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


@lru_cache(4_096)
def closeness(path: str, named: str) -> float:
    """1 for the same file, or a name that ends the path; 0.5 for the same folder; else 0."""
    path, named = path.strip("/").lower(), named.strip("/").lower()
    if path == named or path.endswith("/" + named) or path.startswith(named + "/"):
        return 1.0
    folder = named.rpartition("/")[0]
    return 0.5 if folder and path.rpartition("/")[0].endswith(folder) else 0.0
