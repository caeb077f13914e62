"""Markdown as blocks: headings, fenced code, and what blank lines part."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.engines.documents.blocks import MOST_TITLE, Collector

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.engines.documents.blocks import Block, Line

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_CLOSING = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*$")
_NO_TITLE = re.compile(r" {0,3}(?:[-+*>|]|\d+[.)]|</?\w)")
"""What may stand before an underline and be no heading: an item, a quotation, a row of a table, a tag."""
_FENCE = re.compile(r"(?:[ \t>]|[-+*][ \t]|\d{1,3}[.)][ \t])*(`{3,}|~{3,})([^`]*)$")
"""The beginning of a block of code, also inside an item or a quotation."""
_ANCHOR = re.compile(r"(?<![ \t])[ \t]*\{[ \t]*[#.:][^{}]*\}[ \t]*$")
_LINKED = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKS = re.compile(r"[`*]|<[^<>]*>")


def blocks(lines: Iterable[Line]) -> Iterator[Block]:
    """The blocks of Markdown."""
    open_, fence = Collector(), ""
    for line in lines:
        text = line.text
        if not fence and not text.strip():
            yield from open_.close()
            continue
        heading = None if fence else _HEADING.match(text)
        opening = None if fence else _FENCE.match(text)
        if fence:
            open_.add(line)
            if _closes(text, fence):
                fence = ""
                yield from open_.close()
        elif opening:
            yield from open_.close()
            open_.add(line)
            fence = opening[1]
        elif heading:
            yield from open_.close()
            open_.add(line)
            yield from open_.close(level=len(heading[1]), title=title(_CLOSING.sub("", heading[2] or "")))
        elif _UNDERLINE.match(text) and len(open_.lines) == 1 and not _NO_TITLE.match(open_.lines[0].text):
            above = open_.lines[0].text
            open_.add(line)
            yield from open_.close(level=1 if "=" in text else 2, title=title(above))
        else:
            open_.add(line)
    yield from open_.close()


def _closes(text: str, fence: str) -> bool:
    bare = text.strip(" \t>")
    return len(bare) >= len(fence) and not bare.strip(fence[0])


def title(text: str) -> str:
    """A heading as it is read: without anchors, links and marks."""
    plain = _MARKS.sub("", _LINKED.sub(r"\1", _ANCHOR.sub("", text)))
    return " ".join(plain.split())[:MOST_TITLE]
