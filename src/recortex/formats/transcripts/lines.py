"""A growing file, line by line, in bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_LIMIT = 16 * 1024 * 1024


class Line(NamedTuple):
    """A line with its place.

    `raw` is None where it is longer than the limit; `ended` tells of its line break.
    """

    start: int
    end: int
    raw: bytes | None
    ended: bool


def lines(file: BinaryIO, start: int, limit: int = LINE_LIMIT) -> Iterator[Line]:
    """Every line from a byte offset on, without holding more than one."""
    file.seek(start)
    while raw := file.readline(limit):
        end = start + len(raw)
        if raw.endswith(b"\n") or len(raw) < limit:
            yield Line(start, end, raw, raw.endswith(b"\n"))
        else:
            del raw
            end, ended = _past_line(file, end)
            yield Line(start, end, None, ended)
        start = end


def _past_line(file: BinaryIO, position: int) -> tuple[int, bool]:
    while rest := file.readline(1024 * 1024):
        position += len(rest)
        if rest.endswith(b"\n"):
            return position, True
    return position, False
