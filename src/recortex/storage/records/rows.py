"""Memories to rows and back. A row holds nothing twice: what follows from the text is null."""

from __future__ import annotations

import operator
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from recortex.codec import content_to_json, dumps, memory_from_json
from recortex.domain import vocabulary
from recortex.domain.kinds import KINDS, Content, Kind
from recortex.domain.links import ConstraintLink, FileLink, FunctionLink, PatternLink
from recortex.domain.memory import Memory, Source
from recortex.domain.time import from_micros, to_micros
from recortex.errors import CorruptStoreError, InvalidInputError
from recortex.storage.tables import MEMORIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from recortex.domain.search import SearchText
    from recortex.domain.vocabulary import Actor

Row = tuple[Any, ...]

_SOURCE_COLUMNS = frozenset({"session", "turn", "speaker"})
_FIELDS = frozenset(field.name for field in fields(Memory))
_OF_A_MEMORY = frozenset({"key", *_SOURCE_COLUMNS, *_FIELDS})
COLUMNS = tuple(name for name in MEMORIES.names if name in _OF_A_MEMORY)
"""The columns that a memory is made of."""
SELECT = ", ".join(f"m.{column}" for column in COLUMNS)

_NO_SOURCE = Source()
_NOT_OURS = (
    msgspec.MsgspecError,
    InvalidInputError,
    ValueError,
    TypeError,
    KeyError,
    OverflowError,
    AttributeError,
)
"""What reading raises of a row that damage has changed."""


@contextmanager
def as_written(what: str) -> Iterator[None]:
    """Read a row inside; one that we did not write is named, as in "The memory 1"."""
    try:
        yield
    except _NOT_OURS as error:
        raise CorruptStoreError(f"{what} is not as it was written: {error}.") from error


def json(value: Any) -> str:
    """Compact JSON text."""
    return dumps(value).decode()


def parse(text: str | None, empty: Any) -> Any:
    """JSON that we wrote; `empty` where there is none."""
    return empty if not text else msgspec.json.decode(text)


def micros(at: datetime | None) -> int | None:
    """An instant as stored."""
    return None if at is None else to_micros(at)


def instant(at: int | None) -> datetime | None:
    """A stored instant."""
    return None if at is None else from_micros(at)


class _Codec(NamedTuple):
    """How a field's value is stored, and read again."""

    stored: Callable[[Any], Any]
    read: Callable[[Any], Any]


_PLAIN = _Codec(lambda value: value, lambda column: column)
_INSTANT = _Codec(micros, instant)
_FLAG = _Codec(int, bool)
_TAGS = _Codec(json, lambda column: tuple(parse(column, ())))
_OBJECT = _Codec(lambda value: json(value) if value else None, lambda column: parse(column, {}))
_HASH = _Codec(bytes.fromhex, bytes.hex)
_SPECIAL = frozenset({"summary", "content", "source"})
"""Fields whose columns depend on others: they are null where they say nothing new."""


_BY_ANNOTATION = {
    "datetime": _INSTANT,
    "datetime | None": _INSTANT,
    "bool": _FLAG,
    "tuple[str, ...]": _TAGS,
    "dict[str, Any]": _OBJECT,
}


def _codec(name: str, annotation: str) -> _Codec:
    """The codec of a field, by its annotation as it is written: resolving it would take milliseconds."""
    words = getattr(vocabulary, annotation, None)
    if words is not None:
        return _Codec(operator.attrgetter("value"), words)
    return _HASH if name == "content_hash" else _BY_ANNOTATION.get(annotation, _PLAIN)


_CODECS = {
    field.name: _codec(field.name, str(field.type))
    for field in fields(Memory)
    if field.name in MEMORIES.names and field.name not in _SPECIAL
}


def to_row(
    memory: Memory, search: SearchText, *, changed_by: Actor, reason: str, embedding_key: int | None
) -> dict[str, Any]:
    """The columns of a memory, by name."""
    return {
        **{name: codec.stored(getattr(memory, name)) for name, codec in _CODECS.items()},
        "summary": None if memory.summary == memory.text else memory.summary,
        "content": _content_column(memory),
        "session": memory.source.session,
        "turn": memory.source.turn,
        "speaker": memory.source.speaker,
        "source": _source_column(memory.source),
        "changed_by": changed_by.value,
        "reason": reason,
        **search._asdict(),
        "embedding_key": embedding_key,
    }


def _content_column(memory: Memory) -> str | None:
    content = content_to_json(memory.content)
    plain = set(content) <= {memory.content.main} and memory.content.statement() == memory.text
    return None if plain else json(content)


def _source_column(source: Source) -> str | None:
    said = {
        field.name: value
        for field in fields(source)
        if field.name not in _SOURCE_COLUMNS
        and (value := getattr(source, field.name)) != getattr(_NO_SOURCE, field.name)
    }
    return json(said) if said else None


def _content(kind: Kind, column: str | None, text: str) -> Content:
    content = KINDS[kind]
    return content.from_text(text) if column is None else msgspec.json.decode(column, type=content)


def from_row(row: Row, links: Mapping[str, tuple[Any, ...]]) -> Memory:
    """The memory of a row selected with `SELECT`; `links` are its files, functions, patterns and constraints.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    with as_written(f"The memory {row[1]}"):
        return _from_row(row, links)


def _from_row(row: Row, links: Mapping[str, tuple[Any, ...]]) -> Memory:
    data = dict(zip(COLUMNS, row, strict=True))
    values: dict[str, Any] = {name: codec.read(data[name]) for name, codec in _CODECS.items()}
    values |= links
    return Memory(
        **values,
        summary=data["text"] if data["summary"] is None else data["summary"],
        content=_content(values["kind"], data["content"], data["text"]),
        source=_source(data),
    )


def _source(data: Mapping[str, Any]) -> Source:
    place = {name: data[name] for name in _SOURCE_COLUMNS}
    return Source(**place, **parse(data["source"], {}))


def link_rows(memory: Memory) -> dict[str, list[Row]]:
    """The rows of a memory's links, without its key.

    Of a pattern or a constraint that is there twice, the last.
    """
    return {
        "files": [
            (file.path, file.line_start, file.line_end, file.content_hash, file.commit)
            for file in memory.files
        ],
        "functions": [(link.name, link.file, link.signature) for link in memory.functions],
        "patterns": [*{pattern.id: pattern.name for pattern in memory.patterns}.items()],
        "constraints": [*{constraint.id: constraint.name for constraint in memory.constraints}.items()],
    }


LINK_INSERTS = {
    "files": "insert_file",
    "functions": "insert_function",
    "patterns": "insert_pattern",
    "constraints": "insert_constraint",
}


LINKS = {
    "files": ("files_of", FileLink),
    "functions": ("functions_of", FunctionLink),
    "patterns": ("patterns_of", PatternLink),
    "constraints": ("constraints_of", ConstraintLink),
}


def state_of(memory: Memory) -> str:
    """A former state, whole, as JSON."""
    return json(msgspec.to_builtins(memory))


def memory_of(state: str, *, updated_at: datetime | None = None) -> Memory:
    """The inverse of `state_of`.

    Raises:
        CorruptStoreError: the state is not one that we wrote.
    """
    with as_written("A former state"):
        memory = memory_from_json(msgspec.json.decode(state))
    return memory if updated_at is None else replace(memory, updated_at=updated_at)
