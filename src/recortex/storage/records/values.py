"""Values of the domain as columns hold them, and back, by the annotations of a dataclass.

Imported by hooks: nothing heavier than the domain may be imported here.
"""

from __future__ import annotations

import operator
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from recortex.domain import vocabulary
from recortex.domain.time import from_micros, to_micros
from recortex.errors import CorruptStoreError, InvalidInputError
from recortex.lean import NamedTuple, msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    Row = tuple[Any, ...]

T = TypeVar("T")
_NOT_OURS = (InvalidInputError, ValueError, TypeError, KeyError, OverflowError, AttributeError)
"""What reading a row raises that damage has changed."""


class Codec(NamedTuple):
    """How a field's value is stored, and read again."""

    stored: Callable[[Any], Any]
    read: Callable[[Any], Any]


class as_written:  # noqa: N801  as `suppress` is; a generator takes a microsecond more for each row
    """Reads a row inside; one that damage has changed is named, as in "The memory 1".

    Raises `CorruptStoreError` where the row is not one that we wrote.
    """

    __slots__ = ("_what",)

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        """Nothing is to be done."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        """Name the row in the error that reading it gave."""
        if isinstance(error, _NOT_OURS):
            raise CorruptStoreError(f"{self._what} is not as it was written: {error}.") from error


def micros(at: datetime | None) -> int | None:
    """An instant as stored."""
    return None if at is None else to_micros(at)


def instant(at: int | None) -> datetime | None:
    """A stored instant."""
    return None if at is None else from_micros(at)


def json(value: Any) -> str:
    """Compact JSON text."""
    from recortex.codec import dumps

    return dumps(value).decode()


def parse(text: str | None, empty: Any, type_: Any = Any) -> Any:
    """JSON that we wrote; `empty` where the column is null.

    Raises:
        ValueError: it is no JSON of that type.
    """
    if text is None:
        return empty
    try:
        return _decoder(type_).decode(text)
    except Exception as error:
        from recortex.lean import msgspec  # an import costs as much as decoding does

        if isinstance(error, msgspec.MsgspecError):
            raise ValueError(str(error)) from error  # noqa: TRY004
        raise


@cache
def _decoder(type_: Any) -> Any:
    return msgspec.json.Decoder(type_)


PLAIN = Codec(lambda value: value, lambda column: column)
_INSTANT = Codec(micros, instant)
_BY_ANNOTATION = {
    "datetime": _INSTANT,
    "datetime | None": _INSTANT,
    "bool": Codec(int, bool),
    "tuple[str, ...]": Codec(json, lambda column: parse(column, (), tuple[str, ...])),
    "dict[str, Any]": Codec(lambda value: json(value) if value else None, lambda column: parse(column, {})),
}


@cache
def codecs(cls: Any) -> dict[str, Codec]:
    """How each field is stored, by its annotation as it is written: resolving it would take milliseconds."""
    return {
        name: _codec(annotation)
        for base in cls.__mro__
        for name, annotation in vars(base).get("__annotations__", {}).items()
        if name in cls.__struct_fields__
    }


class _Words(dict[Any, Any]):
    """The members of an enumeration by their values: a call of the enumeration takes four times as long."""

    def __init__(self, words: Any) -> None:
        super().__init__({word.value: word for word in words})
        self._words = words

    def __missing__(self, value: Any) -> Any:
        return self._words(value)  # which raises an error that names the value


def _codec(annotation: str) -> Codec:
    words = getattr(vocabulary, annotation, None)
    if words is not None:
        return Codec(operator.attrgetter("value"), _Words(words).__getitem__)
    return _BY_ANNOTATION.get(annotation, PLAIN)


def stored(value: Any, names: Sequence[str]) -> dict[str, Any]:
    """Fields of a dataclass's instance as their columns hold them, by name."""
    of = codecs(value.__class__)
    return {name: of[name].stored(getattr(value, name)) for name in names}


def read(cls: Callable[..., T], names: Sequence[str], row: Sequence[Any]) -> T:
    """The instance whose fields `names` a row holds, in that order.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    of = codecs(cls)
    with as_written(_described(cls)):
        return cls(**{name: of[name].read(value) for name, value in zip(names, row, strict=True)})


@cache
def _described(cls: Any) -> str:
    """What a row of a class is called in errors: "A stored audit entry"."""
    return "A stored" + "".join(f" {one.lower()}" if one.isupper() else one for one in cls.__name__)
