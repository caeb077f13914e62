"""Texts that should be gone, looked for in files."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

WINDOW = 40
"""Bytes of a text that are looked for at a time: short enough to lie within a page, long enough to be no
accident."""


def traces(
    files: Sequence[Path],
    texts: Sequence[str],
    still_said: Callable[[str], bool],
    apart: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> tuple[int, list[Path]]:
    """Read files byte by byte for texts that should be gone.

    Args:
        files: to read.
        texts: to look for.
        still_said: whether a living memory holds a part of a text.
        apart: in which no connection to the files is open, where closing a file would take its locks away.

    Returns:
        How many bytes were read, and the files that still hold a part of a text that no living memory holds.
    """
    needles = {window for text in texts for window in _windows(text)}
    wanted = [needle for needle in needles if not _kept_elsewhere(needle, still_said)]
    total, found = 0, []
    with apart():
        for path in files:
            data = path.read_bytes() if path.is_file() else b""
            total += len(data)
            if any(needle in data for needle in wanted):
                found.append(path)
    return total, found


def _windows(text: str) -> Iterator[bytes]:
    for shape in (text, text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")):
        data = shape.encode()
        yield data[:WINDOW]
        yield from (data[start : start + WINDOW] for start in range(WINDOW, len(data) - WINDOW + 1, WINDOW))


def _kept_elsewhere(needle: bytes, still_said: Callable[[str], bool]) -> bool:
    part = needle.decode("utf-8", "ignore")
    return len(part) < WINDOW // 8 or still_said(part)
