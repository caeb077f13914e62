"""What the words of a sentence are a sign of, by short lists of general words (`cues.txt`)."""

from __future__ import annotations

import re
from functools import cache

from recortex.engines.words import sections

_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_LONGEST = 3
"""Words of the longest phrase."""


def cues(text: str) -> dict[str, float]:
    """By `says_` and the name of each list whether the text has a word or phrase of it."""
    named, signs = _lists()
    words = _WORD.findall(text.lower().replace("’", "'"))
    found = dict.fromkeys(named, 0.0)
    for place in range(len(words)):
        for end in range(place + 1, min(place + _LONGEST, len(words)) + 1):
            for name in signs.get(" ".join(words[place:end]), ()):
                found[name] = 1.0
    return found


@cache
def _lists() -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The names of all lists, and for each phrase the lists that it is in."""
    signs: dict[str, tuple[str, ...]] = {}
    written = sections(__file__)
    for name, listed in written.items():
        for phrase in " ".join(listed.split()).split(", "):
            signs[phrase] = (*signs.get(phrase, ()), f"says_{name}")
    return tuple(f"says_{name}" for name in written), signs
