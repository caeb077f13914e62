"""Recortex: long-term memory for coding agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.version import __version__

if TYPE_CHECKING:
    from recortex.cortex import Cortex

__all__ = ["Cortex", "__version__"]


def __getattr__(name: str) -> object:
    """`Cortex` is imported when it is asked for, so that `recortex --help` does not wait for it."""
    if name == "Cortex":
        from recortex.cortex import Cortex

        return Cortex
    raise AttributeError(f"module 'recortex' has no attribute {name!r}")
