"""Answers questions from what was said in sessions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import islice
from math import log
from typing import TYPE_CHECKING, TypeAlias

from recortex.domain.exchange import (
    MOST_ASKED,
    MOST_CONCLUSION,
    MOST_MESSAGE,
    MOST_WORK,
    TEAM,
    ExchangeFacts,
    ExchangeHit,
)
from recortex.domain.search import BM25_MOST_GAIN
from recortex.domain.text import clean, strip_injected, word_of_file
from recortex.engines.exchanges import ending, passage, sentences, shortened
from recortex.engines.indexing import cosines
from recortex.engines.privacy import redact
from recortex.engines.tables import Patterns, Regression, standardised
from recortex.lean import NamedTuple, blake2b, replace
from recortex.text.words import (
    ANY_ENDING,
    borders,
    compound_parts,
    grams,
    looked_up,
    path_words,
    question_words,
    stem,
)

if TYPE_CHECKING:
    from recortex.domain.exchange import Exchange, ExchangeQuery
    from recortex.engines.indexing import QuestionVector, Row
    from recortex.ports.search import ExchangeSearch


# -- ranks places of sessions for a question: standardised BM25 and two cosines, added up


_LEAST_SPREAD = 0.02
"""Values that differ by less count as about equal."""
_STRETCHES = 3
"""The parts of a place that are read for its passage: the best ones (bench/exchanges.py)."""


class Weights(NamedTuple):
    """What each signal counts, in standard deviations (bench/exchanges.py).

    Attributes:
        keyword: BM25.
        answered, outcome: likeness of the message with what it answers, and of what came of it.
        beside: the best likeness of another place of its session.
        person: a person said it.
    """

    keyword: float = 2.0
    answered: float = 1.5
    outcome: float = 1.5
    beside: float = 0.3
    person: float = 0.5


WEIGHTS = Weights()
FEW_WORDS, MEANING = 0.3, 1.5
"""Where no candidate has more than this share of the highest BM25, the question is put in other words: then
likeness counts so many times as much."""
WEAKNESS = Regression(-4.5, {"coverage": 4.6, "likeness": 3.2})
WORDS_ALONE = Regression(-3.3, {"coverage": 5.3})
"""Over questions that were and were not answered (bench/exchanges.py)."""
WEAK = 0.2
"""An answer whose probability is lower is marked as weak: of five answers at most one is right, so that
probabilities are low. Then 90 % of what nothing answers has weak answers only, or none
(bench/session_questions.py; bench/RESULTS.md has the trade-off)."""
_LEAST_ODDS = 1e-9
_SHOWN = Regression(0.53, {"answers": 0.82, "place": -1.56})
"""That the words shown of an exchange answer, by the log-odds that it does, where that is less likely than
not, and the logarithm of its place: the first is shown nearly whole (bench/exchanges.py)."""


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

    def likeness(self, key: int) -> float:
        """The better of a candidate's two cosines; 0 where it has none."""
        return max(self.answered.get(key, 0.0), self.outcome.get(key, 0.0))

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
        # The probability that the best of them answers.
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
    facts, keys = evidence.facts, [one.key for one in evidence.facts]
    if max(evidence.keyword.values(), default=0.0) < FEW_WORDS * evidence.highest:
        weights = weights._replace(answered=weights.answered * MEANING, outcome=weights.outcome * MEANING)
    compared = (evidence.keyword, evidence.answered, evidence.outcome)
    signals = [[known.get(key, 0.0) for key in keys] for known in compared]
    signals += [_beside(evidence), [float(one.opener == "person") for one in facts]]
    totals = [0.0] * len(keys)
    for weight, values in zip(weights, signals, strict=True):
        if weight and any(values):
            deviations = standardised(values, _LEAST_SPREAD)
            totals = [total + weight * one for total, one in zip(totals, deviations, strict=True)]
    return dict(zip(keys, totals, strict=True))


def _beside(evidence: Evidence) -> list[float]:
    """The best likeness of another place of each candidate's session."""
    best: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for one in evidence.facts:
        places, likeness = best[one.session], evidence.likeness(one.key)
        places[one.root_turn] = max(places.get(one.root_turn, 0.0), likeness)
    # The two best places of a session suffice: the second is the best beside the first.
    highest = {
        session: sorted(places.items(), key=lambda entry: -entry[1])[:2] for session, places in best.items()
    }
    return [
        next((likeness for turn, likeness in highest[one.session] if turn != one.root_turn), 0.0)
        for one in evidence.facts
    ]


