"""A few dozen bytes of cited lines, from which they are found again after they moved or were changed.

`COUNT.BASE64`: how many lines are not blank; then the number of all these lines together (4 bytes), of two
lines before and two after them (2 bytes each; zero where there is none), and of the lines themselves: of up
to `EACH` all, of more a sample.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.citations.lines import Lines, together

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST = 24
"""Lines of a sample."""
WIDE, NARROW = 3, 2
"""Bytes of a line: of few, which collide more easily with others of a file, and of many."""
FEW = 12
AROUND = 2
"""Lines before, and after."""
_WHOLE, _AROUND_BYTES = 4, 2
_BITS = 32
_LONGEST = 200
_MOST_LINES = 10_000_000


class Signature(NamedTuple):
    """A signature, taken apart.

    Attributes:
        size: lines that are not blank.
        whole: of all of them together.
        before, after: what stands around them, in order; 0 where there is nothing.
        lines: all of them, or a sample in order.
    """

    size: int
    whole: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    lines: tuple[int, ...]

    @property
    def width(self) -> int:
        """Bytes of each line."""
        return width_of(self.size)

    @property
    def sampled(self) -> bool:
        """Whether there are more lines than it tells."""
        return self.size > len(self.lines)


def width_of(count: int) -> int:
    """Bytes of each of so many lines."""
    return WIDE if count <= FEW else NARROW


def sign(lines: Lines, first: int | None, last: int | None) -> str:
    """The signature of a range of lines, or of a whole file; empty where nothing is in it."""
    start, end = lines.within(first, last)
    count = end - start
    if not count:
        return ""
    whole = together(lines.hashes[start:end])
    before = [lines.hashes[place] if place >= 0 else 0 for place in range(start - AROUND, start)]
    after = [lines.hashes[place] if place < len(lines.hashes) else 0 for place in range(end, end + AROUND)]
    told = [lines.hashes[place] for place in _sample(lines, start, count)]
    packed = b"".join(
        [
            _packed([whole], _WHOLE),
            _packed([*before, *after], _AROUND_BYTES),
            _packed(told, width_of(count)),
        ]
    )
    return f"{count}.{b64encode(packed).decode()}"


def buckets(count: int) -> Iterator[tuple[int, int]]:
    """The parts of so many lines of each of which one is told, from and up to.

    The first and the last line are parts of their own, since they tell where the range begins and ends.
    """
    if count <= MOST:
        yield from ((place, place + 1) for place in range(count))
        return
    inner, parts = count - 2, MOST - 2
    yield 0, 1
    for part in range(parts):
        yield 1 + part * inner // parts, 1 + (part + 1) * inner // parts
    yield count - 1, count


def _sample(lines: Lines, start: int, count: int) -> Iterator[int]:
    """The longest line of each part, which is the likeliest to be the only one of its text."""
    for low, high in buckets(count):
        yield max(range(start + low, start + high), key=lines.length) if high - low > 1 else start + low


def parsed(text: str) -> Signature | None:
    """The inverse of `sign`; None where a text is no signature."""
    count, _, packed = text[:_LONGEST].partition(".")
    if not (count.isdecimal() and count.isascii() and 0 < int(count) <= _MOST_LINES):
        return None
    try:
        data = b64decode(packed, validate=True)
    except (Error, ValueError):
        return None
    lines, width = min(int(count), MOST), width_of(int(count))
    if len(data) != _WHOLE + 2 * AROUND * _AROUND_BYTES + lines * width:
        return None
    around = _unpacked(data[_WHOLE : _WHOLE + 2 * AROUND * _AROUND_BYTES], _AROUND_BYTES)
    told = _unpacked(data[_WHOLE + 2 * AROUND * _AROUND_BYTES :], width)
    whole = int.from_bytes(data[:_WHOLE], "big")
    return Signature(int(count), whole, around[:AROUND], around[AROUND:], told)


def _packed(values: Sequence[int], width: int) -> bytes:
    """The highest bytes of numbers of 32 bits."""
    shift = _BITS - 8 * width
    return b"".join((value >> shift).to_bytes(width, "big") for value in values)


def _unpacked(data: bytes, width: int) -> tuple[int, ...]:
    return tuple(int.from_bytes(data[at : at + width], "big") for at in range(0, len(data), width))
