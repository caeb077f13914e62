"""Guesses the area of the software that a text is about, by a table of words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from recortex.domain.vocabulary import Domain
from recortex.engines.words import identifier_parts, sections, singular, word_set, words

if TYPE_CHECKING:
    from collections.abc import Iterable

_OF_WORD: dict[str, tuple[Domain, ...]] = {}
for _name, _listed in sections(__file__).items():
    for _word in word_set(_listed):
        _OF_WORD[_word] = (*_OF_WORD.get(_word, ()), Domain(_name))
_IN_NAMES = 4
"""What a word of a heading or path counts, beside one of the text."""
_LEAST, _SHARE = 4, 0.4
"""The least weight, and the least part of the weight of all areas, that decides."""


def guess(text: str, names: Iterable[str], otherwise: Domain = Domain.GENERAL) -> Domain:
    """The area of a text.

    Args:
        text: what it says.
        names: its headings and its path.
        otherwise: where no area is clear.
    """
    weights: Counter[Domain] = Counter()
    for word, count in Counter(words(text)).items():
        _add(weights, word, count)
    for name in names:
        for word in {*words(name), *identifier_parts(name)}:
            _add(weights, word, _IN_NAMES)
    total = sum(weights.values())
    if otherwise is not Domain.GENERAL:
        weights[otherwise] += _LEAST
    best, weight = max(weights.items(), key=lambda one: (one[1], one[0]), default=(otherwise, 0))
    return best if weight >= _LEAST and weight >= _SHARE * total else otherwise


def _add(weights: Counter[Domain], word: str, count: int) -> None:
    for domain in _OF_WORD.get(word) or _OF_WORD.get(singular(word), ()):
        weights[domain] += count
