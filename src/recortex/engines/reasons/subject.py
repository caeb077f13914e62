"""What a question for reasons is about: a place, a pattern, a memory, a symbol, or what it asks in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy
from recortex.domain.reasons import Subject

if TYPE_CHECKING:
    from collections.abc import Callable

_ID = lazy(r"[0-9a-fA-F]{6,32}|[0-9a-fA-F]{8}-[0-9a-fA-F-]{1,27}")
_PLACE = lazy(r"(?P<path>[^\n\0]{1,4096}?)(?::(?P<first>\d{1,9})(?:-(?P<last>\d{1,9}))?)?")
_SYMBOL = lazy(r"[A-Za-z_$][\w$]{1,99}(?:(?:\.|::|#)[A-Za-z_$][\w$]{0,99}){0,5}(?:\(\))?")


def subject_of(
    about: str, *, is_file: Callable[[str], bool], is_memory: Callable[[str], bool],
    is_pattern: Callable[[str], bool], is_symbol: Callable[[str], bool],
) -> Subject:  # fmt: skip
    """What is asked about; whatever names nothing that is known is a question.

    Args:
        about: `PATH`, `PATH:LINE`, `PATH:FIRST-LAST`, a symbol, the id of a pattern or a memory, or words.
        is_file: whether the project has or had a file, so that memories or commits may know of it.
        is_memory: whether the beginning of an id is one of a memory.
        is_pattern: whether a memory explains the pattern with that id.
        is_symbol: whether the project's code defines a name.
    """
    asked = about.strip()
    place = _PLACE.fullmatch(asked)
    if place and is_file(place["path"]):
        first = int(place["first"]) if place["first"] else None
        last = int(place["last"]) if place["last"] else first
        return Subject("place", asked, place["path"], first, last)
    if is_pattern(asked):
        return Subject("pattern", asked)
    if _ID.fullmatch(asked) and is_memory(asked):
        return Subject("memory", asked)
    if _SYMBOL.fullmatch(asked) and is_symbol(asked.removesuffix("()")):
        return Subject("symbol", asked, symbol=asked.removesuffix("()"))
    return Subject("question", asked)


def last_part(symbol: str) -> str:
    """The name itself of a symbol with the names around it: `evict` of `Cache.evict`."""
    return re.split(r"\.|::|#", symbol)[-1]
