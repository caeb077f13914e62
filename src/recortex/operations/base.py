"""What every group of operations stands on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.links import ConstraintLink, FileLink, FunctionLink, PatternLink
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.application import Application

MAX_LIMIT = 1000
MAX_LINE = 999_999_999


class Operations:
    """A mix-in of the facade; `_app` is what it works on."""

    _app: Application


def outside(path: str, app: Application) -> Path:
    """The file to write, if it is not a store's own.

    Raises:
        InvalidInputError: it is.
    """
    place = Path(path).absolute()
    if any(location.is_part(place) for location in app.locations.values()):
        raise InvalidInputError(f"{path} is the store itself.", hint="Give another path.")
    return place


def bounded(limit: int, *, most: int = MAX_LIMIT) -> int:
    """A limit that can be given.

    Raises:
        InvalidInputError: it is below 1 or above `most`.
    """
    if not 1 <= limit <= most:
        raise InvalidInputError(f"The limit must be from 1 to {most}, not {limit}.")
    return limit


def strings(value: Sequence[str], name: str) -> tuple[str, ...]:
    """A list of words; one bare string is a mistake that would be read as its letters.

    Raises:
        InvalidInputError: it is not a list of strings.
    """
    if isinstance(value, str) or not all(isinstance(item, str) for item in value):
        raise InvalidInputError(f"{name} must be a list of texts.")
    return tuple(value)


def file_link(text: str, root: Path) -> FileLink:
    """The file of `PATH`, `PATH:LINE` or `PATH:FIRST-LAST`, with a hash of the cited lines where it can be read.

    Raises:
        InvalidInputError: there is no path, or the lines run backwards.
    """
    path, first, last = _parts(text.strip())
    if not path or (first is not None and last is not None and not 1 <= first <= last <= MAX_LINE):
        raise InvalidInputError(
            f"{text[:80]!r} is not a file.", hint="Give PATH, PATH:LINE or PATH:FIRST-LAST."
        )
    from recortex.codebase.files import cited_hash, relative

    inside = relative(path, root)
    return FileLink(inside, first, last, cited_hash(root, inside, first, last))


def _parts(text: str) -> tuple[str, int | None, int | None]:
    path, colon, lines = text.rpartition(":")
    first, _, last = lines.partition("-")
    if not colon or not first.isdecimal() or (last and not last.isdecimal()):
        return text, None, None
    return path, _line(first), _line(last or first)


def _line(digits: str) -> int:
    return int(digits) if len(digits) <= len(str(MAX_LINE)) else MAX_LINE + 1


def links(
    functions: Sequence[str], patterns: Sequence[str], constraints: Sequence[str]
) -> tuple[tuple[FunctionLink, ...], tuple[PatternLink, ...], tuple[ConstraintLink, ...]]:
    """Links from their names."""
    return (
        tuple(FunctionLink(name) for name in strings(functions, "functions")),
        tuple(PatternLink(name) for name in strings(patterns, "patterns")),
        tuple(ConstraintLink(name) for name in strings(constraints, "constraints")),
    )
