"""Amounts as people read them."""

from __future__ import annotations

_KILO = 1024


def size(count: float) -> str:
    """Bytes in the unit that fits."""
    for unit in ("bytes", "KB", "MB"):
        if count < _KILO:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= _KILO
    return f"{count:.1f} GB"


def plural(count: int, one: str, many: str = "") -> str:
    """`1 file`, `2 files`, `3 memories`; `many` where the plural is another."""
    regular = f"{one[:-1]}ies" if one.endswith("y") else f"{one}s"
    return f"{count:,} {one if count == 1 else many or regular}"
