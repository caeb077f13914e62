"""Regular expressions that are compiled when they are first used, so that an import costs nothing."""

from __future__ import annotations

import re
from typing import Any, cast


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The expression of a pattern; it is compiled when one of its methods is first called."""
    return cast("re.Pattern[str]", _Lazy(pattern, flags))


class _Lazy:
    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._source), name)
        setattr(self, name, value)  # from now on found without this method
        return value
