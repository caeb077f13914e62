"""Versions that a question names, as the days on which they were released."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SINCE_VERSION = re.compile(
    r"\b(since|after|before|until|till)\s+(?:the\s+)?(?:version\s+|release\s+)?"
    r"(v?\d{1,4}(?:\.\d{1,4}){1,3})\b(?!\.?\d)",
    re.IGNORECASE,
)


def with_days(text: str, root: Path) -> str:
    """The text with `since 2.0` as `since 2026-02-03`, where a tag of the repository is that version.

    Args:
        text: a question.
        root: the top of the working tree.
    """
    if not _SINCE_VERSION.search(text):
        return text
    from recortex.codebase.git import released_at

    def day(found: re.Match[str]) -> str:
        at = released_at(root, found[2])
        return f"{found[1]} {at:%Y-%m-%d}" if at else found[0]

    return _SINCE_VERSION.sub(day, text)
