"""A file's text as one number for each line that says something, for comparing and finding lines."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import NamedTuple
from zlib import crc32

_SPACE = b" \t\r\n\f\v"
_BITS = 32


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
            shift = _BITS - 8 * width
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
