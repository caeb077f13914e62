"""A record's text as what it says of itself, and its headings with what stands below them.

Markdown, AsciiDoc and reStructuredText; code blocks and comments are no text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.expressions import lazy
from recortex.engines.documents.reading import field_list, front_matter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FENCE = lazy(r"[ \t]{0,3}(`{3,}|~{3,}|-{4,}[ \t]*$|\.{4,}[ \t]*$)")
_ATX = lazy(r"[ ]{0,3}(#{1,6}|={1,6})[ \t]+(.+?)[ \t]*#*[ \t]*$")
_UNDERLINE = lazy(r"([=\-~^\"*+#'`:._])\1*[ \t]*$")
_COMMENT = lazy(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_NOT_PLAIN = lazy(r"[ \t]*(?:[-*+|>#=]|\d+[.)][ \t])")
_WITH_LINE_ABOVE = 2
MOST_LINE = 2_000
"""Characters of a line that are looked at."""


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
    lines = [line[:MOST_LINE] for line in text.split("\n")]
    front, taken = front_matter(lines)
    if not taken and suffix == ".rst":
        front, taken = field_list(lines)
    named = {str(name).strip().lower().replace("_", "-"): value for name, value in front.items()}
    return Outline(named, tuple(_sections(list(_outside_code(lines, taken, suffix)), suffix)))


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


def _sections(lines: Sequence[Line], suffix: str) -> Iterator[Section]:
    level, title, below, place = 0, "", list[Line](), 0
    marks = [] if suffix == ".rst" else ["=", "-"]
    while place < len(lines):
        found = _heading(lines[place : place + 3], marks, adorned=suffix == ".rst")
        if found:
            yield Section(level, title, tuple(below))
            level, title, used = found
            below = []
            place += used
        else:
            below.append(lines[place])
            place += 1
    yield Section(level, title, tuple(below))


def _heading(lines: Sequence[Line], marks: list[str], *, adorned: bool) -> tuple[int, str, int] | None:
    """The level and title of a heading, and how many lines it takes.

    Args:
        lines: three at most, the first one in question.
        marks: by which titles are underlined, the highest first; new ones are added where it may be any.
        adorned: it may be any sign, and a line above too, as in reStructuredText.
    """
    if not adorned and (found := _ATX.match(lines[0].text)):
        return len(found[1]), found[2].strip(), 1
    over = adorned and len(lines) > _WITH_LINE_ABOVE and _UNDERLINE.match(lines[0].text)
    line, under = lines[1 if over else 0], lines[(2 if over else 1) : (3 if over else 2)]
    mark = _UNDERLINE.match(under[0].text) if under and under[0].number == line.number + 1 else None
    said = line.text.strip()
    text = said and not _NOT_PLAIN.match(line.text) and (over or not line.text.startswith((" ", "\t")))
    if not mark or not text or len(mark[0].strip()) < max(min(3, len(said)), len(said) // 2):
        return None
    if mark[1] not in marks:
        if not adorned:
            return None
        marks.append(mark[1])
    return marks.index(mark[1]) + 1, said, 3 if over else 2
