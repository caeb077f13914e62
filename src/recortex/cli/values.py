"""From a word of the command line to the value that a parameter's type asks for."""

from __future__ import annotations

import sys
import types
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from datetime import datetime
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from recortex.errors import InvalidInputError, RecortexError

MAX_INPUT = 16 * 1024 * 1024  # bytes of standard input or of a file given with @
STDIN = "-"

_LARGEST = 2**63 - 1  # what a store can hold
_SPLIT_NAMES = frozenset({"tags", "kinds", "statuses", "domains", "origins"})
_UNIONS = (Union, types.UnionType)


@dataclass(frozen=True, slots=True)
class Shape:
    """How a parameter is written on the command line.

    Attributes:
        read: one word to one value; raises ArgumentTypeError or RecortexError.
        metavar: what stands for the value in the help.
        choices: all that is accepted, where that is a closed list.
        many: the option may be repeated; the values become a tuple.
        split: `a,b` is two values.
        flag: a switch without a value.
        structured: JSON, `@FILE` or `-`.
    """

    read: Callable[[str], Any]
    metavar: str = "TEXT"
    choices: tuple[str, ...] = ()
    many: bool = False
    split: bool = False
    flag: bool = False
    structured: bool = False


def shape_of(hint: Any, name: str = "") -> Shape:
    """The shape of a parameter from its type and name."""
    hint = _bare(hint)
    origin = get_origin(hint)
    if origin in _UNIONS:
        return _union(get_args(hint), name)
    if isinstance(origin, type) and issubclass(origin, Iterable) and not issubclass(origin, Mapping):
        item = shape_of(get_args(hint)[0] if get_args(hint) else str, name)
        if item.structured:
            return Shape(_rows, "JSON", structured=True)
        closed = bool(item.choices) or item.metavar == "KIND"
        return Shape(item.read, item.metavar, item.choices, many=True, split=closed or name in _SPLIT_NAMES)
    return _single(hint)


def _single(hint: Any) -> Shape:
    if get_origin(hint) is Literal:
        return _choice({str(choice): choice for choice in get_args(hint)})
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _choice({str(member.value): member for member in hint})
    if getattr(hint, "__name__", "") == "Kind":
        return Shape(_kind, "KIND")
    return _SCALARS.get(getattr(hint, "__supertype__", hint)) or _structured(hint)


def _bare(hint: Any) -> Any:
    """The type without what only annotates it."""
    return _bare(get_args(hint)[0]) if get_origin(hint) is Annotated else hint


def _union(members: tuple[Any, ...], name: str) -> Shape:
    given = [_bare(member) for member in members if member is not type(None)]
    if len(given) == 1:
        return shape_of(given[0], name)
    if kinds := [one for one in given if getattr(one, "__name__", "") == "Kind"]:
        return shape_of(kinds[0], name)
    shapes = [shape_of(member, name) for member in given]
    if listed := [shape for shape in shapes if shape.many]:
        return listed[0]
    if str in given:
        # Where words are welcome too, the operation reads them; a closed list still tells what is usual.
        closed = next((shape.choices for shape in shapes if shape.choices), ())
        read = _text_or_object if any(shape.structured for shape in shapes) else _text
        return Shape(read, "|".join(closed) if closed else "TEXT")
    return next((shape for shape in shapes if not shape.structured), _structured(None))


def _choice(values: Mapping[str, Any]) -> Shape:
    known = {_folded(word): value for word, value in values.items()}

    def read(word: str) -> Any:
        try:
            return known[_folded(word)]
        except KeyError:
            raise ArgumentTypeError(f"{word[:40]!r} is none of {', '.join(values)}") from None

    return Shape(read, "|".join(values), tuple(values))


def _folded(word: str) -> str:
    return word.strip().lower().replace("-", "_")