def evidence_of_answer(evidence: Evidence, key: int) -> tuple[float, float]:
    """Of a candidate: its share of the highest BM25, and its best cosine."""
    return evidence.keyword.get(key, 0.0) / evidence.highest, evidence.likeness(key)


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


def likenesses(found: Sequence[ExchangeFacts]) -> list[list[float]]:
    """How like each exchange is to each: the better cosine of their messages, or of their outcomes."""
    kinds = [one.answered for one in found], [one.outcome for one in found]
    if not any(map(any, kinds)):
        return [[0.0] * len(found) for _ in found]
    import numpy as np

    best = np.zeros((len(found), len(found)), np.float32)
    for codes in filter(any, kinds):
        width = max(len(code or b"") for code in codes)
        # Zeros stand for a missing vector: it is like nothing.
        same = [code or bytes(width) for code in codes]
        rows = np.frombuffer(b"".join(same), np.int8).reshape(len(found), width).astype(np.float32)
        products = rows @ rows.T
        lengths = np.sqrt(np.diag(products))
        best = np.maximum(best, products / np.maximum(np.outer(lengths, lengths), 1e-12))
    told: list[list[float]] = best.tolist()
    return told


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
_RANKING_READ = 2_000
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
    return question_words(question.replace("\0", " ")[:_RANKING_READ])[:MOST_WORDS]


# -- answers questions from what was said in sessions


GATHERED = 40
"""Candidates by words, and as many by vectors; 200 find no more (bench/exchanges.py)."""
AROUND = 30
"""Tokens of what tells which exchange it is, of which day, and whose words it begins with."""
_SHARES = (8, 6, 3, 2, 1)
"""Of what is left for passages, by place; further ones as the last. Equal shares of as many tokens hold the
answer in as many of the first five places, but in fewer of the first (bench/RESULTS.md)."""
USUAL = 120
"""Tokens of an exchange that is one of many things shown."""
_SHORTEST_PASSAGE = 40
"""Tokens; what fits a smaller budget is for the caller to leave out."""

_READ = 600
"""Characters of a message that are read for what it changes."""


Texts: TypeAlias = tuple[str, str, str]
"""What an exchange answers, what was said in it, and what came of it."""


class FoundExchange(NamedTuple):
    """An exchange that may answer, before a passage of it is chosen.

    Attributes:
        hit: without a passage.
        asked: the rarity of the question's words, without their endings.
    """

    hit: ExchangeHit
    texts: Texts
    asked: Mapping[str, float]


