"""Where the sentences and lines of a message stand, as they were labelled (`bench/statements.py`)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    from collections.abc import Iterator

_FENCE = lazy(
    r"^[^\S\n]*(`{3,9}|~{3,9}).*?(?:^[^\S\n]*\1[^\S\n]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
_BETWEEN = lazy(r"(?<=[.!?])[\"'”’)\]*_`]{0,3}\s+|(?<=[。！？])|\n+")  # noqa: RUF001
_LEAST, _LONGEST = 15, 400


def sentences(text: str, least: int = _LEAST) -> Iterator[tuple[int, int]]:
    """Beginning and end of each sentence of so many characters, at most 400 of it; no blocks of code."""
    text = _FENCE.sub(lambda block: "\n" * len(block[0]), text)
    start = 0
    for found in [*_BETWEEN.finditer(text), None]:
        end = found.start() if found else len(text)
        piece = text[start:end]
        begin = start + len(piece) - len(piece.lstrip())
        if len(piece.strip()) >= least:
            yield begin, min(begin + _LONGEST, start + len(piece.rstrip()))
        start = found.end() if found else end
