"""Regular expressions that are compiled when first used: importing the rules costs nothing to a command that redacts nothing."""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The compiled expression of a pattern known to be sound; the table has its own way for rows that may not be."""
    return re.compile(pattern)
