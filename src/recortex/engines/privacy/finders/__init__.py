"""Finders: what a secret is where only a word says that one follows; the rules name them `module.function`.

A rule's pattern finds the word (a cue, such as `password`). What stands around it is read by a finder: as
code or configuration (`literals`, `columns`), or as speech (`speech`). A finder gives spans of the text.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator


class Cue(NamedTuple):
    """What a finder gets: the match of the cue, the text, and it in lower case, with equal offsets."""

    match: re.Match[str]
    text: str
    folded: str


@cache
def finder_named(name: str) -> Callable[[Cue], Iterator[tuple[int, int]]]:
    """The finder that a rule names. Its module is imported when a cue first needs it."""
    module, _, function = name.partition(".")
    finder: Callable[[Cue], Iterator[tuple[int, int]]] = getattr(
        import_module(f"{__name__}.{module}"), function
    )
    return finder
