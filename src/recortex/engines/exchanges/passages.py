"""What is shown of an exchange: the passage that answers, with what it answers and how it ended."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.exchanges.shortening import LEFT_OUT, sentences, shortened
from recortex.engines.words import SUFFIXES, compound_parts, query_grams, stem, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class Passage(NamedTuple):
    """Parts of an exchange, shortened to what was asked for; empty where there is nothing to show.

    Attributes:
        asked: of what the agent had said before.
        message: of what the person said.
        outcome: of what came of it.
    """

    asked: str = ""
    message: str = ""
    outcome: str = ""

    @property
    def text(self) -> str:
        """All parts, a line each."""
        return "\n".join(filter(None, self))


_LEAD = 0.05
"""What being the first sentence of its part is worth beside the share of the question's rare words."""
_LEAST, _LONGEST = 60, 320


class _Sentence(NamedTuple):
    part: int
    place: int
    text: str
    worth: float


def passage(
    parts: Sequence[str], rarity: Mapping[str, float], budget: int, count: Callable[[str], int]
) -> Passage:
    """The sentences that answer best, in their order, within a budget.

    Args:
        parts: what was asked, the message, and what came of it.
        rarity: of the question's words as `stems` gives them; more for rarer ones.
        budget: tokens.
        count: tokens of a text.
    """
    found = [one for part, text in enumerate(parts) for one in _sentences(part, text, rarity)]
    chosen: set[_Sentence] = set()
    left = budget
    for one in sorted(found, key=lambda one: (-one.worth, one.part != 1, one.place)):
        cost = count(one.text) + 1
        if cost <= left:
            chosen.add(one)
            left -= cost
        if left < _LEAST // 6:
            break
    return Passage(
        *(_joined([one for one in found if one.part == part and one in chosen]) for part in range(3))
    )


def stems(text: str) -> frozenset[str]:
    """The words of a text as they are compared here: without endings, with parts of identifiers."""
    return frozenset(
        stem(word, SUFFIXES) for word in (*words(text), *compound_parts(text), *query_grams(text))
    )


def _sentences(part: int, text: str, rarity: Mapping[str, float]) -> Iterable[_Sentence]:
    total = sum(rarity.values()) or 1.0
    for place, sentence in enumerate(sentences(text)):
        held = sum(rarity.get(word, 0.0) for word in stems(sentence))
        yield _Sentence(
            part, place, shortened(sentence, _LONGEST, 0), held / total + _LEAD * (place == 0) * (part == 1)
        )


def _joined(chosen: list[_Sentence]) -> str:
    """The chosen sentences in their order, with a sign where some between them were left out."""
    if not chosen:
        return ""
    text = chosen[0].text
    for before, one in itertools.pairwise(chosen):
        text += (" " if one.place == before.place + 1 else LEFT_OUT) + one.text
    return text
