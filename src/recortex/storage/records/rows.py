"""Memories to rows and back. A row holds nothing twice: what follows from the text is null."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import msgspec

from recortex.codec import content_to_json, dumps, memory_from_json
from recortex.domain.kinds import KINDS, Content, Kind
from recortex.domain.links import ConstraintLink, FileLink, FunctionLink, PatternLink
from recortex.domain.memory import Memory, Source
from recortex.domain.time import from_micros, to_micros
from recortex.domain.vocabulary import Actor, Domain, Origin, Scope, Status, Trust
from recortex.errors import CorruptStoreError, InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from datetime import datetime

    from recortex.ports.store import SearchText

Row = tuple[Any, ...]

COLUMNS = (
    "key", "id", "kind", "status", "scope", "text", "summary", "content", "confidence", "priority", "pinned", "tags",
    "domain", "session", "turn", "speaker", "source", "origin", "trust", "evidence", "recorded_at", "updated_at",
    "valid_from", "valid_until", "validated_at", "last_accessed_at", "access_count", "supersedes", "superseded_by",
    "metadata", "content_hash", "tokens", "version",
)  # fmt: skip
SELECT = ", ".join(f"m.{column}" for column in COLUMNS)

_SOURCE_COLUMNS = frozenset({"session", "turn", "speaker"})
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


def to_row(
    memory: Memory, search: SearchText, *, changed_by: Actor, reason: str, embedding_key: int | None
) -> dict[str, Any]:
    """The columns of a memory, by name."""
    return {
        **{name: getattr(memory, name) for name in ("kind", *_AS_STORED)},
        **{name: getattr(memory, name).value for name in _WORDS},
        **{name: micros(getattr(memory, name)) for name in _INSTANTS},
        "summary": None if memory.summary == memory.text else memory.summary,
        "content": _content_column(memory),
        "pinned": int(memory.pinned),
        "tags": json(memory.tags),
        "session": memory.source.session,
        "turn": memory.source.turn,
        "speaker": memory.source.speaker,
        "source": _source_column(memory.source),
        "metadata": json(memory.metadata) if memory.metadata else None,
        "content_hash": bytes.fromhex(memory.content_hash),
        "changed_by": changed_by.value,
        "reason": reason,
        **search._asdict(),
        "embedding_key": embedding_key,
    }


_AS_STORED = (
    "id", "text", "confidence", "priority", "version", "evidence", "tokens", "access_count", "supersedes", "superseded_by",
)  # fmt: skip
_WORDS: dict[str, Callable[[str], Any]] = {
    "status": Status, "scope": Scope, "domain": Domain, "origin": Origin, "trust": Trust,
}  # fmt: skip
_INSTANTS = ("recorded_at", "updated_at", "valid_from", "valid_until", "validated_at", "last_accessed_at")


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
    kind = Kind(data["kind"])
    values: dict[str, Any] = {
        **{name: data[name] for name in _AS_STORED},
        **{name: instant(data[name]) for name in _INSTANTS},
        **{name: word(data[name]) for name, word in _WORDS.items()},
        **links,
        "summary": data["text"] if data["summary"] is None else data["summary"],
        "content": _content(kind, data["content"], data["text"]),
        "pinned": bool(data["pinned"]),
        "tags": tuple(parse(data["tags"], ())),
        "source": _source(data),
        "metadata": parse(data["metadata"], {}),
        "content_hash": data["content_hash"].hex(),
    }
    return Memory(kind=kind, **values)


def _source(data: Mapping[str, Any]) -> Source:
    place = {name: data[name] for name in _SOURCE_COLUMNS}
    return Source(**place, **parse(data["source"], {}))


def link_rows(memory: Memory) -> dict[str, list[Row]]:
    """The rows of a memory's links, without its key; of a pattern or a constraint that is there twice, the last."""
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
