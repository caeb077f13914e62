"""Marked-up text as plain sentences, cut where a sentence ends."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.engines.decisions.outline import Line

_IMAGE = lazy(r"!\[[^\]\n]{0,200}\]\([^)\n]{0,400}\)|^[ \t]*image::?\S.*$", re.MULTILINE)
_LINK = lazy(
    r"\[([^\]\[]{0,300})\]"
    r"\([^()\[\s]{0,400}(?:\([^()\[\s]{0,100}\)[^()\[\s]{0,100})?(?:[ \t][^()\[]{0,200})?\)"
)
_XREF = lazy(r"(?:link|xref):[^\s\[]{1,500}\[([^\]]{0,300})\]")
_HTML = lazy(
    r"</?(?:a|b|i|u|s|p|br|hr|em|del|div|img|kbd|sub|sup|pre|code|span|strong|table|tr|td|th|ul|ol|li|"
    r"details|summary|blockquote|h[1-6])(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_ESCAPED = lazy(r"\\([\\`*_{}\[\]()#+.!<>|~-])")
_OPEN = lazy(r"\b(?:because|that|are|is|by|with|to|in|the|and|following)$", re.IGNORECASE)
_STRONG = lazy(r"\*\*(?=\S)(.{1,500}?\S|\S)\*\*|__(?=\S)(.{1,500}?\S|\S)__")
MOST_PLAIN = 4_000
"""Characters of one paragraph or item that are looked at."""
_ITEM = lazy(r"([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)$")
_TABLE = lazy(r"[ \t]*\|")
_SENTENCE_END = lazy(r"[.!?:;]['\")\]]?(?=\s)")


def plain(text: str) -> str:
    """A text without links, images, tags and emphasis, on one line; what is too long is cut."""
    text = text[:MOST_PLAIN]
    text = _IMAGE.sub(" ", text)
    text = _LINK.sub(r"\1", text)
    text = _XREF.sub(r"\1", text)
    text = _HTML.sub(" ", text)
    text = _STRONG.sub(lambda found: found[1] or found[2], text)
    text = _ESCAPED.sub(r"\1", text)
    return " ".join(text.split())


def cut(text: str, most: int) -> str:
    """The text, cut after its last sentence that fits; at a word where the first one does not."""
    if len(text) <= most:
        return text
    ends = [found.end() for found in _SENTENCE_END.finditer(text[: most + 1])]
    if ends and ends[-1] > most // 3:
        return text[: ends[-1]].rstrip(":; ")
    return text[: most - 1].rpartition(" ")[0].rstrip(" ,;:") + "…"


def prose(lines: Sequence[Line], most: int) -> str:
    """The paragraphs and items of some lines as sentences; tables are left out."""
    return cut(" ".join(map(_ended, _first(pieces(lines), most))), most)


def joined(lines: Sequence[Line], most: int) -> str:
    """The first paragraphs and items of some lines, of about so many characters, on one line."""
    return " ".join(_first(pieces(lines), most))


def _first(said: Iterable[str], most: int) -> Iterator[str]:
    """As many of the texts as have so many characters, and the next one."""
    left = most
    for text in said:
        yield text
        left -= len(text) + 1
        if left < 0:
            return


def _ended(piece: str) -> str:
    """A piece with the mark that ends it; one that its list goes on has none."""
    return piece if piece.endswith((".", "!", "?", ":", ";", ",")) or _OPEN.search(piece) else f"{piece}."


def pieces(lines: Sequence[Line]) -> Iterator[str]:
    """Each paragraph and each list item as one plain line."""
    for text, _ in _blocks(lines):
        if said := plain(text):
            yield said


def items(lines: Sequence[Line]) -> list[str]:
    """The outermost items of the lists, each with what is nested in it, marked up as they are."""
    found: list[tuple[int, str]] = []
    for text, depth in _blocks(lines):
        if depth is None:
            continue
        if found and depth > found[-1][0]:
            found[-1] = (found[-1][0], f"{found[-1][1]} {text}")
        else:
            found.append((depth, text))
    least = min((depth for depth, _ in found), default=0)
    return [text for depth, text in found if depth == least]


def _blocks(lines: Sequence[Line]) -> Iterator[tuple[str, int | None]]:
    """Paragraphs, and items with their depth of indentation."""
    block, depth = list[str](), None
    for line in lines:
        item = _ITEM.match(line.text)
        if item or not line.text.strip() or _TABLE.match(line.text):
            if block:
                yield " ".join(block), depth
            block, depth = [], None
        if item:
            block, depth = [item[2]], len(item[1].expandtabs(4))
        elif line.text.strip() and not _TABLE.match(line.text):
            block.append(line.text.strip().lstrip("> "))
    if block:
        yield " ".join(block), depth
