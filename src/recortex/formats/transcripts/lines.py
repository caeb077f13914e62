"""Reads a growing file line by line in bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

LINE_LIMIT = 16 * 1024 * 1024


class Line(NamedTuple):
    """A line with its byte offsets. `raw` is None if it is too long; `ended` says if it has a line break."""

    start: int
    end: int
    raw: bytes | None
    ended: bool


def lines(file: BinaryIO, start: int, limit: int = LINE_LIMIT) -> Iterator[Line]:
    """Read every line from a byte offset on, holding one at a time."""
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
