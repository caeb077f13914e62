"""The tables of a new store: what a row read from a damaged file must look like to be one of theirs."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.time import to_micros
from recortex.storage import tables as declared
from recortex.storage.queries import queries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import apsw

    from recortex.storage.sqlite.pages import Row

    Values = tuple[Any, ...]

_SQL = queries("salvage", "sqlite")

ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_IDS = {
    "memories": ID,
    "tombstones": ID,
    "exchanges": re.compile(r"[0-9a-f]{32}"),
    "documents": re.compile(r"doc-[0-9a-f]{28}"),
    "chunks": re.compile(r"chk-[0-9a-f]{28}"),
}
LINKS = tuple(table.name for table in declared.links().values())
OF_A_MEMORY = tuple(table.name for table in declared.owned())
REFILLED = tuple(table.name for table in declared.TABLES if table.refilled)
"""Tables whose gaps a backup fills row by row."""
_TYPES: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "REAL": (float, int),
    "TEXT": (str,),
    "BLOB": (bytes,),
}
_TIMES = frozenset({"at", "valid_from", "valid_until", "recorded_from", "recorded_to"})
_FIRST, _LAST = (to_micros(end.replace(tzinfo=UTC)) for end in (datetime.min, datetime.max))  # noqa: DTZ901


class StoredColumn(NamedTuple):
    """A column as the schema has it; `primary` is its place in the primary key, from 1."""

    name: str
    type: str
    needed: bool
    default: Any
    primary: int


class StoredTable(NamedTuple):
    """A table of ours that is not virtual; `alias` is the column that is the rowid, or None."""

    name: str
    columns: tuple[StoredColumn, ...]
    alias: int | None

    def fits(self, row: Row) -> Values | None:
        """The row as one of this table, with what columns of later schemas would have; None if it is none."""
        values = list(row.values)
        if (row.rowid is None) != (self.alias is None and self.ordered) or len(values) > len(self.columns):
            return None
        values += [column.default for column in self.columns[len(values) :]]
        if self.alias is not None:
            if values[self.alias] is not None:
                return None
            values[self.alias] = row.rowid
        good = all(_fits(value, column) for value, column in zip(values, self.columns, strict=True))
        return tuple(values) if good else None

    @property
    def ordered(self) -> bool:
        """Whether it is kept in the order of its key, without rowids."""
        return self.alias is None and any(column.primary for column in self.columns)

    def key(self, values: Sequence[Any], rowid: int | None) -> Values:
        """What tells a row from the others."""
        primary = [value for value, column in zip(values, self.columns, strict=True) if column.primary]
        return tuple(primary) if primary else (rowid,)

    def place(self, name: str) -> int:
        """Where a column's value is in a row."""
        return next(place for place, column in enumerate(self.columns) if column.name == name)

    def among(self) -> str:
        """The condition that a row has a key."""
        return " AND ".join(f"{column.name} = ?" for column in self.columns if column.primary)

    def likely(self, values: Values) -> bool:
        """Whether a row of tables that look alike is probably of this one."""
        pattern = _IDS.get(self.name)
        return pattern is None or bool(pattern.fullmatch(str(values[1])))


def _fits(value: Any, column: StoredColumn) -> bool:
    if value is None:
        return not column.needed and not column.primary
    if not isinstance(value, _TYPES.get(column.type, (object,))):
        return False
    instant = column.name in _TIMES or column.name.endswith("_at")
    return not instant or (isinstance(value, int) and _FIRST <= value <= _LAST)


def replaced(values: Values, place: int, value: Any) -> Values:
    """A row with another value at a place."""
    return (*values[:place], value, *values[place + 1 :])


def tables(connection: apsw.Connection) -> Iterator[StoredTable]:
    """Our plain tables, those that others refer to first."""
    for (name,) in list(connection.execute(_SQL["our_tables"])):
        columns = tuple(
            StoredColumn(column, type_, bool(needed), _literal(default), primary)
            for _, column, type_, needed, default, primary in connection.execute(f"PRAGMA table_info({name})")
        )
        whole = [place for place, column in enumerate(columns) if column.primary]
        ordered = bool(connection.execute("SELECT wr FROM pragma_table_list(?)", (name,)).get)
        alias = whole[0] if len(whole) == 1 and not ordered and columns[whole[0]].type == "INTEGER" else None
        yield StoredTable(name, columns, alias)


def indexes(connection: apsw.Connection, table: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The indexes of a table, and their columns, without the row's number that ends each entry."""
    for (name,) in list(connection.execute("SELECT name FROM pragma_index_list(?)", (table,))):
        columns = connection.execute("SELECT name FROM pragma_index_info(?)", (name,))
        yield name, tuple(row[0] for row in columns)


class Witness(NamedTuple):
    """An index whose entries tell which rows a table had.

    Attributes:
        table: the table.
        columns: of an entry, in its order.
        owner: the place of the memory's key among them.
    """

    table: str
    columns: tuple[str, ...]
    owner: int


def witnesses(connection: apsw.Connection) -> dict[str, Witness]:
    """Such indexes by their names."""
    found = {}
    for table in declared.TABLES:
        if table.witness:
            entry = connection.execute("SELECT name FROM pragma_index_xinfo(?)", (table.witness,))
            columns = tuple(name or "rowid" for (name,) in entry)
            found[table.witness] = Witness(table.name, columns, columns.index(table.owners[0]))
    return found


def widths(connection: apsw.Connection) -> dict[str, int]:
    """How many values an entry of each index of ours holds."""
    return dict(connection.execute(_SQL["widths"]))


def _literal(default: str | None) -> Any:
    if default is None:
        return None
    return default[1:-1] if default.startswith("'") else int(default)
