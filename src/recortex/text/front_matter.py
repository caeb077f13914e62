"""What a document says of itself before its text: front matter, and the fields of reStructuredText."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from recortex.domain.text import read_toml

if TYPE_CHECKING:
    from collections.abc import Sequence

_BORDERS = {"---": ("---", "..."), "+++": ("+++",)}
_MOST_LINES, _MOST_NAMES = 400, 60
_MOST_BITS = 63
_NAME = re.compile(r"""["']?([\w@$][\w .@/$-]{0,60}?)["']?[ \t]*:(?:[ \t]+(.*))?$""")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_FIELD = re.compile(r":([\w][\w .-]{0,60}):(?:[ \t]+(.*))?$")
RAW = "front matter"
"""The name under which one is kept that cannot be read."""


def front_matter(lines: Sequence[str]) -> tuple[dict[str, Any], int]:
    """What stands at the beginning between two borders, and how many lines it takes; none: empty and 0.

    Of YAML the plain part is read: names with a text or a list of texts. What is nested or folded is kept as
    the text that it is. One whose second border is missing is none.
    """
    ends = _BORDERS.get(lines[0].rstrip()) if lines else None
    for place, line in enumerate(lines[1:_MOST_LINES] if ends else (), 1):
        if ends and line.rstrip() in ends:
            inside = lines[1:place]
            return (_toml(inside) if lines[0].startswith("+") else _yaml(inside)), place + 1
    return {}, 0


def _toml(lines: Sequence[str]) -> dict[str, Any]:
    text = "\n".join(lines)
    try:
        return {name: _plain(value) for name, value in list(read_toml(text).items())[:_MOST_NAMES]}
    except (ValueError, RecursionError):
        return {RAW: text}


def _plain(value: Any) -> Any:
    """A value as JSON can hold it, the nested ones as texts.

    Raises:
        ValueError: it is a number that JSON cannot hold.
    """
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise ValueError
    if isinstance(value, list):
        return [str(one) for one in value]
    return value if isinstance(value, str | bool | int | float) else str(value)


def _yaml(lines: Sequence[str]) -> dict[str, Any]:
    """The value of each name, with the lines below it that belong to it."""
    found: dict[str, tuple[str, list[str]]] = {}
    below: list[str] = []
    for line in lines:
        name = None if line[:1].isspace() or line.startswith(("-", "#")) else _NAME.match(line)
        if name and len(found) < _MOST_NAMES:
            below = []
            found[name[1]] = ((name[2] or "").strip(), below)
        elif line.strip() and not line.startswith("#"):
            below.append(line)
    return {name: _value(text, nested) for name, (text, nested) in found.items()}


def _value(text: str, below: Sequence[str]) -> Any:
    if not below:
        listed = text.startswith("[") and text.endswith("]")
        return [_unquoted(one) for one in text[1:-1].split(",") if one.strip()] if listed else _unquoted(text)
    items = [item[1] for item in map(_ITEM.match, below) if item]
    if not text and len(items) == len(below):
        return [_unquoted(one) for one in items]
    if text[:1] in {">", "|"}:
        return (" " if text[0] == ">" else "\n").join(line.strip() for line in below)
    return "\n".join(filter(None, (text, *below)))


def _unquoted(text: str) -> str:
    text = text.strip()
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text


def field_list(lines: Sequence[str]) -> tuple[dict[str, Any], int]:
    """The fields that reStructuredText begins with, and how many lines they take; none: empty and 0."""
    found: dict[str, Any] = {}
    taken = 0
    for line in lines[:_MOST_LINES]:
        if field := _FIELD.match(line):
            found[field[1]] = field[2] or ""
        elif found and line[:1].isspace() and line.strip():
            name = next(reversed(found))
            found[name] = f"{found[name]} {line.strip()}".strip()
        else:
            break
        taken += 1
    return found, taken
