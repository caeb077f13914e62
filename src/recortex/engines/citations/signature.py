"""A few dozen bytes of cited lines, from which they are found again after they moved or were changed.

`COUNT.BASE64`: how many lines are not blank; then the number of all these lines together (4 bytes), of two
lines before and two after them (2 bytes each; zero where there is none), and of the lines themselves: of up
to `EACH` all, of more a sample.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


# -- A file's text as one number for each line that says something, for comparing and finding lines


_SPACE = b" \t\r\n\f\v"
_LINES_BITS = 32


class _Table(NamedTuple):
    numbers: list[int]
    hashes: list[int]


class Lines:
    """The lines of a file that are not blank. Layout does not count: indentation, spaces, line ends."""

    def __init__(self, data: bytes) -> None:
        self.raw = data.splitlines(keepends=True)
        self.size = len(data)

    @cached_property
    def _table(self) -> _Table:
        bare = [line.translate(None, _SPACE) for line in self.raw]
        said = [(number, crc32(line)) for number, line in enumerate(bare, 1) if line]
        return _Table([number for number, _ in said], [value for _, value in said])

    @property
    def numbers(self) -> list[int]:
        """The number of each line that is not blank, from 1, ascending."""
        return self._table.numbers

    @property
    def hashes(self) -> list[int]:
        """CRC-32 of each such line without its white space."""
        return self._table.hashes

    def within(self, first: int | None, last: int | None) -> tuple[int, int]:
        """The places of `numbers` that lie in a range of lines, from and up to; None: the whole file."""
        if first is None:
            return 0, len(self.numbers)
        return bisect_left(self.numbers, first), bisect_right(self.numbers, last or first)

    def length(self, place: int) -> int:
        """Bytes of a line that is not blank, without its white space."""
        return len(self.raw[self.numbers[place] - 1].translate(None, _SPACE))

    def found(self, width: int) -> dict[int, list[int]]:
        """The places of each line by its number cut to so many bytes."""
        if width not in self._found:
            shift = _LINES_BITS - 8 * width
            places: dict[int, list[int]] = {}
            for place, value in enumerate(self.hashes):
                places.setdefault(value >> shift, []).append(place)
            self._found[width] = places
        return self._found[width]

    @cached_property
    def _found(self) -> dict[int, dict[int, list[int]]]:
        return {}


def together(hashes: list[int]) -> int:
    """One number of 32 bits for several lines."""
    return crc32(b"".join(value.to_bytes(4, "big") for value in hashes))


# -- a few dozen bytes of cited lines, from which they are found again after they moved or were changed


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
