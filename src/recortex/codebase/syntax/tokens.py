"""Hashes of definitions over their tokens: layout, comments and documentation do not count.

The file is brought into a plain form once, and each definition is a slice of it. Words and signs are kept
apart by a byte that no source has; literals stay as they are. What formatters change does not count either: a
comma before a closing bracket on its own line, the quotes of a plain string, semicolons where the language
needs none. In Python, where layout is meaning, blocks are marked.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING
from zlib import crc32

from blake3 import blake3

if TYPE_CHECKING:
    from collections.abc import Iterable

Span = tuple[int, int]

_TOKEN = re.compile(rb"[\w$\x80-\xff]+|[^\s\w]")
_LAST_COMMA = re.compile(rb",(?=[ \t]*\r?\n\s*[)\]}])")
_NO_SEMICOLON = re.compile(rb"[\w$\x80-\xff]+|[^\s\w;]")
_PLAIN_STRING = re.compile(rb"([bBfFrRuU]{0,2})'([^'\"\\\n]*)'")
QUOTES_ALIKE = frozenset({"python", "javascript", "typescript"})
NO_SEMICOLON = frozenset({"javascript", "typescript"})
_JOINTS = (b"\0.\0", b"\0>\0")
_OWN_JOINTS = (b"\0self\0.\0", b"\0this\0.\0", b"\0cls\0.\0", b"\0$this\0-\0>\0", b"\0this\0-\0>\0")
_ITSELF = b"\0\x01\0"
_SPACE = b" \t\r\f\v;"
DIGEST = 16  # bytes: two definitions of a project by chance alike in none of 10^18


class Tokens:
    """The plain form of a file.

    Args:
        data: the file without comments.
        language: of its facts.
        dropped: spans that do not count: documentation.
        literals: spans that are kept as they are.
        blocks: spans whose ends are marked.
        cuts: places at which slices begin and end.
    """

    def __init__(
        self,
        data: bytes,
        language: str,
        dropped: Iterable[Span],
        literals: Iterable[Span],
        blocks: Iterable[Span],
        cuts: Iterable[int],
    ) -> None:
        text = bytearray(data)
        for start, end in dropped:
            text[start:end] = re.sub(rb"[^\n]", b" ", data[start:end])
        self.text = _LAST_COMMA.sub(b" ", bytes(text))
        self._token = _NO_SEMICOLON if language in NO_SEMICOLON else _TOKEN
        marks = dict.fromkeys(cuts, b"")
        for start, end in blocks:
            marks[start] = marks.get(start, b"") + b"{\0"
            marks[end] = b"}\0" + marks.get(end, b"")
        self._alike = language in QUOTES_ALIKE
        self._join(marks, _outermost(literals))

    def _join(self, marks: dict[int, bytes], literals: dict[int, int]) -> None:
        inside = list(literals.items())
        places = sorted({0, len(self.text), *marks, *(one for span in inside for one in span)})
        parts: list[bytes] = []
        length = 0
        self._before: dict[int, int] = {}
        self._after: dict[int, int] = {}
        for start, end in pairwise([*places, len(self.text)]):
            mark = marks.get(start, b"")
            self._before[start], self._after[start] = length, length + len(mark)
            piece = mark + self._piece(start, end, literal=literals.get(start) == end)
            parts.append(piece)
            length += len(piece)
        self._plain = b"".join(parts)

    def _piece(self, start: int, end: int, *, literal: bool) -> bytes:
        if start == end:
            return b""
        if not literal:
            found = self._token.findall(self.text, start, end)
            return b"\0".join(found) + b"\0" if found else b""
        piece = self.text[start:end]
        if self._alike and (plain := _PLAIN_STRING.fullmatch(piece)):
            piece = plain[1] + b'"' + plain[2] + b'"'
        return piece + b"\0"

    def hash(self, start: int, end: int, name: str) -> str:
        """Of the tokens between two cuts; blocks that begin or end right there are others'.

        Where it says its own name, it says `itself`, so that it keeps its hash when it is renamed. Members
        of other objects may have the same name, and keep it.
        """
        own, plain = name.encode() + b"\0", b"\0" + self._plain[self._after[start] : self._before[end]]
        for joint in _JOINTS:
            plain = plain.replace(joint + own, joint + b"\x02" + own)
        for joint in _OWN_JOINTS:
            plain = plain.replace(joint + b"\x02" + own, joint + own)
        # Twice: of two in a row, the first takes along the byte that the second begins with.
        plain = plain.replace(b"\0" + own, _ITSELF).replace(b"\0" + own, _ITSELF).replace(b"\x02", b"")
        return blake3(plain).hexdigest(length=DIGEST)

    def lines(self) -> bytes:
        """Two bytes for each line of the file, of its tokens; zeros where it has none."""
        bare = (line.translate(None, _SPACE) for line in self.text.split(b"\n"))
        return b"".join([(crc32(line) % 65_535 + 1).to_bytes(2, "big") if line else b"\0\0" for line in bare])


def _outermost(spans: Iterable[Span]) -> dict[int, int]:
    """Spans by their starts, without those that lie within another."""
    found: dict[int, int] = {}
    reached = -1
    for start, end in sorted(spans, key=lambda one: (one[0], -one[1])):
        if start >= reached:
            found[start], reached = end, end
    return found
