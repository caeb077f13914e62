"""Seals: what a row was written as, so that a value that damage has changed into another valid one is known.

A seal is 16 bytes of BLAKE3 over the values of a row as they are stored, packed as MessagePack, whose bytes for a value are
fixed by its specification. What changes without the row being written anew (counts of accesses, keys of vectors) is left out.
"""

from __future__ import annotations

from collections import defaultdict
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from blake3 import blake3

from recortex.codec import dumps
from recortex.storage.dialect import storable
from recortex.storage.records.rows import COLUMNS, LINKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from recortex.storage.records.rows import Row

    Links = Mapping[str, Sequence[Row]]
    Read = Callable[[str, Sequence[Any]], Iterable[Row]]

SEAL_BYTES = 16
MEMORY = (
    *(name for name in COLUMNS if name not in {"key", "last_accessed_at", "access_count"}),
    "changed_by", "reason", "terms", "context", "traits",
)  # fmt: skip
"""The columns of a memory that only its writing changes. Its key is given by the engine after it was sealed."""
VERSION = ("memory_key", "version", "recorded_from", "recorded_to", "state", "changed_by", "reason")
RELATION = (
    "source_key", "target_key", "type", "strength", "evidence", "inferred", "bidirectional", "status", "created_at",
)  # fmt: skip
_PIECE = 1_000
"""Memories that are looked at in one go."""

_pack = msgspec.msgpack.Encoder().encode


class _Form(NamedTuple):
    """How the columns of a table are sealed: its texts, which PostgreSQL keeps without NUL; its one real number; the rest."""

    texts: Callable[[Mapping[str, Any]], tuple[Any, ...]]
    real: str
    others: Callable[[Mapping[str, Any]], tuple[Any, ...]]


def _form(columns: Sequence[str], real: str, others: frozenset[str]) -> _Form:
    texts = (name for name in columns if name not in others and name != real)
    return _Form(itemgetter(*texts), real, itemgetter(*(name for name in columns if name in others)))


_MEMORY = _form(
    MEMORY, "confidence",
    frozenset({
        "priority", "pinned", "turn", "evidence", "recorded_at", "updated_at", "valid_from", "valid_until", "validated_at",
        "content_hash", "tokens", "version", "traits",
    }),
)  # fmt: skip
_VERSION = _form(VERSION, "", frozenset({"memory_key", "version", "recorded_from", "recorded_to"}))
_RELATION = _form(
    RELATION, "strength", frozenset({"source_key", "target_key", "inferred", "bidirectional", "created_at"})
)


class Unfit(NamedTuple):
    """A row that is not as it was sealed.

    Attributes:
        table: where it is.
        key: its key there.
        id: of the memory that it is, or belongs to, or begins at; empty where that is not there.
        seal: what would fit.
    """

    table: str
    key: Row
    id: str
    seal: bytes


def of_memory(row: Mapping[str, Any], links: Links) -> bytes:
    """The seal of a memory.

    Args:
        row: its columns as stored, by name.
        links: the rows of its files, functions, patterns and constraints, without its key, by those names. Their order is
            no part of the seal: their rows' numbers hold it, which a copy may give anew.
    """
    linked = [_packed(links[name]) for name in LINKS if links.get(name)]
    return _seal(_MEMORY, row, [*map(bool, map(links.get, LINKS)), *linked] if linked else [])


def of_version(row: Mapping[str, Any]) -> bytes:
    """The seal of a former state, by its columns as stored."""
    return _seal(_VERSION, row)


def of_relation(row: Mapping[str, Any]) -> bytes:
    """The seal of a relation, by its columns as stored."""
    return _seal(_RELATION, row)


def _seal(form: _Form, row: Mapping[str, Any], more: Sequence[Any] = ()) -> bytes:
    texts = form.texts(row)
    packed = _pack(texts)
    if b"\0" in packed or b"\\u0000" in packed:  # few: the packed length of a text may hold a zero too
        packed = _pack([storable(text) for text in texts])
    try:
        return blake3(packed + _pack([_real(row.get(form.real)), *form.others(row), *more])).digest(
            SEAL_BYTES
        )
    except OverflowError:  # no engine keeps such a number: the error is the engine's
        return b""


def _packed(rows: Sequence[Row]) -> list[bytes]:
    """Rows of links, in an order of their own."""
    packed = [_pack(row) for row in rows]
    if any(b"\0" in one or b"\\u0000" in one for one in packed):
        packed = [_pack([storable(value) for value in row]) for row in rows]
    return sorted(packed)


def _real(value: Any) -> Any:
    """A number with a fraction as both engines give it back: SQLite keeps 1.0 as 1 on its pages, and has no -0.0."""
    return float(value) + 0.0 if isinstance(value, int | float) else value


def unfit(read: Read, sql: Mapping[str, str], links: Mapping[str, str]) -> Iterator[Unfit]:
    """Every sealed row that is not as it was sealed.

    Args:
        read: runs a statement.
        sql: the queries of the topic `seals`.
        links: those of the topic `memories`.
    """
    yield from _unfit_memories(read, sql["sealed_memories"], links)
    for table, columns, seal in (("versions", VERSION, of_version), ("relations", RELATION, of_relation)):
        width = 2 if table == "versions" else 3
        for id_, kept, *values in read(sql[f"sealed_{table}"], ()):
            if (fitting := seal(dict(zip(columns, values, strict=True)))) != kept:
                yield Unfit(table, tuple(values[:width]), id_, fitting)


def _unfit_memories(read: Read, sql: str, links: Mapping[str, str]) -> Iterator[Unfit]:
    last = 0
    while rows := list(read(sql, (last, _PIECE))):
        keys = dumps([row[0] for row in rows]).decode()
        linked = {name: _grouped(read(links[query], (keys,))) for name, (query, _) in LINKS.items()}
        for key, kept, *values in rows:
            row = dict(zip(MEMORY, values, strict=True))
            fitting = of_memory(row, {name: found.get(key, ()) for name, found in linked.items()})
            if fitting != kept:
                yield Unfit("memories", (key,), row["id"], fitting)
        last = rows[-1][0]


def _grouped(rows: Iterable[Row]) -> dict[int, list[Row]]:
    grouped: dict[int, list[Row]] = defaultdict(list)
    for key, *values in rows:
        grouped[key].append(tuple(values))
    return grouped
