"""Memories to rows and back. A row holds nothing twice: what follows from the text is null."""

from __future__ import annotations

from dataclasses import fields
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from recortex.codec import content_to_json, memory_from_json
from recortex.domain.kinds import KINDS, Content, Kind
from recortex.domain.memory import ConstraintLink, FileLink, FunctionLink, Memory, PatternLink, Source
from recortex.lean import msgspec
from recortex.storage.records.values import PLAIN, Codec, as_written, codecs, json, parse
from recortex.storage.tables import MEMORIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.search import SearchText
    from recortex.domain.vocabulary import Actor
    from recortex.storage.records.values import Row

_SOURCE_COLUMNS = frozenset({"session", "turn", "speaker"})
_FIELDS = frozenset(field.name for field in fields(Memory))
_OF_A_MEMORY = frozenset({"key", *_SOURCE_COLUMNS, *_FIELDS})
COLUMNS = tuple(name for name in MEMORIES.names if name in _OF_A_MEMORY)
"""The columns that a memory is made of."""
SELECT = ", ".join(f"m.{column}" for column in COLUMNS)

CHECKED = ("checked_at", "standing", "standing_since", "verdict")
"""The columns of what the last comparison with the code found."""

_NO_SOURCE = Source()
_SPECIAL = frozenset({"summary", "content", "source"})
"""Fields whose columns depend on others: they are null where they say nothing new."""


_HASH = Codec(bytes.fromhex, bytes.hex)
_CODECS = {
    name: _HASH if name == "content_hash" else codec
    for name, codec in codecs(Memory).items()
    if name in MEMORIES.names and name not in _SPECIAL
}

_AS_STORED = tuple(name for name, codec in _CODECS.items() if codec is PLAIN)
_as_stored = itemgetter(*map(COLUMNS.index, _AS_STORED))
_READ = tuple((name, codec.read) for name, codec in _CODECS.items() if codec is not PLAIN)
"""Fields that are as their columns, and those that are made of them: a context reads a hundred memories."""


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
        **dict.fromkeys(CHECKED),
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
    return content.from_text(text) if column is None else parse(column, None, content)


def from_row(row: Row, more: Mapping[str, Any]) -> Memory:
    """The memory of a row selected with `SELECT`.

    Args:
        row: as selected.
        more: its files, functions, patterns and constraints; what is to be other than in the row.

    Raises:
        CorruptStoreError: the row is not one that we wrote.
    """
    with as_written(f"The memory {row[1]}"):
        data = dict(zip(COLUMNS, row, strict=True))
        values: dict[str, Any] = dict(zip(_AS_STORED, _as_stored(row), strict=True))
        values |= {name: read(data[name]) for name, read in _READ}
        values |= more
        return Memory(
            **values,
            summary=data["text"] if data["summary"] is None else data["summary"],
            content=_content(data["kind"], data["content"], data["text"]),
            source=Source(
                session=data["session"],
                turn=data["turn"],
                speaker=data["speaker"],
                **parse(data["source"], {}),
            ),
        )


def link_rows(memory: Memory) -> dict[str, list[Row]]:
    """The rows of a memory's links, without its key.

    Of a pattern or a constraint that is there twice, the last.
    """
    rows = {name: list(map(_plain, getattr(memory, name))) for name in LINKS}
    for name in ("patterns", "constraints"):
        rows[name] = [*{row[0]: row for row in rows[name]}.values()]
    return rows


def _plain(link: Any) -> Row:
    return tuple(getattr(link, field.name) for field in fields(link))


LINKS: dict[str, type[Any]] = {
    "files": FileLink,
    "functions": FunctionLink,
    "patterns": PatternLink,
    "constraints": ConstraintLink,
}
"""The fields of `Memory` that hold links."""


def state_of(memory: Memory) -> str:
    """A former state, whole, as JSON."""
    return json(msgspec.to_builtins(memory))


def memory_of(state: str) -> Memory:
    """The inverse of `state_of`.

    Raises:
        CorruptStoreError: the state is not one that we wrote.
    """
    with as_written("A former state"):
        return memory_from_json(parse(state, None))
