"""A piece of a file of the project, as text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

from recortex.codebase.git import MAX_BYTES, relative
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from pathlib import Path

MAX_EXCERPT = 64 * 1024
"""Bytes of one piece: a longer text would be found by almost any question."""


class Excerpt(NamedTuple):
    """Lines of a file.

    Attributes:
        path: relative to the project's root.
        content_hash: BLAKE3 of the bytes, as of cited lines.
    """

    path: str
    text: str
    content_hash: str


def excerpt(root: Path, path: str, first: int | None, last: int | None) -> Excerpt:
    """Read lines `first` to `last`, inclusive from 1, or the whole file.

    Raises:
        InvalidInputError: the file is not in the project (also where a link leads out of it), cannot be read,
            is no UTF-8 text, has no such lines, or the piece is larger than 64 KB or empty.
    """
    inside = relative(path, root)
    data = _read(root, inside)
    if first is not None:
        lines = data.splitlines(keepends=True)
        if first > len(lines) or (last or first) > len(lines):
            raise InvalidInputError(
                f"{inside} has {len(lines)} lines.", hint="Give lines that it has, or no lines."
            )
        data = b"".join(lines[first - 1 : last])
    if len(data) > MAX_EXCERPT:
        raise InvalidInputError(
            f"The piece has {len(data):,} bytes; at most {MAX_EXCERPT:,} are kept.",
            hint="Give the lines of one function or class: PATH:FIRST-LAST.",
        )
    if b"\0" in data:
        raise InvalidInputError(f"{inside} is binary.", hint="Only text can be indexed.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{inside} is not UTF-8: a wrong byte at position {error.start}.",
            hint="Only UTF-8 text can be indexed.",
        ) from None
    if not text.strip():
        raise InvalidInputError(f"{inside}: there is nothing in these lines.", hint="Give other lines.")
    return Excerpt(inside, text, str(blake3(data).hexdigest()))


def _read(root: Path, inside: str) -> bytes:
    try:
        place = (root / inside).resolve(strict=True)
        if os.path.isabs(inside) or not place.is_relative_to(root.resolve()):  # noqa: PTH117  a text
            raise InvalidInputError(f"{inside} is outside the project.", hint="Index files of this project.")
        if not place.is_file():
            raise InvalidInputError(f"{inside} is no file.", hint="Give PATH or PATH:FIRST-LAST.")
        if place.stat().st_size > MAX_BYTES:
            raise InvalidInputError(
                f"{inside} is larger than {MAX_BYTES // 1024**2} MB.", hint="Not indexed."
            )
        return place.read_bytes()
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: links in a circle
        reason = getattr(error, "strerror", None) or "not a file's name"
        raise InvalidInputError(
            f"{inside[:200]} cannot be read: {reason}.",
            hint="Give PATH or PATH:FIRST-LAST, from the project's root.",
        ) from None
