"""Texts of a session cut to what an exchange keeps of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

LEFT_OUT = " […] "
_FENCE = lazy(r"^[^\S\n]*(`{3,9}|~{3,9})[^\n]*\n.*?(?:^[^\S\n]*\1[^\S\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_SPACES = lazy(r"[^\S\n]+")
_EMPTY_LINES = lazy(r"\n\s*\n")
_RULE = lazy(r"^\s*[-*_=]{3,}\s*$\n?", re.MULTILINE)
_BETWEEN = lazy(r"(?<=[.!?])[\"'”’)\]*_`]{0,3}\s+|(?<=[。！？])|\n+")  # noqa: RUF001
_SHORTEST = 15


def prose(text: str) -> str:
    """A message without blocks of code, horizontal rules and empty lines."""
    text = _RULE.sub("", _FENCE.sub("\n", text))
    return _EMPTY_LINES.sub("\n", _SPACES.sub(" ", text)).strip()


def sentences(text: str) -> Iterator[str]:
    """The sentences and lines of a text; a very short one goes with the next."""
    held = ""
    for part in _BETWEEN.split(text):
        held = f"{held} {part.strip()}".strip()
        if len(held) >= _SHORTEST:
            yield held
            held = ""
    if held:
        yield held


def first_sentence(text: str, most: int = 240) -> str:
    """The sentence that a text begins with."""
    return shortened(next(sentences(text), ""), most, 0)


def shortened(text: str, head: int, tail: int) -> str:
    """The beginning and the end of a text, cut between words where there are some."""
    if len(text) <= head + tail + len(LEFT_OUT):
        return text
    kept, end = text[:head], text[len(text) - tail :] if tail else ""
    space, after = kept.rfind(" "), end.find(" ")
    kept = kept[:space] if space > head // 2 else kept
    end = end[after + 1 :] if 0 <= after < tail // 2 else end
    return f"{kept.rstrip()}{LEFT_OUT}{end.lstrip()}".rstrip()


def ending(text: str, most: int) -> str:
    """The end of a text, from where a sentence or line begins if one does in its first half."""
    if len(text) <= most:
        return text
    cut = text[-most:]
    starts = [found.end() for found in _BETWEEN.finditer(cut)]
    return cut[next((start for start in starts if start < most // 2), 0) :].lstrip()


def pieces(text: str, most: int) -> Iterator[str]:
    """A text in pieces of at most that many characters, of whole sentences where these are shorter."""
    held = ""
    for sentence in sentences(text):
        for part in (sentence[at : at + most] for at in range(0, len(sentence), most)):
            if held and len(held) + len(part) + 1 > most:
                yield held
                held = ""
            held = f"{held}\n{part}" if held else part
    if held:
        yield held
