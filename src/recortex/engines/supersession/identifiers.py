"""What tells one thing from another of its sort: `#41` from `#42`, Go from Python, `a.py` from `b.py`.

Two statements that differ in such a word of what they speak of are about two things, and neither ends the
other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.engines.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MARKED = re.compile(r"\d|[A-Za-z][./\\:_][A-Za-z]|^[~/.]|_|^[A-Z]$|[a-z][A-Z]")
"""A digit, a path, a dotted or underlined name, a single capital, a capital inside."""
_CAPITALISED = re.compile(r"[A-Z][a-z]+$")
_NAMES = word_set(
    """
    python javascript typescript java kotlin rust ruby php swift scala elixir haskell golang perl lua dart
    c++ c# linux macos windows ios android chrome firefox safari staging production prod preview first
    second third fourth fifth sixth seventh eighth ninth tenth
    """
)
"""Languages, systems, environments and places in an order; in small letters as people type them."""


def identifying(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a clause that tell its thing from others; a capital says nothing at its beginning."""
    return tuple(
        word
        for place, word in enumerate(words)
        if _MARKED.search(plain := word.strip("'’.,:"))
        or plain.lower() in _NAMES
        or (place and _CAPITALISED.match(plain))
    )


def apart(one: Iterable[str], said: Iterable[str], other: Iterable[str], told: Iterable[str]) -> bool:
    """Whether two statements speak of two things: each names one that the other does not mention at all.

    Args:
        one: stems of the identifying words of what the first speaks of.
        said: stems of all its words.
        other: the same of the second.
        told: the same of the second.
    """
    return bool(frozenset(one).difference(told)) and bool(frozenset(other).difference(said))
