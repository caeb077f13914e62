"""Imports that cost less than usual, for what starts often: hooks and short commands."""

from __future__ import annotations

import sys
from typing import cast

_UNNEEDED = "typing_extensions"
"""msgspec loads this where it is installed, which costs the hook of a prompt a twentieth of its time, and
uses nothing of it that the standard library of Python 3.11 lacks."""

_loaded = _UNNEEDED in sys.modules
if not _loaded:
    cast("dict[str, object]", sys.modules)[_UNNEEDED] = None  # importing it fails as if it were not there
try:
    import msgspec
finally:
    if not _loaded:
        del sys.modules[_UNNEEDED]

__all__ = ["msgspec"]
