"""Reads a damaged SQLite file: its rows page by page or by table, and what indexes and logs say of lost ones.

The format is SQLite's own (https://www.sqlite.org/fileformat2.html). No schema, no tree and no header need be
whole to read pages.
"""

from __future__ import annotations

import mmap
import re
import struct
from collections import Counter, defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor
from recortex.storage import database as declared
from recortex.storage.database import queries
from recortex.storage.records.maintenance import row_checks
from recortex.storage.records.rows import COLUMNS
from recortex.storage.sqlite.maintenance import altered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import apsw

    Values = tuple[Any, ...]
    Fingerprint = Callable[[str, str], str]


PAGE = 4096
"""The size of our pages: SQLite's default, which no store of ours changes."""

_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR, _TABLE_INTERIOR = 0x0D, 0x0A, 0x02, 0x05
_TREE = frozenset({_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR, _TABLE_INTERIOR})
_FIRST_FREE = 32  # where the file's header names the first page of the free list
_POINTER_MAP, _POINTER_MAP_EVERY = 2, PAGE // 5 + 1
"""Where pages lie that only say which page points to which: a store of ours is made with `auto_vacuum`."""
_LOG_HEADER, _FRAME_HEADER = 32, 24
_BIG_ENDIAN_SUMS = 0x377F0683  # the log's magic number where its checksums are of big-endian words
_FIRST_HEADER = 100  # bytes of the file's header, before the first page's own
_MOST_PAYLOAD = 1 << 28  # a longer row is taken for damage
_SAID_COUNT, _MOST_PAGES = 28, 1 << 26
"""Where the header says how many pages there are, and how many are believed."""
_SIZES = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
"""Bytes of a value by its serial type; types 8 and 9 are the numbers 0 and 1."""
_FLOAT, _ZERO, _ONE = 7, 8, 9
_FIRST_BLOB = 12  # the first serial type of blobs (even) and texts (odd)
_SCHEMA_COLUMNS = 5


class Row(NamedTuple):
    """A row: its page, its rowid (None in an index or a table without), and its values in stored order."""

    page: int
    rowid: int | None
    values: tuple[Any, ...]