def _structured(hint: Any) -> Shape:
    kind = get_origin(hint) or hint
    mapping = isinstance(kind, type) and issubclass(kind, Mapping)

    def read(word: str) -> Any:
        from recortex.codec import convert, loads

        data = loads(source(word))
        if mapping and not isinstance(data, dict):
            raise InvalidInputError("A JSON object is wanted.", hint='Give it as {"name": "value"}.')
        return convert(data, hint) if isinstance(hint, type) and is_dataclass(hint) else data

    return Shape(read, "JSON", structured=True)


def source(word: str) -> str:
    """The text that a word stands for: itself, `@FILE`, or `-` for standard input.

    Raises:
        InvalidInputError: the file cannot be read, is too large or is not UTF-8.
    """
    if word == STDIN:
        if sys.stdin is None:
            raise InvalidInputError("Standard input is closed.", hint="Give the text as an argument.")
        return _decoded(sys.stdin.buffer.read(MAX_INPUT + 1), "Standard input")
    if not word.startswith("@"):
        return word
    path = Path(word[1:])
    try:
        with path.open("rb") as file:
            return _decoded(file.read(MAX_INPUT + 1), str(path))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a file's name"
        raise InvalidInputError(f"{path} cannot be read: {reason}.", hint="Give @FILE, or `-`.") from None


def _decoded(data: bytes, name: str) -> str:
    if len(data) > MAX_INPUT:
        raise InvalidInputError(f"{name} is larger than {MAX_INPUT} bytes.", hint="Give it in pieces.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{name} is not UTF-8: a wrong byte at position {error.start}.", hint="Convert it with `iconv`."
        ) from None


def _rows(word: str) -> list[Any]:
    """A JSON array, or one JSON value on each line."""
    from recortex.codec import loads

    text = source(word).strip()
    if not text:
        raise InvalidInputError("There is nothing to read.", hint="Give a JSON array or JSON lines.")
    if text.startswith("["):
        return list(loads(text))
    return [_row(line, number) for number, line in enumerate(text.splitlines(), 1) if line.strip()]


def _row(line: str, number: int) -> Any:
    from recortex.codec import loads

    try:
        return loads(line)
    except RecortexError as error:
        raise InvalidInputError(f"Line {number}: {error.message}", hint=error.hint) from None


def _text(word: str) -> str:
    return word


def _text_or_object(word: str) -> Any:
    """A JSON object where it looks like one, else the text itself."""
    from recortex.codec import loads

    return loads(word) if word.lstrip().startswith("{") else word


def spoken(word: str) -> str:
    """Text given as such, or `-` for standard input without its closing line break."""
    return source(word).rstrip("\r\n") if word == STDIN else word


def _whole(word: str) -> int:
    try:
        number = int(word)
    except ValueError:
        raise ArgumentTypeError(f"{word[:40]!r} is not a whole number") from None
    if not -_LARGEST <= number <= _LARGEST:
        raise ArgumentTypeError(f"{word[:40]!r} is too large")
    return number


def _number(word: str) -> float:
    try:
        number = float(word)
    except ValueError:
        raise ArgumentTypeError(f"{word[:40]!r} is not a number") from None
    if not isfinite(number):
        raise ArgumentTypeError(f"{word[:40]!r} is not a finite number")
    return number


def _instant(word: str) -> datetime:
    from recortex.domain.time import parse_instant

    return parse_instant(word)


def _kind(word: str) -> Any:
    from recortex.domain.kinds import kind_of

    return kind_of(word)


def separated(words: Sequence[str]) -> list[str]:
    """Words with their commas taken as separators, empty parts left out."""
    return [part.strip() for word in words for part in word.split(",") if part.strip()]


_SCALARS: dict[Any, Shape] = {
    str: Shape(_text),
    bool: Shape(_text, flag=True),
    int: Shape(_whole, "N"),
    float: Shape(_number, "NUMBER"),
    datetime: Shape(_instant, "TIME"),
    Path: Shape(Path, "PATH"),
}
