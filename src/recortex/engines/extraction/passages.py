"""Splits the prose of a message into passages: paragraphs and list items, with their headings and lists.

Code blocks, tables, quotations and horizontal rules are left out. One pass over the lines, so the time is
linear.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

PATTERNS = Patterns(__file__)

MAX_TEXT = 200_000
"""Characters of a message that are read: a longer one is pasted."""
MAX_LINE = 2_000
"""A longer line is data, not prose."""

_BOLD_LEVEL = 7
_SECTION_LEVEL = 2


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph or list item.

    Attributes:
        headings: the headings above it, outermost first.
        parents: the list items that it is nested in, outermost first.
        lead: the line with a colon at its end that introduces its list; empty if there is none.
        item: whether it is a list item.
    """

    text: str
    headings: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    lead: str = ""
    item: bool = False


@dataclass(slots=True)
class _Reader:
    """The state of reading: open headings, open list items, and the current paragraph."""

    headings: list[tuple[int, str]] = field(default_factory=list)
    items: list[tuple[int, str]] = field(default_factory=list)
    lead: str = ""
    lines: list[str] = field(default_factory=list)
    indent: int = 0
    is_item: bool = False

    def close(self) -> Iterator[Passage]:
        """End the open paragraph or item and yield it."""
        text = " ".join(self.lines).strip()
        self.lines.clear()
        if not text:
            return
        yield Passage(
            text=text,
            headings=tuple(title for _, title in self.headings),
            parents=tuple(item for _, item in self.items),
            lead=self.lead,
            item=self.is_item,
        )
        if self.is_item:
            self.items.append((self.indent, text))
        else:
            self.lead = text if text.endswith(":") else ""

    def head(self, level: int, title: str) -> None:
        """Open a heading, closing those of its level and below."""
        self.headings = [(at, name) for at, name in self.headings if at < level]
        self.headings.append((level, title))
        self.items.clear()
        self.lead = ""
        self.is_item = False

    def open_item(self, indent: int, text: str) -> None:
        """Open a list item inside those that are indented less."""
        self.items = [(at, item) for at, item in self.items if at < indent]
        self.indent, self.is_item = indent, True
        self.lines.append(text)

    def open_text(self, line: str) -> None:
        """Open a paragraph, inside the list items that are indented less."""
        indent = len(line) - len(line.lstrip())
        self.items = [(at, item) for at, item in self.items if at < indent]
        self.is_item = False
        self.lines.append(line.strip())


def _heading_of(line: str) -> tuple[int, str] | None:
    """Read a line as a heading: Markdown, a known section of a summary, a tag, or a bold line."""
    stripped = line.strip()
    if found := PATTERNS.heading.match(stripped):
        return len(found.group(1)), found.group(2)
    if found := PATTERNS.section.match(stripped):
        return _SECTION_LEVEL, found.group(1)
    if found := PATTERNS.tag.match(stripped):
        return _SECTION_LEVEL, found.group(1).replace("_", " ")
    if line[:1] not in {" ", "\t"} and (found := PATTERNS.bold_line.match(stripped)):
        return _BOLD_LEVEL, found.group(1)
    return None


def passages(text: str) -> Iterator[Passage]:
    """Yield the passages of a Markdown message in order.

    Args:
        text: the message; what follows the first 200,000 characters is not read.
    """
    reader, fenced = _Reader(), False
    for line in text[:MAX_TEXT].splitlines():
        if PATTERNS.fence.match(line):
            fenced = not fenced
            yield from reader.close()
            reader.lead = ""
            continue
        stripped = line.strip()
        if (
            fenced
            or not stripped
            or (stripped.startswith(("|", ">", "---", "===", "***")) or len(stripped) > MAX_LINE)
        ):
            if not fenced:
                yield from reader.close()
            continue
        if heading := _heading_of(line):
            yield from reader.close()
            reader.head(*heading)
        elif found := PATTERNS.item.match(line):
            yield from reader.close()
            reader.open_item(len(found.group(1)), found.group(3))
        elif reader.lines:
            reader.lines.append(stripped)
        else:
            reader.open_text(line)
    yield from reader.close()