class Reader:
    """A damaged file with its write-ahead log.

    Attributes:
        cut: pages that the file once had beyond its end.
    """

    def __init__(self, path: Path) -> None:
        self._data = _bytes_of(path)
        self.count = -(-len(self._data) // PAGE)
        self._newer = _committed(path.with_name(f"{path.name}-wal"))
        # The log may hold pages beyond the file's end: a commit that grew the file and was never
        # checkpointed.
        self.count = max([self.count, *self._newer])
        head = self.page(1)
        # The header is damaged as easily as the rest: a number of pages that no store reaches is not
        # believed, or the report would speak of millions of pages that were cut off.
        said = _number(head, _SAID_COUNT, 4) if head[:16] == b"SQLite format 3\0" else 0
        self.cut = max(0, said - self.count) if said < _MOST_PAGES else 0
        self._following: set[int] = set()

    def page(self, number: int) -> bytes:
        """A page by its number, from 1; shorter at the file's end."""
        if number in self._newer:
            return self._newer[number]
        return self._data[(number - 1) * PAGE : number * PAGE]

    def _tree_page(self, number: int) -> tuple[bytes, int]:
        """A whole page, and where the header of a tree's page begins on it."""
        return self.page(number).ljust(PAGE, b"\0"), _FIRST_HEADER if number == 1 else 0

    def rows(self) -> Iterator[Row]:
        """Every row of every page that still holds rows."""
        for number in range(1, self.count + 1):
            data, start = self._tree_page(number)
            # Inner pages of a table hold only rowids; those of an index hold rows of their own, which are
            # on no leaf.
            if data[start] in {_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR}:
                yield from self._cells(number, data, start)

    def holes(self) -> list[int]:
        """Pages whose content is lost: no whole page of a tree, not free, nor the rest of a row.

        Only known after `rows`.
        """
        # The pages of the free list
        found: set[int] = set()
        trunk = _number(self.page(1), _FIRST_FREE, 4)
        # A damaged list may lead back into itself.
        while 1 < trunk <= self.count and trunk not in found:
            data = self.page(trunk).ljust(PAGE, b"\0")
            count = min(_number(data, 4, 4), PAGE // 4 - 2)
            found |= {trunk, *(_number(data, 8 + 4 * place, 4) for place in range(count))}
            trunk = _number(data, 0, 4)
        # Pages of SQLite's pointer map and pages that only continue a long row look like no tree, and
        # rightly.
        passed = found | self._following | set(range(_POINTER_MAP, self.count + 1, _POINTER_MAP_EVERY))
        others = (number for number in range(1, self.count + 1) if number not in passed)
        return [number for number in others if not self._is_whole(number)]

    def _is_whole(self, number: int) -> bool:
        """Whether each byte of a page of a tree is accounted for, as SQLite's own check has it.

        A lost cell leaves a gap.
        """
        data, start = self._tree_page(number)
        if data[start] not in _TREE:
            return False
        try:
            used = sum(self._size(data, cell, data[start]) for cell in _pointers(data, start))
            return used + _free_bytes(data, start) == PAGE - _number(data, start + 5, 2)
        except (IndexError, ValueError, struct.error):
            return False

    def _size(self, data: bytes, at: int, type_: int) -> int:
        """How many bytes a cell takes on its page."""
        begun = at + (4 if type_ in {_TABLE_INTERIOR, _INDEX_INTERIOR} else 0)
        length, end = _varint(data, begun)
        if type_ == _TABLE_INTERIOR:
            return end - at
        if type_ == _TABLE_LEAF:
            _, end = _varint(data, end)
        here = _here(length, table=type_ == _TABLE_LEAF)
        # SQLite gives a cell at least four bytes, so that a free block's header fits where it was deleted.
        return max(4, end - at + here + (4 if here < length else 0))

    def owners(self) -> dict[int, str]:
        """Which table or index each page belongs to, as far as the schema and the trees can be read."""
        found: dict[int, str] = {}
        for row in self._schema():
            _, name, _, root, _ = row.values
            if isinstance(root, int) and isinstance(name, str):
                self._claim(root, name, found)
        return found

    def _schema(self) -> Iterator[Row]:
        pages: dict[int, str] = {}
        self._claim(1, "sqlite_schema", pages)
        for number in pages:
            data, start = self._tree_page(number)
            if data[start] == _TABLE_LEAF:
                cells = self._cells(number, data, start)
                yield from (row for row in cells if len(row.values) == _SCHEMA_COLUMNS)

    def _claim(self, root: int, name: str, found: dict[int, str]) -> None:
        waiting = [root]
        while waiting:
            number = waiting.pop()
            # What was claimed first keeps a page: with damaged pointers two trees may seem to share one.
            if not 1 <= number <= self.count or number in found:
                continue
            found[number] = name
            data, start = self._tree_page(number)
            if data[start] in {_TABLE_INTERIOR, _INDEX_INTERIOR}:
                waiting.append(_number(data, start + 8, 4))
                waiting += [_number(data, cell, 4) for cell in _pointers(data, start) if cell <= PAGE - 4]

    def _cells(self, number: int, data: bytes, start: int) -> Iterator[Row]:
        table = data[start] == _TABLE_LEAF
        skipped = 4 if data[start] == _INDEX_INTERIOR else 0
        for cell in _pointers(data, start):
            try:
                length, at = _varint(data, cell + skipped)
                rowid = None
                if table:
                    rowid, at = _varint(data, at)
                yield Row(number, _signed(rowid), _record(self._payload(data, at, length, table=table)))
            # Of a damaged page the other cells may still be whole: each is read on its own.
            except (IndexError, ValueError, struct.error):
                continue

    def _payload(self, data: bytes, at: int, length: int, *, table: bool) -> bytes:
        # A damaged length would otherwise be followed through the whole file.
        if length > _MOST_PAYLOAD:
            raise ValueError
        here = _here(length, table=table)
        parts, left = [_piece(data, at, here)], length - here
        following = _number(data, at + here, 4)
        while left > 0:
            self._following.add(following)
            more = self.page(following) if 1 <= following <= self.count else b""
            size = min(left, PAGE - 4)
            parts.append(_piece(more, 4, size))
            left -= size
            following = _number(more, 0, 4)
        return b"".join(parts)


def _bytes_of(path: Path) -> bytes | mmap.mmap:
    """A file's bytes, which are not all read at once."""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""


def _pointers(data: bytes, start: int) -> list[int]:
    count = _number(data, start + 3, 2)
    first = start + (12 if data[start] in {_TABLE_INTERIOR, _INDEX_INTERIOR} else 8)
    if first + 2 * count > PAGE:
        return []
    return [cell for place in range(count) if (cell := _number(data, first + 2 * place, 2)) >= first]


def _here(length: int, *, table: bool) -> int:
    """How much of a payload lies on the page of its cell; the rest is on pages of its own."""
    # The formulas are those of SQLite's file format, section 1.6, with no reserved bytes: X, then M and K.
    most = PAGE - 35 if table else (PAGE - 12) * 64 // 255 - 23
    if length <= most:
        return length
    least = (PAGE - 12) * 32 // 255 - 23
    here = least + (length - least) % (PAGE - 4)
    return here if here <= most else least


def _free_bytes(data: bytes, start: int) -> int:
    """What the free blocks and the fragments of a page take."""
    total, block, last = data[start + 7], _number(data, start + 1, 2), 0
    while block:
        # Free blocks are chained in ascending order; anything else is damage, and could be a circle.
        if block <= last or block > PAGE - 4:
            raise ValueError
        total += _number(data, block + 2, 2)
        last, block = block, _number(data, block, 2)
    return total


def _piece(data: bytes, at: int, length: int) -> bytes:
    if at + length > len(data):
        raise ValueError
    return data[at : at + length]


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "big")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004  the last byte of a varint has its high bit clear
            return value, at + place + 1
    return value << 8 | data[at + 8], at + 9


def _signed(value: int | None) -> int | None:
    return value - (1 << 64) if value is not None and value >> 63 else value


def _record(payload: bytes) -> tuple[Any, ...]:
    end, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    # The header of a record says its own length. Strictness here is what tells a row from bytes that
    # happen to look like one; there is no checksum in the file itself.
    if at != end:
        raise ValueError
    values: list[Any] = []
    for kind in kinds:
        size = _SIZES[kind] if kind in _SIZES else (kind - _FIRST_BLOB) // 2
        if size < 0:
            raise ValueError
        values.append(_value(kind, _piece(payload, at, size)))
        at += size
    if at != len(payload) or not values:
        raise ValueError
    return tuple(values)


def _value(kind: int, data: bytes) -> Any:
    if kind == 0:
        return None
    if kind in {_ZERO, _ONE}:
        return kind - _ZERO
    if kind == _FLOAT:
        return struct.unpack(">d", data)[0]
    if kind < _FLOAT:
        return int.from_bytes(data, "big", signed=True)
    return data.decode("utf-8") if kind % 2 else data


def _committed(log: Path) -> dict[int, bytes]:
    """The newest pages of a write-ahead log, up to the last commit whose sums agree."""
    data = log.read_bytes() if log.is_file() else b""
    order = {_BIG_ENDIAN_SUMS: ">", _BIG_ENDIAN_SUMS - 1: "<"}.get(_number(data, 0, 4))
    if order is None or len(data) < _LOG_HEADER or _number(data, 8, 4) != PAGE:
        return {}
    salts = data[16:24]
    sums = _sums((0, 0), data[:24], order)
    found: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    size = _FRAME_HEADER + PAGE
    for at in range(_LOG_HEADER, len(data) - size + 1, size):
        head, page = data[at : at + _FRAME_HEADER], data[at + _FRAME_HEADER : at + size]
        sums = _sums(_sums(sums, head[:8], order), page, order)
        # Frames of an earlier round of the log follow the current ones, with other salts: the log ends there.
        # The sums run on from frame to frame, so after one that does not fit none can be trusted.
        if head[8:16] != salts or struct.unpack(">II", head[16:24]) != sums:
            break
        pending[_number(head, 0, 4)] = page
        # Only a commit's last frame names the size of the database; what comes after it was never committed.
        if _number(head, 4, 4):
            found |= pending
            pending = {}
    return found


def _sums(sums: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second


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
LINKS = tuple(table.name for table in declared.link_tables().values())
OF_A_MEMORY = tuple(table.name for table in declared.owned_tables())
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
