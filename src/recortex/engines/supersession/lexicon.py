"""Words by which claims are read; `lexicon.txt` lists them."""

from __future__ import annotations

from recortex.engines.words import sections, word_set

_LISTS = sections(__file__)


def _pairs(name: str) -> dict[str, str]:
    """A list of `word=other` pairs, as a mapping from each word to the one that it is normalised to."""
    return dict(pair.split("=") for pair in _LISTS[name].split())


BE = frozenset({"is", "are"})
USES = word_set(_LISTS["USES"])
BASES = _pairs("BASES")
"""Irregular participles and their verbs."""
JOINTS = _pairs("JOINTS")
"""Prepositions before a means, a place or a time, and the one that they are normalised to."""
RESTS = word_set(_LISTS["RESTS"])
"""Verbs whose complement is one place, program or time, as in "runs on port 80"."""
NEEDS = word_set(_LISTS["NEEDS"])
PARTICIPLES = word_set(_LISTS["PARTICIPLES"])
ORDERS = word_set(_LISTS["ORDERS"])
"""Verbs of an order that name an object and then a means or place, as in "deploy S with V"."""
NEGATORS = word_set(_LISTS["NEGATORS"])
SLOTS = word_set(_LISTS["SLOTS"])
"""Nouns that have one value at a time: "the default branch is X"."""

FAMILIES = [word_set(line) for line in _LISTS["FAMILIES"].strip().splitlines()]
"""Things of which a project uses one: a move to one of them is a move away from the others."""
FAMILY_OF = {name: place for place, names in reversed([*enumerate(FAMILIES)]) for name in names}
"""The first family of each name."""
SEVERAL_ENDS = word_set(_LISTS["SEVERAL_ENDS"])
"""One name of each family whose things serve several ends in one project: "Redis for sessions" leaves Redis
for the queue."""
SYNONYMS = _pairs("SYNONYMS")
TELLTALE = word_set(_LISTS["TELLTALE"])
"""Words of which every announcement of a change has at least one."""
