"""The words by which statements are compared: stems, nouns that have one value, tools of one sort."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from recortex.text.words import CLAIM_WORDS, aliases, sections, singular, word_set, words

if TYPE_CHECKING:
    from collections.abc import Iterable

_LISTS = sections(__file__, "lexicon")


SLOTS = word_set(_LISTS["SLOTS"])
"""Nouns that have one value at a time: "the default branch is X"."""

FAMILIES = [word_set(line) for line in _LISTS["FAMILIES"].strip().splitlines()]
"""Things of which a project uses one: a move to one of them is a move away from the others."""
FAMILY_OF = {name: place for place, names in reversed([*enumerate(FAMILIES)]) for name in names}
"""The first family of each name."""
SYNONYMS = aliases()


@lru_cache(maxsize=1024)  # one statement is compared with many
def content(text: str) -> frozenset[str]:
    """The stems of the words that tell what a text is about."""
    return stems(words(text)) - CLAIM_WORDS


def stems(said: Iterable[str]) -> frozenset[str]:
    """Words in the form in which they are compared: lower case, singular but for names, synonyms as one."""
    plain = (word.lower().strip("'’.,:/") for word in said)
    whole = (word if word in SYNONYMS or word in FAMILY_OF else singular(word) for word in plain)
    return frozenset(SYNONYMS.get(word, word) for word in whole if word)
