"""How much the words of a question count in a store, how much each signal counts, and when a memory answers.

A word counts the more the rarer it is. A signal is one number that speaks for or against a candidate. There
are three groups: what compares candidates with each other, what turns of speech have, and what every memory
has. To add a signal, add its field here with its weight, and measure it in `scorer`. Weights of forms are
fitted on development data by bench/ranking_weights.py, which prints them; those of `COMMON` were chosen with
bench/retrieval.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, takewhile
from math import log
from typing import TYPE_CHECKING

from recortex.domain.search import Reason
from recortex.engines.indexing import Trait
from recortex.engines.tables import Regression
from recortex.lean import NamedTuple, Value, field, replace
from recortex.text.words import ANY_ENDING, STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.exchange import ExchangeHit
    from recortex.domain.search import Cause, Hit


COMMON_SHARE = 0.25
"""A word in a larger share of the memories is left out of the text that is embedded (bench/retrieval.py:
LoCoMo R@10 of vectors alone rises from 49 to 63, since the speakers' names drown the rest)."""
LEAST_COMMON = 25
"""A word in at most this many memories is never common: in a small store, a quarter is few."""
SMALL = 50
"""In a store of fewer memories, rarity is computed as if there were this many: of five memories, a word in
two is not common. BM25 is no help there (FTS5 gives a word that half of the rows have no weight)."""
UNHEARD = 2
"""How few memories a store may have until its silence on a word counts for half. With 12 of them, of 25
questions 20 are answered without it, 22 with 1, 23 with 2 and 3; with 4 the first that nothing answers is
given something (bench/retrieval.py --dataset small). The notes and LoCoMo stay as they are."""
MEASURED = 12
"""A smaller store is taken as one of this size: with one memory, a third of the evidence against an answer
was not enough to keep a stranger's question from it."""
LOOKED_UP = 3_000
"""Rows that the words of one keyword search may match. The most common words match none by themselves, but
add to the scores of the rows that others match. In one store of 9,240 turns, functions and commits, R@10 by
words alone is the same as when every word matches rows, with 1,000 rows as with 3,000; without the common
words in the score it falls by 2 to 8 points (bench/retrieval.py, its development data in one store)."""
ADDED_UP = 300_000
"""Rows that the words which only add to scores may have together: FTS5 reads each row to weigh a word, 8 ms
for this many."""


class Lookup(NamedTuple):
    """The words of a keyword search.

    Attributes:
        words: match rows, rarest first; at least one where any is known.
        all_required: a row must have all of `words`, since each alone is in too many.
        score_only: match no row, but add to the score of those that `words` match.
    """

    words: tuple[str, ...] = ()
    all_required: bool = False
    score_only: tuple[str, ...] = ()


class Vocabulary(Value, frozen=True):
    """The words of a question with the number of memories that hold each.

    Attributes:
        size: memories in the store, at least 1.
        stand_ins: synonyms in the store for words of the question that are not, with their numbers of
            memories; such a word counts as known.
    """

    size: int
    frequency: Mapping[str, int]
    stand_ins: Mapping[str, int] = field(default_factory=dict)

    def rarity(self, word: str) -> float:
        """The inverse document frequency of BM25, always positive; highest for unknown words."""
        size = max(self.size, SMALL)
        count = min(self.frequency.get(word, self.stand_ins.get(word, 0)), size)
        # As in Lucene's BM25; the original formula is negative for words in more than half of the texts.
        return log(1.0 + (size - count + 0.5) / (count + 0.5))

    @property
    def small(self) -> bool:
        """Whether the store is too small for BM25."""
        return self.size < SMALL

    def total_rarity(self) -> float:
        """The sum of the rarities of the question's words."""
        return sum(self.rarity(word) for word in self.frequency)

    def unknown(self) -> float:
        """The share of the total rarity whose words no memory has: 0 to 1."""
        missing = sum(self.rarity(word) for word, count in self.frequency.items() if not count)
        return missing / max(self.total_rarity(), 1e-9)

    def unmentioned(self) -> float:
        """`unknown`, as evidence against an answer: the less, the fewer memories could have the words."""
        size = max(self.size, MEASURED)
        return self.unknown() * size / (size + UNHEARD)

    def common(self) -> frozenset[str]:
        """Words in so many memories that they do not distinguish any."""
        least = max(COMMON_SHARE * self.size, LEAST_COMMON)
        return frozenset(
            word.removesuffix(ANY_ENDING)
            for word, count in self.frequency.items()
            if count > least and word not in STOP_WORDS
        )

    def lookup(self) -> Lookup:
        """The words worth looking up, within what a search may find and weigh."""
        known = self._selective()
        if not known:
            return Lookup()
        too_common = known[0][0] > LOOKED_UP and len(known) > 1
        number = self._number_required(known) if too_common else _number_within(known, LOOKED_UP)
        words = [word for _, word in known[: max(number, 1)]]
        rest = known[len(words) :]
        score_only = [word for _, word in rest[: _number_within(rest, ADDED_UP)]]
        return Lookup(tuple(words), too_common and len(words) > 1, tuple(score_only))

    def _selective(self) -> list[tuple[int, str]]:
        """The known words with their numbers of rows, rarest first, without those in most of the store."""
        counts = {**self.stand_ins, **self.frequency} if self.stand_ins else self.frequency
        known = sorted((count, word) for word, count in counts.items() if count)
        if self.small:
            return known
        # Where every word is that common, the rarest one has to do.
        return [one for one in known if 2 * one[0] <= self.size] or known[:1]

    def _number_required(self, known: Sequence[tuple[int, str]]) -> int:
        """How many of the rarest words a row must have so that few enough do, if words were independent."""
        expected = float(self.size)
        for number, (count, _) in enumerate(known, 1):
            expected *= count / self.size
            if expected <= LOOKED_UP:
                return number
        return len(known)


def _number_within(known: Sequence[tuple[int, str]], most: int) -> int:
    """How many of the first words have at most `most` rows together."""
    totals = accumulate(count for count, _ in known)
    return sum(1 for _ in takewhile(most.__ge__, totals))


# -- why a memory answers, or does not, in words: made of signals and counts by the tables below alone


_MUCH, _SOME = 0.7, 0.3


class Phrases(NamedTuple):
    """What a signal is called, and what is said of it where it is high, middling, low, or zero."""

    name: str
    much: str = ""
    some: str = ""
    little: str = ""
    none: str = ""


SIGNALS: dict[str, Phrases] = {
    "keyword": Phrases(
        "words",
        "the question's words",
        "some of the question's words",
        "few of the question's words",
        "none of the question's words",
    ),
    "semantic": Phrases("meaning", "the same meaning", "a similar meaning"),
    "nearby": Phrases("turns around it", "turns around it that fit"),
    "session": Phrases("session", "a session with these words"),
    "before": Phrases("turn before", "said after these words"),
    "after": Phrases("turn after", "said before these words"),
    "words": Phrases("wording", "the same wording", "a similar wording"),
    "weakest": Phrases("weakest word"),
    "passage": Phrases("passage", "turns around it in this wording"),
    "length": Phrases("length"),
    "speaker": Phrases("speaker", "the speaker who is named"),
    "date": Phrases("date", "the date that is named", "a date near the one that is named"),
    "answer": Phrases("kind of answer", "what is asked for"),
    "person": Phrases("who said it", "said by the person"),
    "proximity": Phrases("files", "the file that is named", "a file beside the one that is named"),
    "patterns": Phrases("patterns", "a pattern that matters now"),
    "kind": Phrases("kind", "the kind that is asked for"),
    "importance": Phrases("importance", "important", little="of little importance"),
    "recency": Phrases("recency", "recent", little="old"),
    "confidence": Phrases("confidence", some="not sure", little="doubtful"),
    "question": Phrases("being a question", "only a question itself"),
    "test": Phrases("being a test", "only a test"),
}
"""The words of each signal, in the order of the sentence; nothing where they would tell nobody anything."""

CAUSES: dict[Cause, str] = {
    "answers": "it is answer {place} of {answers}",
    "proposed": "it is only proposed: at most {most} of these are listed apart, as unchecked",
    "status": "it is {status}: only {allowed} memories answer",
    "not yet true": "it holds only from {day} on",
    "no longer true": "it held only until {day}",
    "kind": "{kind} answers only if you ask for this kind",
    "filter": "the filter {name} leaves it out",
    "candidates": "it is not among the {number} memories that are nearest by words and by meaning",
    "nothing in common": "it shares no word with the question, and its meaning is not close enough",
    "floor": "below the floor: the best answer reaches {best:.2f}, and {floor:.2f} is needed",
    "far": "below the floor: it is {behind:.1f} standard deviations behind the best answer",
    "alike": "{id} says the same and is shown instead",
    "limit": "others answer better: it is number {place}, and {limit} are shown",
    "budget": "its {tokens} tokens do not fit the budget of {budget} beside what answers better",
    "exchanges": "what was said in sessions answers more surely",
    "no vector": "it has no vector yet, so only words find it: `recortex backfill` makes the vector",
}
"""Why a memory is an answer or is none."""


def reasons(signals: Mapping[str, float]) -> str:
    """The reasons with their parts of the score, as `the question's words (0.81), recent (0.95)`."""
    said = (
        (_degree(phrases, signals[name]), signals[name])
        for name, phrases in SIGNALS.items()
        if name in signals
    )
    return ", ".join(f"{words} ({part:.2f})" for words, part in said if words)


def found_words(has: Mapping[str, int], lacks: Sequence[str], store: int) -> str:
    """Which words matched and how rare they are: `has “bcrypt” (in 2 of 340 memories); lacks “rounds”`."""
    rare = (f"“{word}” (in {count:,} of {max(store, count):,} memories)" for word, count in has.items())
    parts = [f"has {', '.join(rare)}" if has else "has no word of the question"]
    if lacks:
        parts.append(f"lacks {', '.join(f'“{word}”' for word in lacks)}")
    return "; ".join(parts)


def additions(adds: Mapping[str, float]) -> str:
    """What each signal adds, as `the question's words +1.9, meaning +0.8`, the greatest first."""
    ordered = sorted(adds.items(), key=lambda one: -abs(one[1]))
    return ", ".join(f"{SIGNALS[name].name} {value:+.1f}" for name, value in ordered if name in SIGNALS)


def because(cause: Cause, **values: object) -> Reason:
    """A reason with its words."""
    return Reason(cause=cause, text=CAUSES[cause].format(**values))


def _degree(phrases: Phrases, part: float) -> str:
    if part >= _MUCH:
        return phrases.much
    if part >= _SOME:
        return phrases.some
    return phrases.little if part or not phrases.none else phrases.none


class Compared(NamedTuple):
    """Signals that tell candidates apart: the weights multiply standard deviations from the candidates' mean.

    Attributes:
        keyword: BM25 of the memory, as a share of the highest that a text could get for the question.
        semantic: cosine of its vector.
        nearby: mean cosine of the turns around it.
        session: the best keyword score of its session.
        before, after: keyword scores of the turns before and after it.
        words: how near its words are to the question's, one by one (`engines.indexing`).
        weakest: the same of the word of the question that is matched worst.
        passage: as `words`, of it and the turns around it together.
        length: how many different words it has, as a logarithm.
    """

    keyword: float
    semantic: float
    nearby: float = 0.0
    session: float = 0.0
    before: float = 0.0
    after: float = 0.0
    words: float = 0.0
    weakest: float = 0.0
    passage: float = 0.0
    length: float = 0.0


class Spoken(NamedTuple):
    """Signals of what somebody said, from 0 to 1.

    Attributes:
        speaker: it was said by the one person that the question names.
        date: its day agrees with a date in the question.
        answer: it holds the kind of thing that is asked for (a time, a number, a place, a reason).
        question: it is itself only a short question.
        person: it was written by the person, not by the assistant.
    """

    speaker: float = 0.0
    date: float = 0.0
    answer: float = 0.0
    question: float = 0.0
    person: float = 0.0


class Common(NamedTuple):
    """Signals of every memory, from 0 to 1.

    Attributes:
        proximity: it is linked to a file that the question names, or to one in the same folder.
        patterns: it is linked to a code pattern that the question is about.
        recency: it was recorded or used recently.
        confidence: what decay has left of its confidence.
        importance: its priority.
        kind: questions like this are usually answered by its kind.
        test: it is code of a test, and the question is not about tests.
    """

    proximity: float
    patterns: float
    recency: float
    confidence: float
    importance: float
    kind: float
    test: float


class Form(NamedTuple):
    """Weights of the signals that depend on the form of a text."""

    compared: Compared
    spoken: Spoken = Spoken()

    def having(self, *, words: bool, vectors: bool) -> Form:
        """The weights where only words or vectors were searched: the one has the weight of both."""
        if words and vectors:
            return self
        both = self.compared.keyword + self.compared.semantic
        return self._replace(compared=self.compared._replace(keyword=both * words, semantic=both * vectors))


# Importance, confidence, recency and kind only decide between memories that answer about equally well.
# A file goes before its tests, which use the same words.
COMMON = Common(proximity=2.0, patterns=0.5, recency=0.1, confidence=0.3, importance=1.0, kind=0.4, test=-1.5)


class Fitted(NamedTuple):
    """The weights of a form.

    Attributes:
        whole: where the embedder tells word pieces.
        bare: where it tells none.
    """

    whole: Form
    bare: Form


DIALOGUE = Fitted(
    Form(
        Compared(
            keyword=0.25,
            semantic=0.0,
            nearby=0.32,
            session=0.44,
            before=0.13,
            after=-0.13,
            words=0.39,
            weakest=0.14,
            passage=0.70,
        ),
        Spoken(speaker=2.35, date=3.64, answer=1.45, question=-0.94),
    ),
    Form(
        Compared(keyword=0.52, semantic=0.37, nearby=0.61, session=0.84, before=0.12, after=-0.03),
        Spoken(speaker=2.82, date=3.13, answer=2.07, question=-1.41),
    ),
)
"""People talking: a turn alone says little; its neighbours, its speaker and its day say the rest."""

CHAT = Fitted(
    Form(Compared(keyword=0.48, semantic=0.28, words=0.57, weakest=0.17), Spoken(person=0.53)),
    Form(Compared(keyword=0.77, semantic=0.73), Spoken(person=0.52)),
)
"""A person and an assistant: what the person wrote holds most answers; neighbours are often about something
else."""

CODE = Fitted(
    Form(Compared(keyword=0.11, semantic=0.70, words=0.24, weakest=0.10, length=-0.10)),
    Form(Compared(keyword=0.22, semantic=1.03)),
)
"""The body of a function: words of code are seldom the words of a question."""

OUTLINE = Fitted(*2 * [Form(Compared(keyword=1.0, semantic=0.25))])
"""A list of declarations: every word is a chosen name, but a list of names is no sentence for a sentence
model, nor are its pieces."""

DOCUMENT = OUTLINE
"""A long text: the model reads its beginning, the keyword index all of it."""

PROSE = Fitted(
    Form(Compared(keyword=0.55, semantic=0.59, words=0.43, weakest=0.44)),
    Form(Compared(keyword=1.00, semantic=1.00)),
)
"""Without word pieces: parts of documents, of which the vector says less than of a sentence. Fitted on
sentences alone the two would have 0.90 and 1.10."""

_FORMS = (
    (int(Trait.DIALOGUE), DIALOGUE),
    (int(Trait.MESSAGE | Trait.REPLY), CHAT),
    (int(Trait.OUTLINE), OUTLINE),
    (int(Trait.DOCUMENT), DOCUMENT),
    (int(Trait.CODE), CODE),
)


@lru_cache(maxsize=4096)
def weights_of(traits: int, *, words: bool = True, vectors: bool = True, pieces: bool = False) -> Form:
    """The weights for a text with these traits, where words, vectors, or word pieces too were compared."""
    fitted = next((form for trait, form in _FORMS if traits & trait), PROSE)
    return (fitted.whole if pieces else fitted.bare).having(words=words, vectors=vectors)


# -- which memories are told beside what was said in sessions: those that answer come before it


SURE = 0.2
"""A memory that answers with a lower probability is left out where an exchange answers."""
LIKELY = 0.11
"""An exchange with this probability, or a higher one, probably answers."""
_ANSWERS = Regression(-6.5, {"keyword": 4.1, "semantic": 7.2})
"""A logistic regression over extracted memories that were right and wrong answers; its bias makes the
probability agree with the share that was found on eight projects (bench/RESULTS.md)."""


def answers(hit: Hit) -> bool:
    """Whether a memory answers: one that a rule worded by its signals, another one unless it is weak.

    Where there were no vectors to compare, the words count for them too.
    """
    return _chance(hit) >= SURE if hit.memory.source.rule else not hit.weak


def _chance(hit: Hit) -> float:
    """The probability that a memory which a rule worded answers."""
    keyword = hit.signals.get("keyword", 0.0)
    return _ANSWERS.probability({"keyword": keyword, "semantic": hit.signals.get("semantic", keyword)})


def select_beside(hits: Sequence[Hit], said: Sequence[ExchangeHit]) -> Iterator[Hit]:
    """The memories that are told beside exchanges: those that answer, and where no exchange is likely others.

    Of others that a rule worded only those that answer more probably than every exchange, as weak ones.

    Args:
        hits: best first.
        said: what was said in sessions and may answer; none: every memory is told as it is.
    """
    best = max((one.score for one in said), default=0.0)
    for hit in hits:
        if not said or answers(hit) or (best < LIKELY and not hit.memory.source.rule):
            yield hit
        elif best < LIKELY and _chance(hit) > best:
            yield replace(hit, weak=True)
