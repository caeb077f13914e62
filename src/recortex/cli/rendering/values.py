"""Values as people read them: amounts, times to wait, and anything by its fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.terminal import Terminal


def lasting(seconds: float) -> str:
    """A time to wait, as people say it."""
    minutes = round(seconds / 60)
    return f"{minutes:,} min" if minutes else f"{seconds:.0f} s"


_MAX_DEPTH = 12


def fields_of(value: Any, terminal: Terminal) -> str:
    """The value's fields, one on a line, nested ones indented; empty ones left out."""
    from recortex.codec import plain

    return "\n".join(_fields(plain(value), terminal, 0))


def _fields(value: Any, terminal: Terminal, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and depth < _MAX_DEPTH:
        for name, item in value.items():
            if item not in (None, "", [], {}):
                yield from _of_field(clean(str(name)), item, terminal, depth)
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for item in value:
            first, *rest = list(_fields(item, terminal, depth + 1)) or [""]
            yield f"{_margin(depth)}- {first.strip()}"
            yield from rest
    else:
        yield terminal.wrap(_scalar(value), indent=2 * depth)


def _of_field(name: str, item: Any, terminal: Terminal, depth: int) -> Iterator[str]:
    label = f"{_margin(depth)}{terminal.style(name, 'dim')}:"
    if isinstance(item, dict | list):
        yield label
        yield from _fields(item, terminal, depth + 1)
    else:
        text = terminal.wrap(_scalar(item), indent=2 * depth + 2)
        one_line = text.strip()
        yield f"{label} {one_line}" if "\n" not in one_line else f"{label}\n{text}"


def _margin(depth: int) -> str:
    return "  " * depth


def _scalar(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
