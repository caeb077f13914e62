"""What a document is made of: headings, and blocks of lines that belong together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_TITLE = 200
"""Characters of a title that are kept."""


class Line(NamedTuple):
    """A line of a text, or a part of a long one: its number from 1, and what it says."""

    number: int
    text: str


class Block(NamedTuple):
    """A heading, paragraph, list, table or block of code: lines that follow each other.

    Attributes:
        level: of a heading from 1; 0: it is none.
        title: of a heading, without its marks.
    """

    lines: tuple[Line, ...]
    level: int = 0
    title: str = ""


class Collector:
    """Puts lines together into blocks."""

    def __init__(self) -> None:
        self._lines: list[Line] = []

    @property
    def lines(self) -> Sequence[Line]:
        """What the open block has so far."""
        return self._lines

    def add(self, line: Line) -> None:
        """A line of the block that is open."""
        self._lines.append(line)

    def close(self, *, level: int = 0, title: str = "") -> Iterator[Block]:
        """The open block, if there is one."""
        if self._lines:
            yield Block(tuple(self._lines), level, title)
            self._lines = []


def with_titles(blocks: Iterable[Block]) -> Iterator[tuple[tuple[str, ...], Block]]:
    """Each block with the headings that it stands under, the highest first; a heading stands under itself."""
    path: list[tuple[int, str]] = []
    for block in blocks:
        if block.level:
            path = [one for one in path if one[0] < block.level]
            path.append((block.level, block.title))
        yield tuple(title for _, title in path if title), block
