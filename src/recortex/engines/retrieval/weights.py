"""How much each signal counts in a recall.

A signal is one number that speaks for or against a candidate. There are three groups: what compares
candidates with each other, what turns of speech have, and what every memory has. To add a signal, add its
field here with its weight, and measure it in `scorer`. Every number was chosen with bench/retrieval.py on its
development half.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from recortex.engines.indexing.traits import Trait


class Compared(NamedTuple):
    """Signals that tell candidates apart: the weights multiply standard deviations from the candidates' mean.

    Attributes:
        keyword: BM25 of the memory, as a share of the highest that a text could get for the question.
        semantic: cosine of its vector.
        nearby: mean cosine of the turns around it.
        session: the best keyword score of its session.
        before, after: keyword scores of the turns before and after it.
        words: how near its words are to the question's, one by one (`engines.indexing.pieces`).
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

DIALOGUE = Form(
    Compared(keyword=0.6, semantic=0.6, nearby=0.85, session=0.5),
    Spoken(speaker=3.5, date=2.5, answer=2.0, question=-1.65),
)
"""People talking: a turn alone says little; its neighbours, its speaker and its day say the rest."""

CHAT = Form(Compared(keyword=0.5, semantic=1.0), Spoken(person=2.0))
"""A person and an assistant: what the person wrote holds most answers; neighbours are often about something
else."""

CODE = Form(Compared(keyword=0.15, semantic=1.0))
"""The body of a function: words of code are seldom the words of a question."""

OUTLINE = Form(Compared(keyword=1.0, semantic=0.25))
"""A list of declarations: every word is a chosen name, but a list of names is no sentence for a sentence
model."""

DOCUMENT = Form(Compared(keyword=1.0, semantic=0.25))
"""A long text: the model reads its beginning, the keyword index all of it."""

PROSE = Form(Compared(keyword=1.0, semantic=1.0))

_FORMS = (
    (int(Trait.DIALOGUE), DIALOGUE),
    (int(Trait.MESSAGE | Trait.REPLY), CHAT),
    (int(Trait.OUTLINE), OUTLINE),
    (int(Trait.DOCUMENT), DOCUMENT),
    (int(Trait.CODE), CODE),
)


@lru_cache(maxsize=4096)
def weights_of(traits: int, *, words: bool = True, vectors: bool = True) -> Form:
    """The weights for a text with these traits, where words or vectors or both were searched."""
    form = next((form for trait, form in _FORMS if traits & trait), PROSE)
    return form.having(words=words, vectors=vectors)
