"""The parts of an answer: of a hit's score, and of how a question was understood."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.search import Understood, Why
from recortex.engines.intent import classify
from recortex.engines.retrieval.question import index_form
from recortex.engines.retrieval.scorer import FLOOR, answerable, evidence, lacks_vector
from recortex.engines.retrieval.vocabulary import additions, found_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.engines.retrieval.question import NamedDate, Question
    from recortex.engines.retrieval.scorer import Considered, Scored
    from recortex.engines.retrieval.vocabulary import Vocabulary

DIGITS = 3
"""Of what is added, and of logits."""


def why(one: Scored, best: Scored, vocabulary: Vocabulary, holding: Mapping[str, frozenset[int]]) -> Why:
    """The parts of a hit's score.

    Args:
        one: the hit.
        best: the first of all candidates.
        vocabulary: the words of the question in the store.
        holding: for each word, and each synonym that stands for one, the keys of hits that have it.
    """
    has = {word: count for word, count in _counts(vocabulary).items() if one.facts.key in holding[word]}
    lacks = tuple(word for word in vocabulary.frequency if word not in has)
    adds = {name: round(value, DIGITS) for name, value in one.adds.items()}
    told = (found_words(has, lacks, vocabulary.size), f"adds {additions(adds)}" if adds else "")
    return Why(
        has=has,
        lacks=lacks,
        store=vocabulary.size,
        adds=adds,
        behind=round(best.total - one.total, DIGITS),
        without_vector=lacks_vector(one.facts),
        text="; ".join(filter(None, told)),
    )


def understood(asked: Question, vocabulary: Vocabulary, considered: Considered) -> Understood:
    """How a store takes a question, and what speaks for an answer."""
    support = considered.support
    counts = _counts(vocabulary)
    return Understood(
        store=vocabulary.size,
        words={word: count for word, count in counts.items() if count},
        unknown=tuple(word for word, count in counts.items() if not count),
        instead=tuple(vocabulary.stand_ins),
        common=tuple(sorted({index_form(word) for word in asked.typed} & vocabulary.common())),
        names=asked.names,
        paths=asked.paths,
        dates=tuple(map(_written, asked.dates)),
        asks_for=(asked.answer.name or "").lower() if asked.answer else "",
        kinds=tuple(sorted(asked.kinds)),
        intent=classify(asked.text),
        for_an_answer={name: round(value, DIGITS) for name, value in evidence(support).items() if value},
        sure=round(answerable(support), DIGITS),
        floor=FLOOR,
        gathered=len(considered.scored),
    )


def _counts(vocabulary: Vocabulary) -> dict[str, int]:
    """The words of the question and those that stand for them, rarest first; unknown ones last."""
    counts = {**vocabulary.stand_ins, **vocabulary.frequency}
    return dict(sorted(counts.items(), key=lambda entry: (not entry[1], entry[1])))


def _written(date: NamedDate) -> str:
    parts = ("????" if date.year is None else f"{date.year}", date.month, date.day)
    known = (part if isinstance(part, str) else "??" if part is None else f"{part:02}" for part in parts)
    return "-".join(known)
