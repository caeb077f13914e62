"""Words that distinguish things of one sort: `#41` and `#42`, Go and Python, `a.py` and `b.py`.

Two statements whose subjects differ in such a word are about two things, and neither replaces the other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.engines.words import word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_MARKED = re.compile(r"\d|[A-Za-z][./\\:_][A-Za-z]|^[~/.]|_|^[A-Z]$|[a-z][A-Z]")
"""A digit, a path, a name with dots or underscores, a single capital, a capital inside."""
_CAPITALISED = re.compile(r"[A-Z][a-z]+$")
_NAMES = word_set(
    """
    python javascript typescript java kotlin rust ruby php swift scala elixir haskell golang perl lua dart
    c++ c# linux macos windows ios android chrome firefox safari staging production prod preview first
    second third fourth fifth sixth seventh eighth ninth tenth
    """
)
"""Languages, systems, environments and ordinals, in lower case as people type them."""

_SORT = re.compile(
    r"([\w+#]+) (?:files?|code|modules?|scripts?|packages?|services?|tests?|clients?|clusters?|servers?|"
    r"pods?|builds?|databases?|environments?|machines?|runners?|users?)\b",
    re.IGNORECASE,
)
_ALSO_SORTS = word_set("go sql css html dev qa local ci unit integration")


def identifying(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a clause that distinguish its subject; a capital at its beginning does not count."""
    return tuple(
        word
        for place, word in enumerate(words)
        if _MARKED.search(plain := word.strip("'’.,:"))
        or plain.lower() in _NAMES
        or (place and _CAPITALISED.match(plain))
    )


def of_two_sorts(one: str, other: str) -> bool:
    """Whether two statements are about things of two sorts: Go files and Python files."""
    sorts, others = _sorts(one), _sorts(other)
    return bool(sorts and others) and not sorts & others


def _sorts(text: str) -> frozenset[str]:
    return frozenset(found.lower() for found in _SORT.findall(text)) & (_NAMES | _ALSO_SORTS)


def about_two_things(
    names: Iterable[str], words: Iterable[str], other_names: Iterable[str], other_words: Iterable[str]
) -> bool:
    """Whether two statements are about two things: each names one that the other does not mention.

    Args:
        names: stems of the identifying words of the first statement's subject.
        words: stems of all its words.
        other_names: as `names`, of the second statement.
        other_words: as `words`, of the second statement.
    """
    return bool(frozenset(names).difference(other_words)) and bool(frozenset(other_names).difference(words))
