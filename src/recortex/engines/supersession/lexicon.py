"""Words by which claims are read; `lexicon.txt` lists them."""

from __future__ import annotations

from recortex.engines.words import sections, word_set

_LISTS = sections(__file__)


def _pairs(name: str) -> dict[str, str]:
    """A list of `word=other` pairs, as a mapping from each word to the one that it is normalised to."""
    return dict(pair.split("=") for pair in _LISTS[name].split())


SLOTS = word_set(_LISTS["SLOTS"])
"""Nouns that have one value at a time: "the default branch is X"."""

FAMILIES = [word_set(line) for line in _LISTS["FAMILIES"].strip().splitlines()]
"""Things of which a project uses one: a move to one of them is a move away from the others."""
FAMILY_OF = {name: place for place, names in reversed([*enumerate(FAMILIES)]) for name in names}
"""The first family of each name."""
SYNONYMS = _pairs("SYNONYMS")
