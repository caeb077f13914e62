"""Ranks places of sessions for a question: standardised BM25 and two cosines, added up.

A place is an exchange with the stretches of work within it. It ranks by the best of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from math import log
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.exchange import ExchangeFacts, word_of_file
from recortex.domain.search import BM25_MOST_GAIN
from recortex.engines.exchanges.passages import sentences
from recortex.engines.indexing.vectors import cosine
from recortex.engines.languages import question_words
from recortex.engines.patterns import Patterns
from recortex.engines.regression import Regression
from recortex.engines.similarity.jaccard import standardised
from recortex.engines.words import compound_parts, grams, path_words

if TYPE_CHECKING:
    from recortex.domain.exchange import Exchange, ExchangeHit


_LEAST_SPREAD = 0.02
"""Values that differ by less count as about equal."""
_STRETCHES = 3
"""The parts of a place that are read for its passage: the best ones (bench/exchanges.py)."""


class Weights(NamedTuple):
    """What each signal counts, in standard deviations (bench/exchanges.py)."""

    keyword: float = 2.0
    answered: float = 1.5
    outcome: float = 1.5


WEIGHTS = Weights()
WEAKNESS = Regression(-4.5, {"coverage": 4.6, "likeness": 3.2})
WORDS_ALONE = Regression(-3.3, {"coverage": 5.3})
"""Over questions that were and were not answered (bench/exchanges.py)."""
WEAK = 0.2
"""An answer whose probability is lower is marked as weak: of five answers at most one is right, so that
probabilities are low. Then 90 % of what nothing answers has weak answers only, or none
(bench/session_questions.py; bench/RESULTS.md has the trade-off)."""


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
        # That a candidate answers.
        coverage, likeness = evidence_of_answer(evidence, best)
        model = WEAKNESS if evidence.answered or evidence.outcome else WORDS_ALONE
        yield Place(
            session,
            turn,
            totals[best],
            model.probability({"coverage": coverage, "likeness": likeness}),
            parts,
        )


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


# -- of answers that speak of the same thing, the latest comes first and the others name it


SAME = 0.75
"""Exchanges whose messages, with what they answer, or whose outcomes have a higher cosine speak of the same
thing: of reversals across sessions 6 %, of random pairs 1 % (bench/RESULTS.md)."""
TURNED = 0.55
"""The same, where the message of the later one says that something is otherwise from now on."""
_UNKNOWN = datetime.min.replace(tzinfo=UTC)


def latest_first(hits: Sequence[ExchangeHit], same: Callable[[int, int], bool]) -> list[ExchangeHit]:
    """The hits, those of one matter together at the place of the first of them.

    Args:
        hits: best first.
        same: whether the hits at two places speak of the same thing; the later one is given second.
    """
    newest: dict[int, int] = {}
    for place, hit in enumerate(hits):
        later = [
            other
            for other, one in enumerate(hits)
            if hit.said_at and one.said_at and one.said_at > hit.said_at and same(place, other)
        ]
        if later:
            newest[place] = max(later, key=lambda other: hits[other].said_at or _UNKNOWN)
    first = {
        place: min([place, *(old for old, new in newest.items() if new == place)])
        for place in range(len(hits))
    }
    order = sorted(first, key=lambda place: (first[place], place in newest, place))
    told = [
        replace(hit, later=hits[newest[place]].id if place in newest else "")
        for place, hit in enumerate(hits)
    ]
    return [told[place] for place in order]


def same_matter(one: ExchangeFacts, other: ExchangeFacts, least: float = SAME) -> bool:
    """Whether two exchanges speak of the same thing, by their vectors."""
    pairs = ((one.answered, other.answered), (one.outcome, other.outcome))
    return any(left and right and cosine(left, right) >= least for left, right in pairs)


# -- whether an exchange decided something about the files that were changed in it, by the form of its


PATTERNS = Patterns(__file__, "deciding")
_ARROW = " → "  # between an answer and the option that it chose, as `building` writes it
_ANSWER, _OPTION = 40, 240
_LONGEST_MESSAGE, _SHORTEST, _LONGEST = 700, 20, 240
"""Characters: longer messages are mostly pasted reviews and reports."""
_FEWEST_WORDS = 4
_MOST_FILES = 12
"""What was said about more files at once says little about one of them."""


def decision(exchange: Exchange) -> str:
    """What the person decided, as a sentence of theirs; empty for nearly every exchange.

    An order that holds for longer, one thing and not another, a "no" with what instead, or a chosen option.
    """
    said = exchange.message
    if exchange.opener != "person" or exchange.part or not 0 < len(exchange.files) <= _MOST_FILES:
        return ""
    answer, arrow, option = said.rpartition(_ARROW)
    if arrow and len(answer) <= _ANSWER:
        return said if _SHORTEST <= len(option) <= _OPTION and not option.endswith("?") else ""
    if len(said) > _LONGEST_MESSAGE or "[pasted " in said or said.startswith(">"):
        return ""
    return next(filter(_decides, sentences(said)), "")


def _decides(sentence: str) -> bool:
    if not _SHORTEST <= len(sentence) <= _LONGEST or len(sentence.split()) < _FEWEST_WORDS:
        return False
    forms = (PATTERNS.rule, PATTERNS.choice, PATTERNS.objection)
    return not PATTERNS.vague.search(sentence) and any(form.search(sentence) for form in forms)


# -- the words that exchanges are found by, beside those of their texts, and the words of a question


_MOST = 4_000
"""Characters of terms, so that a text of identifiers does not fill the index twice; without those of CJK
text, which is found by nothing else."""
_READ = 2_000
"""Characters of a question that are read."""
MOST_WORDS = 48
"""Words of a question that are looked up."""


def terms(exchange: Exchange, decided: Sequence[str] = ()) -> str:
    """Parts of identifiers, pairs of Chinese and Japanese characters, and the names of files.

    Args:
        exchange: what is found by them.
        decided: the files that it decided something about, as memories name them.
    """
    said = f"{exchange.message}\n{exchange.asked}\n{exchange.outcome}"
    found = [*map(word_of_file, decided), *compound_parts(said)]
    found += (word for file in exchange.files for word in path_words(file))
    plain = " ".join(dict.fromkeys(found))[:_MOST]
    return " ".join([plain, *dict.fromkeys(grams(said))]).strip()


def asked_words(question: str) -> list[str]:
    """The different words of a question that are not function words, with parts of identifiers."""
    return question_words(question.replace("\0", " ")[:_READ])[:MOST_WORDS]
