"""The scorer: the signals of each candidate, weighed and added up, and whether the store can answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count, repeat, takewhile
from math import exp, log, log1p
from operator import add, is_, mul
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from recortex.domain.kinds import KINDS
from recortex.domain.search import Facts, Links
from recortex.engines.indexing import Trait, Wording
from recortex.engines.retrieval.question import agreement as period_agreement
from recortex.engines.retrieval.question import date_agreement, question
from recortex.engines.retrieval.weights import COMMON, Common, Compared, Form, Spoken, weights_of
from recortex.engines.tables import clamp, logistic, standardised
from recortex.lean import NamedTuple, Value, field

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.engines.retrieval.question import NamedDate, Period, Question

    Columns: TypeAlias = Sequence[Sequence[float]]


# -- what is known of candidates; the signals that compare them, and how far each is from their mean


_NEVER_EMBEDDED: frozenset[str] = frozenset(kind for kind, content in KINDS.items() if not content.embedded)
LEAST_SPREAD = 0.05
"""Cosines and keyword shares that differ by less count as about equal."""
_LEAST_SPREAD_OF_WORDS = 0.02
"""The same of cosines between words, which are means of several."""


class Evidence(Value, frozen=True):
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
    semantic, by_words = list(map(evidence.semantic.get, columns.key)), _spread(keyword)
    stand_ins = nothing
    if None in semantic:
        stand_ins = [by if lacks_vector(one) else 0.0 for one, by in zip(facts, by_words, strict=True)]
    by_vectors = _deviations(semantic, stand_ins)
    nearby, by_passages = semantic, by_vectors
    if evidence.around or None in semantic:
        nearby = _nearby(evidence)
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
    # `count` never ends, so that the columns cannot be zipped strictly.
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
    # The same objects for the same form, since `weights_of` is cached.
    if forms and all(map(is_, forms, forms[1:])):  # as mostly
        totals = _weighted(forms[0].compared, deviations)
    else:
        totals, places = [0.0] * len(forms), defaultdict[int, list[int]](list)
        for place, form in enumerate(forms):
            places[id(form)].append(place)
        for among in places.values():
            own = [[column[place] for place in among] for column in deviations]
            for place, value in zip(among, _weighted(forms[among[0]].compared, own), strict=True):
                totals[place] = value
    totals = list(map(add, totals, _weighted(COMMON, common)))
    for place, said in enumerate(spoken):
        if said is not _NOTHING_SPOKEN:
            totals[place] += sum(map(mul, forms[place].spoken, said))
    return totals


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
        date=date_agreement(asked.dates, one.valid_from) if asked.dates else 0.0,
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
        "recency": list(map(recency, facts, repeat(evidence.now))),
        "confidence": list(map(decayed.get, columns.key, columns.confidence)),
        "importance": [one / _HIGHEST_PRIORITY for one in columns.priority],
        "kind": [float(one in asked.kinds) for one in columns.kind] if asked.kinds else nothing,
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


# -- the times that a question names


LIFT = 2.5
"""What it adds to a candidate that its time agrees, in standard deviations: as much as a date that is named
adds to a turn of dialogue (bench/RESULTS.md has what it is worth)."""
_TIMELESS = int(Trait.CODE | Trait.OUTLINE | Trait.DOCUMENT)
"""Forms of text that a time says nothing of."""


def lifted(scored: Sequence[Scored], times: Sequence[Period], dates: Sequence[NamedDate]) -> list[Scored]:
    """The candidates in their order with these times: what was true then counts more."""
    relative, named = [one for one in times if not one.dated], tuple(dates)
    found = []
    for one in scored:
        at = one.facts.valid_from
        if one.weights.spoken.date:
            found.append(_lifted(one, period_agreement(relative, at)))
        elif not one.facts.traits & _TIMELESS:
            found.append(_lifted(one, max(period_agreement(times, at), date_agreement(named, at))))
        else:
            found.append(one)
    return sorted(found, key=lambda one: -one.total)  # equals stay as they were


def _lifted(one: Scored, agrees: float) -> Scored:
    weight = one.weights.spoken.date
    added = agrees - one.spoken.date * bool(weight)
    if added <= 0:
        return one
    return one._replace(
        total=one.total + (weight or LIFT) * added,
        weights=one.weights._replace(spoken=one.weights.spoken._replace(date=weight or LIFT)),
        spoken=one.spoken._replace(date=agrees),
    )


# -- decides whether a store can answer a question: a wrong memory does more harm than none


FLOOR = 0.5
"""With less support than this (0 to 1), recall returns nothing."""
LEAST_LIKENESS = 0.25
"""The least cosine, alone or as the mean with the turns around it, of a hit that shares no word with the
question."""


class Support(Value, frozen=True):
    """What speaks for and against an answer; each from 0 to 1.

    Attributes:
        coverage: how much of the question the best match has, by the rarity of its words (BM25 as a share of
            the highest possible); None where words were not searched.
        unknown: the share of the question, by rarity, that no memory mentions.
        unknown_names: the share of the names in the question that no memory mentions.
        likeness: the best cosine; None where no vectors were compared.
        outline: whether the best hit is a list of names, or longer than the model reads: questions about such
            a text share few words with it.
        across: whether likeness alone decides, as between a question and a text in two languages.
    """

    coverage: float | None
    unknown: float
    unknown_names: float
    likeness: float | None = None
    outline: bool = False
    across: bool = False


_COVERAGE, _LIKENESS, _UNKNOWN, _UNKNOWN_NAMES, _OUTLINE = 5.0, 6.0, -4.0, -2.5, 2.0
_COVERAGE_ALONE, _KEYWORD_BIAS = 8.0, 1.5
_LIKENESS_ALONE, _SEMANTIC_BIAS = 9.0, 0.0
"""Weights of a logistic regression over questions that can and cannot be answered, rounded
(bench/retrieval.py --floor-curve: LoCoMo across conversations, the developer notes, and commits)."""
_ACROSS, _ALIKE = 20.0, 0.26
"""Between two languages: the cosine that is as likely to be an answer's as not. Of questions that nothing
answers 95 % are less like everything, in the same language too (bench/languages.json, open half)."""
STRANGE = 0.95
"""The share of a question that no memory mentions from which on it may be in another language: with 0.5,
8 points more of such questions are answered, and half of the developer notes' that nothing answers
(bench/retrieval.py --dataset across --dataset notes)."""


def answerable(support: Support) -> float:
    """The probability that the store has an answer: 0 to 1."""
    return logistic(sum(evidence(support).values()))


def evidence(support: Support) -> dict[str, float]:
    """What speaks for an answer, or against it, in logits."""
    if support.across:
        return {"likeness": _ACROSS * ((support.likeness or 0.0) - _ALIKE)}
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
        # From the probability of the best one down to FLOOR at the reach of the form, by a constant factor
        # for each step: so one limit serves all forms.
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
