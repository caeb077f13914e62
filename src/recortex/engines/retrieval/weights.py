"""How much each signal counts, by the form of a text. Every number here was chosen with bench/retrieval.py, split dev."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from recortex.engines.indexing.traits import Trait


class Weights(NamedTuple):
    """Weights of one form of text.

    The first four multiply standardised values (standard deviations from the mean of the candidates), the others values
    from 0 to 1.

    Attributes:
        keyword: BM25 of the memory's words.
        semantic: cosine of its vector.
        nearby: mean cosine of the turns around it.
        session: keyword scores of the best turns of its session.
        speaker: it was said by the one person that the question names.
        date: its day agrees with a date in the question.
        answer: it holds the kind of thing that is asked for (a time, a number, a place, a reason).
        question: it is itself only a short question.
        person: it was written by the person, not by the assistant.
    """

    keyword: float = 1.0
    semantic: float = 1.0
    nearby: float = 0.0
    session: float = 0.0
    speaker: float = 0.0
    date: float = 0.0
    answer: float = 0.0
    question: float = 0.0
    person: float = 0.0

    def having(self, *, words: bool, vectors: bool) -> Weights:
        """The weights where only words or only vectors were searched: what is missing leaves its weight to the other."""
        if words and vectors:
            return self
        both = self.keyword + self.semantic
        return self._replace(keyword=both * words, semantic=both * vectors)


DIALOGUE = Weights(
    keyword=0.6, semantic=0.6, nearby=0.85, session=0.5, speaker=3.5, date=2.5, answer=2.0, question=-1.65
)
"""People talking: a turn alone says little, its neighbours, its speaker and its day say the rest."""

CHAT = Weights(keyword=0.5, semantic=1.0, person=2.0)
"""A person and an assistant: what the person wrote holds most answers, and neighbours are often about something else."""

CODE = Weights(keyword=0.15, semantic=1.0)
"""The body of a function: words of code are seldom the words of a question."""

OUTLINE = Weights(keyword=1.0, semantic=0.25)
"""A list of declarations: every word is a chosen name, but a list of names is no sentence for a sentence model."""

DOCUMENT = Weights(keyword=1.0, semantic=0.25)
"""A long text: the model reads its beginning, the keyword index all of it."""

PROSE = Weights()

_FORMS = (
    (int(Trait.DIALOGUE), DIALOGUE),
    (int(Trait.MESSAGE | Trait.REPLY), CHAT),
    (int(Trait.OUTLINE), OUTLINE),
    (int(Trait.DOCUMENT), DOCUMENT),
    (int(Trait.CODE), CODE),
)


@lru_cache(maxsize=4096)
def weights_of(traits: int, *, words: bool = True, vectors: bool = True) -> Weights:
    """The weights for a text with these traits, where words or vectors or both were searched."""
    weights = next((weights for form, weights in _FORMS if traits & form), PROSE)
    return weights.having(words=words, vectors=vectors)


class Common(NamedTuple):
    """Weights of what counts for every form; the values are from 0 to 1.

    Importance, confidence, recency and kind only decide between memories that answer about equally well. `test` lets a
    file go before its tests, which use the same words, unless the question is about tests.
    """

    proximity: float = 2.0
    patterns: float = 0.5
    recency: float = 0.1
    confidence: float = 0.3
    importance: float = 1.0
    kind: float = 0.4
    test: float = -1.5


COMMON = Common()
