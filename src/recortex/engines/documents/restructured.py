"""reStructuredText and plain text as blocks: underlined titles, and what blank lines part."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.engines.documents.blocks import MOST_TITLE, Block, Line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_ROLE = re.compile(r":[\w:+.-]+:`([^`<]*)(?:<[^`]*>)?`|`{1,2}([^`]*)`{1,2}_{0,2}")


def blocks(lines: Sequence[Line]) -> Iterator[Block]:
    """The blocks of reStructuredText.

    A title's level is the place of its adornment among those that the document uses, as docutils has it.
    """
    levels: list[str] = []
    place = 0
    while place < len(lines):
        taken, adornment = _heading(lines, place)
        if taken:
            if adornment not in levels:
                levels.append(adornment)
            above = lines[place + (taken == _OVERLINED)].text
            yield Block(tuple(lines[place : place + taken]), levels.index(adornment) + 1, _title(above))
        else:
            taken = 1
            if lines[place].text.strip():
                taken = _paragraph(lines, place)
                yield Block(tuple(lines[place : place + taken]))
        place += taken


def _paragraph(lines: Sequence[Line], place: int) -> int:
    """How many lines until a blank one or a heading."""
    end = place + 1
    while end < len(lines) and lines[end].text.strip() and not _heading(lines, end)[0]:
        end += 1
    return end - place


def _heading(lines: Sequence[Line], place: int) -> tuple[int, str]:
    """How many lines a heading takes that begins here, 0 where none does, and how it is adorned."""
    first, second, third = (line.text.rstrip() for line in (*lines[place : place + 3], *_NONE)[:3])
    if _ADORNMENT.match(first):
        overlined = bool(second.strip()) and third == first and not _ADORNMENT.match(second)
        return (_OVERLINED, first[0] * 2) if overlined and len(first) >= len(second.strip()) else (0, "")
    if not first or first[0].isspace() or not _ADORNMENT.match(second) or len(second) < len(first):
        return 0, ""
    return 2, second[0]


_NONE = (Line(0, ""),) * 3
_OVERLINED = 3
"""Lines of a heading with a line above it."""


def _title(text: str) -> str:
    plain = _ROLE.sub(lambda found: (found[1] or found[2] or "").strip(), text)
    return " ".join(plain.replace("*", "").split())[:MOST_TITLE]