class ExchangeRetrieval:
    """Answers questions from the exchanges of one store.

    Args:
        search: over the exchanges.
        count: tokens of a text.
    """

    def __init__(self, search: ExchangeSearch, count: Callable[[str], int]) -> None:
        self._search = search
        self._count = count

    def recall(
        self,
        question: str,
        *,
        limit: int,
        only: ExchangeQuery | None = None,
        vector: QuestionVector | None = None,
    ) -> list[ExchangeHit]:
        """The exchanges that may answer, `find`, with passages of `USUAL` tokens each on average, `show`."""
        found = self.find(question, limit=limit, only=only, vector=vector)
        return self.show(found, USUAL * len(found))

    def find(
        self,
        question: str,
        *,
        limit: int,
        only: ExchangeQuery | None = None,
        vector: QuestionVector | None = None,
        words: bool = True,
        when: Callable[[int], float] | None = None,
    ) -> list[FoundExchange]:
        """The exchanges that may answer, best first, those that are sure before weak ones.

        Of those on the same matter the latest is first.

        Args:
            question: any text.
            limit: at most so many.
            only: filters; the order, limit and offset are not used.
            vector: of the question; None: words alone.
            words: whether words are searched.
            when: what its end, in microseconds since 1970 UTC, adds to a place, in standard deviations.
        """
        if not self._search.size():
            return []
        evidence = self.evidence(question, only=only, vector=vector, words=words)
        places = list(islice(ranked(evidence, when=when), limit))
        found = self._search.exchanges([key for place in places for key in place.parts])
        roots = {(one.session, one.first_turn): one for one in found.values() if not one.part}
        # A stretch of work may be found without the exchange that it belongs to.
        missing = [at for one in places if (at := (one.session, one.turn)) not in roots]
        roots |= self._search.beginning_at(missing)
        asked = {stem(word.removesuffix(ANY_ENDING)): evidence.rarity(word) for word in evidence.frequency}
        answers = [
            (place, _texts(root, [found[key] for key in place.parts if key in found]), _hit(place, root))
            for place in places
            if (root := roots.get((place.session, place.turn)) or found.get(place.parts[0]))
        ]
        facts = {one.key: one for one in evidence.facts}
        likeness = likenesses([facts[place.parts[0]] for place, _, _ in answers])

        def same(earlier: int, later: int) -> bool:
            like = likeness[earlier][later]
            return like >= SAME or (like >= TURNED and _turns(answers[later][1][1]))

        texts = {hit.id: text for _, text, hit in answers}
        hits = latest_first([hit for _, _, hit in answers], same)
        newer = {hit.later for hit in hits if not hit.weak}  # what changes a sure one stays before it
        hits.sort(key=lambda hit: hit.weak and hit.id not in newer)
        return [FoundExchange(hit, texts[hit.id], asked) for hit in hits]

    def show(self, found: Sequence[FoundExchange], budget: int) -> list[ExchangeHit]:
        """The exchanges with the passages that answer best: the first nearly whole, the others shorter.

        Their scores become the probabilities that these passages answer.

        Args:
            found: best first.
            budget: tokens of all together; each passage has at least 40.
        """
        left, shown = budget - AROUND * len(found), list[ExchangeHit]()
        shares = [_SHARES[min(place, len(_SHARES) - 1)] for place in range(len(found))]
        for place, one in enumerate(found):
            # What a passage leaves of its share goes to those after it.
            own = max(left * shares[place] // sum(shares[place:]), _SHORTEST_PASSAGE)
            told = passage(one.texts, one.asked, own, self._count)
            tokens = self._count(told.text)
            left -= tokens
            odds = one.hit.score / max(1.0 - one.hit.score, one.hit.score)
            likely = _SHOWN.probability({"answers": log(max(odds, _LEAST_ODDS)), "place": log(place + 1)})
            shown.append(replace(one.hit, **told._asdict(), tokens=AROUND + tokens, score=likely))
        return shown

    def evidence(
        self, question: str, *, only: ExchangeQuery | None, vector: QuestionVector | None, words: bool
    ) -> Evidence:
        """What is known of the candidates."""
        asked = looked_up(question, asked_words(question))
        frequency = dict(zip(asked, self._search.frequencies(asked), strict=True)) if asked else {}
        for pair in borders(frequency):
            del frequency[pair]
        matched = dict(self._search.match(frequency, GATHERED, only)) if asked and words else {}
        near: Sequence[int] = ()
        if vector is not None:
            near = self._search.nearest(vector.raw, GATHERED, only, vector.model)
        keys = list(dict.fromkeys([*matched, *near]))
        found = self._search.facts(keys, only, vector.model if vector else None) if keys else ()
        facts = [one for one in found if one.opener != "imported"]
        compared = _compared(vector.values, facts) if vector else ({}, {})
        return Evidence(facts, matched, frequency, max(self._search.size(), 1), *compared)


def _texts(root: Exchange, parts: Sequence[Exchange]) -> Texts:
    """What is read for a passage: of an exchange and of those stretches of its work that may answer."""
    work = [one.outcome for one in sorted(parts, key=lambda one: one.part) if one.id != root.id]
    return root.asked, root.message, "\n".join([*work, root.came_of_it])


def _hit(place: Place, root: Exchange) -> ExchangeHit:
    return ExchangeHit(
        id=root.id,
        said_at=root.started_at,
        by=root.opener,
        session=root.session,
        turn=root.first_turn,
        client=root.client,
        speaker=root.speaker,
        score=place.probability,
        weak=place.probability < WEAK,
    )


def _compared(query: Row, facts: Sequence[ExchangeFacts]) -> tuple[dict[int, float], ...]:
    """The cosines of each part's vector, by key; of equal vectors computed once."""
    parts = [(one.answered, one.outcome) for one in facts]
    different = {raw: number for number, raw in enumerate({raw for raws in parts for raw in raws if raw})}
    found = cosines(query, {number: raw for raw, number in different.items()})
    by_part = zip(*parts, strict=True) if parts else ((), ())
    return tuple(
        {one.key: found[different[raw]] for one, raw in zip(facts, raws, strict=True) if raw}
        for raws in by_part
    )


def _turns(message: str) -> bool:
    """Whether a message says that something is otherwise from now on."""
    from recortex.engines.supersession.reading import announces

    return announces(message[:_READ])


# -- what the vectors of an exchange are made of


ASKED, MESSAGE, OUTCOME = 160, 240, 160
"""Characters that the model reads of the end of what was asked, of the beginning of the message, and of the
beginning and of the end of what came of it. As many facts are found as with whole texts, at a third of the
time; a vector of the message alone adds nothing (bench/RESULTS.md)."""


def embedded(exchange: Exchange) -> tuple[str, str]:
    """What the vectors of an exchange are made of: the message with what it answers, and what came of it."""
    asked, message = ending(exchange.asked, ASKED), shortened(exchange.message, MESSAGE, 0)
    return "\n".join(filter(None, (asked, message))), shortened(exchange.outcome, OUTCOME, OUTCOME)


# -- exchanges that come into a store by another installation's export


FOREIGN = "imported:"
"""What the session of an exchange begins with that another installation exported."""
_OPENING, _PLACE, _COMMAND, _ENTRIES = 240, 200, 160, 12
_LAST_TURN = 2**31 - 1


def foreign(exchange: Exchange, now: datetime) -> Exchange:
    """An exchange that somebody else wrote, as it may be kept here.

    It is nobody's word here, and waits: it is opened by its id or session, and answers no question.
    Its id and session are none that a session of this machine can have, so that it neither takes the place of
    an exchange nor is gone on with. It is redacted, cleaned of markup, and not longer than ours.
    """
    # An exchange with harmless texts, each no longer than one of ours.
    most = MOST_WORK if exchange.part else MOST_CONCLUSION
    cut = replace(
        exchange,
        session=_harmless(exchange.session, _PLACE),
        client=_harmless(exchange.client, _PLACE),
        asked=_harmless(exchange.asked, MOST_ASKED),
        message=_harmless(exchange.message, MOST_MESSAGE),
        opening=_harmless(exchange.opening, _OPENING),
        conclusion=_harmless(exchange.conclusion, most),
        files=_listed(exchange.files, _PLACE),
        failed=_listed(exchange.failed, _COMMAND),
        passed=_listed(exchange.passed, _COMMAND),
        commit=_harmless(exchange.commit, _PLACE),
        branch=_harmless(exchange.branch, _PLACE),
        folder=_harmless(exchange.folder, _PLACE),
    )
    first = min(max(exchange.first_turn, 0), _LAST_TURN)
    digest = blake2b(f"{FOREIGN}{exchange.id}".encode("utf-8", "replace"), digest_size=16).hexdigest()
    return replace(
        cut,
        id=digest,
        session=f"{FOREIGN}{cut.session}"[:_PLACE],
        opener="imported",
        first_turn=first,
        last_turn=min(max(exchange.last_turn, first), _LAST_TURN),
        root_turn=min(max(exchange.root_turn, 0), first),
        part=min(max(exchange.part, 0), _LAST_TURN),
        # A time that is yet to come would make it the latest answer for as long.
        started_at=exchange.started_at and min(exchange.started_at, now),
        ended_at=exchange.ended_at and min(exchange.ended_at, now),
    )


def of_teammate(exchange: Exchange, speaker: str, now: datetime) -> Exchange:
    """An exchange of a teammate's session as it is kept here: harmless, found by questions, and theirs.

    It keeps its id, by which it is deleted for everybody. Its session is none of this machine, so that it is
    not gone on with; nothing is learned from it, since nobody's opener but `person` is this person's word.
    """
    session = exchange.session.replace(":", "-")[: _PLACE // 2]
    return replace(
        foreign(exchange, now),
        id=exchange.id,
        session=f"{TEAM}{_harmless(session, _PLACE)}:{speaker}",
        opener="teammate" if exchange.opener == "person" else exchange.opener,
    )


def _harmless(text: str, most: int) -> str:
    return redact(clean(strip_injected(text)[0])).text[:most]


def _listed(texts: tuple[str, ...], most: int) -> tuple[str, ...]:
    return tuple(_harmless(text, most) for text in texts[:_ENTRIES])
