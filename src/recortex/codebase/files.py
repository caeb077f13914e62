"""Cited files: their paths in the project, and a hash that shows when what was cited has changed."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from blake3 import blake3

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.links import FileLink, Freshness

MAX_BYTES = 4 * 1024 * 1024
"""A larger file is not read for a hash."""


def relative(path: str, root: Path) -> str:
    """The path from the project's root with forward slashes; one outside the project stays absolute."""
    plain = path.replace("\\", "/")
    if not plain.startswith("/"):
        return str(PurePosixPath(os.path.normpath(plain))).replace("\\", "/")
    inside = os.path.relpath(plain, root)
    return plain if inside.startswith("..") else inside.replace("\\", "/")


def cited_hash(root: Path, path: str, first: int | None, last: int | None) -> str:
    """BLAKE3 of the cited lines (or of the whole file).

    Empty where the file is not there, too large, or outside.
    """
    text = _read(root, path)
    if text is None:
        return ""
    if first is not None:
        return lines_hash(text.splitlines(keepends=True), first, last)
    return str(blake3(text).hexdigest())


def lines_hash(lines: Sequence[bytes], first: int, last: int | None) -> str:
    """BLAKE3 of some lines of a file, counted from 1."""
    return str(blake3(b"".join(lines[first - 1 : last])).hexdigest())


def freshness(root: Path, files: tuple[FileLink, ...]) -> Freshness:
    """Whether cited files still read as they did: the worst of them; `none` where nothing can be compared."""
    states = {_state(root, file) for file in files if file.content_hash}
    for state in ("gone", "changed", "fresh"):
        if state in states:
            return state
    return "none"


def _state(root: Path, file: FileLink) -> Freshness:
    if not (root / file.path).is_file():
        return "gone"
    now = cited_hash(root, file.path, file.line_start, file.line_end)
    return "fresh" if now == file.content_hash else "changed"


def _read(root: Path, path: str) -> bytes | None:
    """The bytes of a file inside the project; links that lead out of it are not followed."""
    place = os.path.join(root, path)  # noqa: PTH118  a hot path: one call to the system decides nearly always
    try:
        if not os.path.isfile(place):  # noqa: PTH113
            return None
        real = os.path.realpath(place)
        inside = os.path.commonpath([real, os.path.realpath(root)]) == os.path.realpath(root)
        if not inside or os.path.getsize(real) > MAX_BYTES:  # noqa: PTH202
            return None
        return Path(real).read_bytes()
    except (OSError, ValueError):
        return None
