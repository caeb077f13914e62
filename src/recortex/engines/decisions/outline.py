"""A record's text as what it says of itself, and its headings with what stands below them.

Markdown, AsciiDoc and reStructuredText; code blocks and comments are no text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.expressions import lazy
from recortex.engines.documents.front_matter import field_list, front_matter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FENCE = lazy(r"[ \t]{0,3}(`{3,}|~{3,}|-{4,}[ \t]*$|\.{4,}[ \t]*$)")
_ATX = lazy(r"[ ]{0,3}(#{1,6}|={1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_UNDERLINE = lazy(r"(=+|-+|~+|\^+|\"+|\*+|\++)[ \t]*$")
_COMMENT = lazy(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOT_PLAIN = lazy(r"[ \t]*(?:[-*+|>#=]|\d+[.)][ \t])")
_LEVELS = '=-~^"*+'


class Line(NamedTuple):
    """A line of text outside code blocks, with its number from 1."""

    number: int
    text: str


class Section(NamedTuple):
    """A heading with the lines up to the next heading of whatever level; level 0: before the first one."""

    level: int
    title: str
    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """Its lines as one text."""
        return "\n".join(line.text for line in self.lines)


class Outline(NamedTuple):
    """A record's front matter, by lower-case name, and its sections in order."""

    front: dict[str, Any]
    sections: tuple[Section, ...]


def outline(text: str, suffix: str = ".md") -> Outline:
    """Read a record.

    Args:
        text: of the whole file.
        suffix: of its name: `.rst` and `.adoc` have headings and fields of their own.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    text = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    lines = text.split("\n")
    front, taken = front_matter(lines)
    if not taken and suffix == ".rst":
        front, taken = field_list(lines)
    named = {str(name).strip().lower().replace("_", "-"): value for name, value in front.items()}
    return Outline(named, tuple(_sections(list(_outside_code(lines, taken, suffix)))))


def _outside_code(lines: Sequence[str], first: int, suffix: str) -> Iterator[Line]:
    """The lines that are no code; a block that is never closed ends with the text."""
    closing = ""
    for number, line in enumerate(lines[first:], first + 1):
        fence = _FENCE.match(line)
        mark = fence[1].strip() if fence else ""
        if closing:
            if mark.startswith(closing) or (closing in "-." and mark[:1] == closing):
                closing = ""
        elif mark and (mark[0] in "`~" or suffix in {".adoc", ".asciidoc"}):
            closing = mark[:3] if mark[0] in "`~" else mark[0]
        else:
            yield Line(number, line)


def _sections(lines: Sequence[Line]) -> Iterator[Section]:
    level, title, below, place = 0, "", list[Line](), 0
    while place < len(lines):
        line = lines[place]
        under = lines[place + 1] if place + 1 < len(lines) else Line(0, "")
        found = _heading(line.text, under.text if under.number == line.number + 1 else "")
        if found:
            yield Section(level, title, tuple(below))
            level, title, used = found
            below = []
            place += used
        else:
            below.append(line)
            place += 1
    yield Section(level, title, tuple(below))


def _heading(line: str, under: str) -> tuple[int, str, int] | None:
    """The level and title of a heading, and how many lines it takes."""
    if found := _ATX.match(line):
        return len(found[1]), found[2].strip(), 1
    mark = _UNDERLINE.match(under)
    plain = line.strip() and not _NOT_PLAIN.match(line) and not line.startswith((" ", "\t"))
    if (
        mark
        and plain
        and len(mark[1]) >= min(3, len(line.strip()))
        and len(mark[1]) >= len(line.strip()) // 2
    ):
        return _LEVELS.index(mark[1][0]) + 1, line.strip(), 2
    return None
