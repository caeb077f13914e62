"""Regular expressions that are compiled when they are first used, so that importing them costs nothing."""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The compiled expression of a pattern that is known to be valid."""
    return re.compile(pattern)


def fold(text: str) -> str:
    """Lower-case a text so that every offset stays the same."""
    folded = text.lower()
    return (
        folded if len(folded) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    )
