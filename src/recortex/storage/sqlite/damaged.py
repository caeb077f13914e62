"""Reads a damaged file: its rows by table, and what indexes and logs say of rows that cannot be read."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.time import to_micros
from recortex.domain.vocabulary import Actor
from recortex.storage import tables as declared
from recortex.storage.database import queries
from recortex.storage.records.maintenance import row_checks
from recortex.storage.records.rows import COLUMNS
from recortex.storage.sqlite.maintenance import altered
from recortex.storage.sqlite.pages import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import apsw

    from recortex.storage.sqlite.pages import Row

    Values = tuple[Any, ...]
    Fingerprint = Callable[[str, str], str]


# -- the tables of a new store: what a row read from a damaged file must look like to be one of theirs


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


# -- reads a damaged file: its rows by table, and what indexes and logs say of rows that cannot be read


IDS = "sqlite_autoindex_memories_1"
_ALIKE = ("memory_patterns", "memory_constraints")
_MOST_ON_A_PAGE = 200
"""Rows that a page can hold at most, of any table with a memory's key: a key above the number of pages times
this is damage."""
_WITNESSES = 2  # places that must know of a memory's key before it is believed


class DamagedContent:
    """What a damaged file still holds.

    Args:
        new: an empty store of today's schema, whose tables the rows must fit.
        damaged: the damaged file, with its write-ahead log beside it.
        fingerprint: the hash of a kind and a text, by which a damaged text is known.

    Attributes:
        tables: today's, by name.
        rows: of each table, by their keys.
        ids: of memories, by their keys, as the index of ids has them.
        witnesses: indexes whose entries tell which rows there were.
        entries: of each of them.
        guessed: memories whose patterns and constraints cannot be told apart.
        changed: memories that are not as they were hashed.
        broken: a table and a memory's key, or 0, for each row that could be read, but is none that we wrote.
        contradicted: memories of which an index says something else than the row, in sentences.
        reader: knows which pages could not be read.
    """

    def __init__(self, new: apsw.Connection, damaged: Path, fingerprint: Fingerprint) -> None:
        self.reader = Reader(damaged)
        self.tables = {table.name: table for table in tables(new)}
        self.rows: dict[str, dict[Values, Values]] = {name: {} for name in self.tables}
        self.ids: dict[int, str] = {}
        self.witnesses = witnesses(new)
        self.entries: dict[str, set[Values]] = defaultdict(set)
        self.guessed: set[int] = set()
        self.changed: set[int] = set()
        self.broken: list[tuple[str, int]] = []
        self._fingerprint = fingerprint
        self._said: dict[int, list[tuple[str, Values]]] = defaultdict(list)
        self._sequence = 0
        self._widths = widths(new)
        self._indexes = dict(indexes(new, "memories"))
        self._read()
        self.contradicted = tuple(self._contradictions())
        # Find memories that were changed by damage, and other rows that Recortex cannot have written
        for (key,), values in self.rows["memories"].items():
            if not self.fits_its_hash(values):
                self.changed.add(key)
        for name, reading in row_checks().items():
            table = self.tables[name]
            for key, values in list(self.rows[name].items()):
                if reading.flaw(tuple(values[table.place(column)] for column in reading.columns)):
                    del self.rows[name][key]
                    self.broken.append((name, values[table.place(reading.owner)] if reading.owner else 0))

    def fits_its_hash(self, values: Values | list[Any]) -> bool:
        """Whether a row of the memories is one of ours, and as it was hashed."""
        id_, by = (values[self.tables["memories"].place(name)] for name in ("id", "changed_by"))
        return (
            bool(ID.fullmatch(id_))
            and by in set(Actor)
            and altered(self._selected(values), self._fingerprint) is None
        )

    def fingerprint(self, kind: str, text: str) -> bytes:
        """The hash that a kind and a text have."""
        return bytes.fromhex(self._fingerprint(kind, text))

    def highest(self) -> int:
        """The highest number that a memory had.

        As the sequence says, or two places that know of a memory by its number.
        """
        witnesses = Counter(
            [
                *(key for (key,) in self.rows["memories"]),
                *(key for key, said in self._said.items() for _ in {index for index, _ in said}),
                *{key for key, _ in self.rows["evidence"]},
                *{key for key, _ in self.rows["versions"]},
                *{values[1] for values in self.rows["audit"].values()},
            ]
        )
        known = [key for key, times in witnesses.items() if times >= _WITNESSES]
        most = self.reader.count * _MOST_ON_A_PAGE
        return max((key for key in (self._sequence, *known) if key <= most), default=0)

    def _selected(self, values: Values | list[Any]) -> Values:
        """A row of the memories as reading them wants it."""
        table = self.tables["memories"]
        return tuple(values[table.place(name)] for name in COLUMNS)

    # -- reading

    def _read(self) -> None:
        owners = self.reader.owners()
        for row in self.reader.rows():
            owner = owners.get(row.page, "")
            table = self.tables.get(owner)
            values = table.fits(row) if table else None
            if table is not None and values is not None:
                self._keep(table, values, row)
            elif not self._is_entry(owner, row):
                self._by_shape(row)

    def _is_entry(self, owner: str, row: Row) -> bool:
        """Whether a row is an entry of an index, which is then kept: it shows that a row existed."""
        last = row.values[-1]
        if owner == "sqlite_sequence":
            if row.values[0] == "memories" and isinstance(last, int):
                self._sequence = last
                return True
        elif row.rowid is None and self._widths.get(owner) == len(row.values):
            if owner in self._indexes and isinstance(last, int):
                self._said[last].append((owner, row.values[:-1]))
                if owner == IDS and ID.fullmatch(str(row.values[0])):
                    self.ids[last] = row.values[0]
            elif owner in self.witnesses:
                self.entries[owner].add(row.values)
            return True
        return False

    def _by_shape(self, row: Row) -> None:
        """The table that a row is of that lies where none of its kind should.

        An entry of the index of ids tells at least an id.
        """
        values = row.values
        if len(values) == 2 and isinstance(values[0], str) and ID.fullmatch(values[0]):  # noqa: PLR2004
            self._is_entry(IDS, row)
            return
        for table in self.tables.values():
            if (fitted := table.fits(row)) is not None and table.likely(fitted):
                if table.name in _ALIKE:
                    self.guessed.add(int(fitted[0]))
                self._keep(table, fitted, row)
                return

    def _keep(self, table: StoredTable, values: Values, row: Row) -> None:
        key = table.key(values, row.rowid)
        former = self.rows[table.name].get(key)
        version = table.place("version") if table.name == "memories" else -1
        if former is None or version < 0 or former[version] < values[version]:
            self.rows[table.name][key] = values

    # -- doubting

    def _contradictions(self) -> Iterator[str]:
        """Memories of which an index says something else than the row: one of the two is damaged."""
        self._put_right()
        # Patterns and constraints look alike: their indexes tell which is which
        one, other = self.rows["memory_patterns"], self.rows["memory_constraints"]
        patterns = {(key, id_) for id_, key in self.entries["memory_patterns_pattern"]}
        constraints = {(key, id_) for id_, key in self.entries["memory_constraints_constraint"]}
        wrong = (
            [key for key in one if key in constraints - patterns],
            [key for key in other if key in patterns - constraints],
        )
        other |= {key: one.pop(key) for key in wrong[0]}
        one |= {key: other.pop(key) for key in wrong[1] if key in other}
        table, rows = self.tables["memories"], self.rows["memories"]
        for key, said in self._said.items():
            for index, entry in said if (key,) in rows else ():
                values = rows[(key,)]
                places = [table.place(name) for name in self._indexes[index]]
                if tuple(values[place] for place in places) == entry:
                    continue
                if index == IDS and ID.fullmatch(str(entry[0])):
                    rows[(key,)] = replaced(values, places[0], entry[0])
                names, id_ = ", ".join(self._indexes[index]), self.ids.get(key, values[1])
                yield f"{id_}: its {names} may be changed by the damage ({values[1]}, {entry})"

    def _put_right(self) -> None:
        """Give rows whose key was damaged the one that the index of ids has for them."""
        table, rows = self.tables["memories"], self.rows["memories"]
        numbers = {id_: key for key, id_ in self.ids.items()}
        for (key,), values in list(rows.items()):
            right = numbers.get(values[table.place("id")], key)
            if right != key and (right,) not in rows:
                rows[(right,)] = replaced(values, table.place("key"), right)
                del rows[(key,)]
