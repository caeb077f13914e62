"""How much each signal counts in a recall, and from when on a memory answers.

A signal is one number that speaks for or against a candidate. There are three groups: what compares
candidates with each other, what turns of speech have, and what every memory has. To add a signal, add its
field here with its weight, and measure it in `scorer`. Weights of forms are fitted on development data by
bench/ranking_weights.py, which prints them; those of `COMMON` were chosen with bench/retrieval.py.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from recortex.engines.indexing import Trait
from recortex.engines.regression import Regression
from recortex.lean import NamedTuple, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.domain.exchange import ExchangeHit
    from recortex.domain.search import Hit


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
