"""Row checksums ("seals"): they show when damage has changed a value into another valid one.

A seal is 16 bytes of BLAKE3 over the values of a row as they are stored, packed as MessagePack, whose
bytes for a value are fixed by its specification. What changes without the row being written anew (counts
of accesses, keys of vectors) is left out.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from blake3 import blake3

from recortex.codec import dumps
from recortex.lean import NamedTuple, msgspec
from recortex.storage.dialect import storable
from recortex.storage.records.rows import LINKS
from recortex.storage.tables import MEMORIES, sealed
from recortex.storage.tables import links as linked_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from recortex.storage.records.values import Row
    from recortex.storage.tables import Table

    Links = Mapping[str, Sequence[Row]]
    Read = Callable[[str, Sequence[Any]], Iterable[Row]]

SEAL_BYTES = 16
_PIECE = 1_000  # memories that are checked at a time

_pack = msgspec.msgpack.Encoder().encode


class _Form(NamedTuple):
    """How the columns of a table are sealed.

    Attributes:
        texts: the values of its texts, which PostgreSQL keeps without NUL.
        real: its one real number, or empty.
        others: the values of the rest.
        added: columns that rows sealed by an earlier schema do not have.
    """

    texts: Callable[[Mapping[str, Any]], tuple[Any, ...]]
    real: str
    others: Callable[[Mapping[str, Any]], tuple[Any, ...]]
    added: tuple[str, ...]


@cache
def _form(table: Table) -> _Form:
    # Columns that a migration added are kept apart: a row from before has to fit the seal that it was given
    # then, so what they hold is sealed only where they hold something.
    first = [column for column in table.sealed_columns if not column.added]
    real = next((column.name for column in first if column.type == "REAL"), "")
    return _Form(
        _values([column.name for column in first if column.type == "TEXT"]),
        real,
        _values([column.name for column in first if column.type in {"INTEGER", "BLOB"}]),
        tuple(column.name for column in table.sealed_columns if column.added),
    )


def _values(names: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """What gives the values of these columns as a tuple; itemgetter alone gives a single one bare."""
    return itemgetter(*names) if len(names) > 1 else lambda row: tuple(row[name] for name in names)


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
        links: the rows of its files, functions, patterns and constraints, without its key, by those names.
            Their order is no part of the seal: their rows' numbers hold it, which a copy may give anew.
    """
    linked = [_packed(_since_sealed(name, links[name])) for name in LINKS if links.get(name)]
    return _seal(_form(MEMORIES), row, [*map(bool, map(links.get, LINKS)), *linked] if linked else [])


def of_row(table: Table, row: Mapping[str, Any]) -> bytes:
    """The seal of a row of any other table, by its columns as stored."""
    return _seal(_form(table), row)


def _seal(form: _Form, row: Mapping[str, Any], more: Sequence[Any] = ()) -> bytes:
    texts = form.texts(row)
    packed = _pack(texts)
    # PostgreSQL keeps no NUL in a text. The seal has to be the same on both engines, or a copied store would
    # report all such rows as damaged. Looking at the packed bytes first spares the usual row the second pass.
    if b"\0" in packed or b"\\u0000" in packed:  # few: the packed length of a text may hold a zero too
        packed = _pack([storable(text) for text in texts])
    added = [[name, storable(row[name])] for name in form.added if row.get(name)]
    rest = [_real(row.get(form.real)), *form.others(row), *more, *added]
    try:
        return blake3(packed + _pack(rest)).digest(SEAL_BYTES)
    except OverflowError:  # no engine keeps such a number: the error is the engine's
        return b""


def _since_sealed(name: str, rows: Sequence[Row]) -> Sequence[Row]:
    """Rows of links without the columns that were added, where these say nothing."""
    added = _added(name)
    return (
        [row if any(row[len(row) - added :]) else row[: len(row) - added] for row in rows] if added else rows
    )


@cache
def _added(name: str) -> int:
    """How many columns of a link's table were added: the last ones."""
    return sum(column.added for column in linked_tables()[name].columns)


def _packed(rows: Sequence[Row]) -> list[bytes]:
    """Rows of links, in an order of their own."""
    packed = [_pack(row) for row in rows]
    if any(b"\0" in one or b"\\u0000" in one for one in packed):
        packed = [_pack([storable(value) for value in row]) for row in rows]
    return sorted(packed)


def _real(value: Any) -> Any:
    """A number with a fraction as both engines give it back.

    SQLite keeps 1.0 as 1 on its pages, and has no -0.0.
    """
    # Adding 0.0 turns -0.0 into 0.0, the one number that would come back with other bits.
    return float(value) + 0.0 if isinstance(value, int | float) else value


def unfit(read: Read, links: Mapping[str, str]) -> Iterator[Unfit]:
    """Every sealed row that is not as it was sealed.

    Args:
        read: runs a statement.
        links: the queries of the topic `memories`.
    """
    yield from _unfit_memories(read, links)
    for table in sealed():
        if table.name != MEMORIES.name:
            for id_, kept, *values in read(_sealed_rows(table), ()):
                key, rest = values[: len(table.key)], values[len(table.key) :]
                fitting = of_row(table, dict(zip(_names(table), rest, strict=True)))
                # The fitting seal goes along: a repair seals what is there without computing it again.
                if fitting != kept:
                    yield Unfit(table.name, tuple(key), id_, fitting)


def _sealed_rows(table: Table) -> str:
    """The query of a table's sealed rows: id of each or of the memory it belongs to, seal, key, columns."""
    columns = ", ".join(f"t.{name}" for name in (*table.key, *_names(table)))
    if not table.owners:
        return f"SELECT t.id, t.seal, {columns} FROM {table.name} t WHERE /*own t*/ t.seal IS NOT NULL"
    return (
        f"SELECT coalesce(m.id, ''), t.seal, {columns} FROM {table.name} t"
        f" LEFT JOIN memories m ON /*own m*/ m.key = t.{table.owners[0]} WHERE /*own t*/ t.seal IS NOT NULL"
    )


def _names(table: Table) -> tuple[str, ...]:
    return tuple(column.name for column in table.sealed_columns)


_MEMORIES = (
    f"SELECT key, seal, {', '.join(_names(MEMORIES))} FROM memories"
    " WHERE /*own*/ seal IS NOT NULL AND key > ? ORDER BY key LIMIT ?"
)


def _unfit_memories(read: Read, links: Mapping[str, str]) -> Iterator[Unfit]:
    last = 0
    # In pieces by key, not by offset: the check of a large store stays linear and small in memory.
    while rows := list(read(_MEMORIES, (last, _PIECE))):
        keys = dumps([row[0] for row in rows]).decode()
        linked = {name: _grouped(read(links[f"{name}_of"], (keys,))) for name in LINKS}
        for key, kept, *values in rows:
            row = dict(zip(_names(MEMORIES), values, strict=True))
            fitting = of_memory(row, {name: found.get(key, ()) for name, found in linked.items()})
            if fitting != kept:
                yield Unfit(MEMORIES.name, (key,), row["id"], fitting)
        last = rows[-1][0]


def _grouped(rows: Iterable[Row]) -> dict[int, list[Row]]:
    grouped: dict[int, list[Row]] = defaultdict(list)
    for key, *values in rows:
        grouped[key].append(tuple(values))
    return grouped
