"""What can still be read of a damaged store goes into a new one; a backup fills the gaps; what is lost gets a name."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.time import to_micros
from recortex.errors import CorruptStoreError
from recortex.storage.records.rows import COLUMNS, memory_of
from recortex.storage.sqlite.maintenance import altered, unfit
from recortex.storage.sqlite.pages import Reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    import apsw

    from recortex.storage.records.seals import Unfit
    from recortex.storage.sqlite.pages import Row

    Fingerprint = Callable[[str, str], str]
    Rows = dict[tuple[Any, ...], tuple[Any, ...]]

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_OWN = {"schema_migrations"}
_TYPES: dict[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "REAL": (float, int),
    "TEXT": (str,),
    "BLOB": (bytes,),
}
_ALIKE = ("memory_patterns", "memory_constraints")
LINKS = ("memory_files", "memory_functions", "memory_patterns", "memory_constraints")
_OF_A_MEMORY = (*LINKS, "versions", "evidence")
_NAMED_AT_MOST = 10_000
_MOST_ON_A_PAGE = 200
"""Rows that a page can hold at most, of any table with a memory's number: what is beyond that is no number of a memory."""
CUT_OFF = "are missing from the file's end, and what only they held is lost"
_IDS = "sqlite_autoindex_memories_1"


class Column(NamedTuple):
    """A column as the schema has it; `primary` is its place in the primary key, from 1."""

    name: str
    type: str
    needed: bool
    default: Any
    primary: int


class Table(NamedTuple):
    """A plain table of ours; `alias` is the column that is the rowid, or None."""

    name: str
    columns: tuple[Column, ...]
    alias: int | None

    def fits(self, row: Row) -> tuple[Any, ...] | None:
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

    def key(self, values: Sequence[Any], rowid: int | None) -> tuple[Any, ...]:
        """What tells a row from the others."""
        primary = [value for value, column in zip(values, self.columns, strict=True) if column.primary]
        return tuple(primary) if primary else (rowid,)


def _fits(value: Any, column: Column) -> bool:
    if value is None:
        return not column.needed and not column.primary
    if not isinstance(value, _TYPES.get(column.type, (object,))):
        return False
    return not _is_instant(column) or (isinstance(value, int) and _FIRST <= value <= _LAST)


def _is_instant(column: Column) -> bool:
    return column.name in _TIMES or column.name.endswith("_at")


_TIMES = frozenset({"at", "valid_from", "valid_until", "recorded_from", "recorded_to"})
_FIRST, _LAST = (to_micros(end.replace(tzinfo=UTC)) for end in (datetime.min, datetime.max))  # noqa: DTZ901


class Salvaged(NamedTuple):
    """What was lost, in sentences that begin with the memory's id where it is known, and how many memories are there."""

    lost: tuple[str, ...]
    memories: int
    from_backup: int


class Salvage:
    """Fills a new, empty store.

    Args:
        into: the new store, of today's schema.
        damaged: the damaged file, with its write-ahead log beside it; neither is written.
        fingerprint: the hash of a kind and a text, by which a damaged text is known.
    """

    def __init__(self, into: apsw.Connection, damaged: Path, fingerprint: Fingerprint) -> None:
        self._into = into
        self._reader = Reader(damaged)
        self._fingerprint = fingerprint
        self._tables = {table.name: table for table in _tables(into)}
        self._rows: dict[str, Rows] = {name: {} for name in self._tables}
        self._ids: dict[int, str] = {}
        self._entries: dict[str, set[tuple[Any, ...]]] = defaultdict(set)
        self._said: dict[int, list[tuple[str, tuple[Any, ...]]]] = defaultdict(list)
        self._highest = 0
        self._filled = 0
        self._changed: set[int] = set()
        self._guessed: set[int] = set()
        self._aside: list[tuple[Unfit, tuple[Any, ...]]] = []
        self._broken: list[tuple[str, int]] = []
        self._indexes = dict(_indexes(into))
        self._most = self._reader.count * _MOST_ON_A_PAGE

    def run(self, backup: Path | None) -> Salvaged:
        """Read, fill the gaps from a backup, write."""
        self._read()
        contradicted = [*self._contradicted()]
        self._doubt()
        self._write()
        self._set_aside()
        taken = [*self._from_backup(backup)] if backup else []
        kept = [*self._put_back(), *self._seal_anew()]
        lost = [*contradicted, *taken, *kept, *self._lost()]
        self._tidy()
        count = int(self._into.execute("SELECT count(*) FROM memories").get)
        return Salvaged(tuple(lost[:_NAMED_AT_MOST]), count, self._filled)

    # -- reading

    def _read(self) -> None:
        owners = self._reader.owners()
        for row in self._reader.rows():
            owner = owners.get(row.page)
            table = self._tables.get(owner or "")
            values = table.fits(row) if table else None
            if table is None and owner is not None and not owner.startswith("memories_fts"):
                self._entry(owner, row)
            if values is None and (table is not None or owner is None):
                table, values = self._by_shape(row)
            if table is not None and values is not None:
                self._keep(table, values, row)

    def _by_shape(self, row: Row) -> tuple[Table | None, tuple[Any, ...] | None]:
        """The table that a row without an owner is of; an entry of the index of ids tells at least an id."""
        if len(row.values) == 2 and isinstance(row.values[0], str) and _ID.fullmatch(row.values[0]):  # noqa: PLR2004
            self._entry(_IDS, row)
            return None, None
        for table in self._tables.values():
            if (values := table.fits(row)) is not None and _likely(table, values):
                if table.name in _ALIKE:
                    self._guessed.add(int(values[0]))
                return table, values
        return None, None

    def _entry(self, index: str, row: Row) -> None:
        """An index says that a row is there, even where the row cannot be read."""
        last = row.values[-1]
        if index == "sqlite_sequence" and row.values[0] == "memories" and isinstance(last, int):
            self._highest = last
        elif index in self._indexes and isinstance(last, int):
            self._said[last].append((index, row.values[:-1]))
            if index == _IDS and isinstance(row.values[0], str):
                self._ids[last] = row.values[0]
        elif index in _ENTRIES and len(row.values) == _ENTRIES[index][1].count(",") + 1:
            self._entries[index].add(row.values)

    def _contradicted(self) -> Iterator[str]:
        """Memories of which an index says something else than the row: one of the two is damaged."""
        table = self._tables["memories"]
        rows = self._rows["memories"]
        self._put_right(table)
        self._sides()
        for key, said in self._said.items():
            for index, entry in said if (key,) in rows else ():
                values = rows[(key,)]
                places = [_place(table, name) for name in self._indexes[index]]
                if tuple(values[place] for place in places) == entry:
                    continue
                if index == _IDS and _ID.fullmatch(str(entry[0])):
                    rows[(key,)] = _with(values, places[0], entry[0])
                names, id_ = ", ".join(self._indexes[index]), self._ids.get(key, values[1])
                yield f"{id_}: its {names} may be changed by the damage ({values[1]}, {entry})"

    def _put_right(self, table: Table) -> None:
        """A row whose number was damaged gets the one that the index of ids gives it."""
        rows = self._rows["memories"]
        numbers = {id_: key for key, id_ in self._ids.items()}
        for (key,), values in list(rows.items()):
            right = numbers.get(values[_place(table, "id")], key)
            if right != key and (right,) not in rows:
                rows[(right,)] = _with(values, _place(table, "key"), right)
                del rows[(key,)]

    def _keep(self, table: Table, values: tuple[Any, ...], row: Row) -> None:
        key = table.key(values, row.rowid)
        former = self._rows[table.name].get(key)
        if (
            table.name == "memories"
            and former is not None
            and former[_place(table, "version")] >= values[_place(table, "version")]
        ):
            return
        self._rows[table.name][key] = values

    def _doubt(self) -> None:
        """Memories that are not as they were written, and former states that cannot be read."""
        table = self._tables["memories"]
        for (key,), values in self._rows["memories"].items():
            if altered(_selected(table, values), self._fingerprint) is not None:
                self._changed.add(key)
        for name, column in (("versions", "state"), ("relations", "evidence")):
            place = _place(self._tables[name], column)
            for key, values in list(self._rows[name].items()):
                if not (_is_state(values[place]) if name == "versions" else _is_json(values[place])):
                    del self._rows[name][key]
                    self._broken.append((name, int(key[0])))

    def _sides(self) -> None:
        """Patterns and constraints look alike: their indexes tell which is which."""
        one, other = self._rows["memory_patterns"], self._rows["memory_constraints"]
        patterns = {(key, id_) for id_, key in self._entries["memory_patterns_pattern"]}
        constraints = {(key, id_) for id_, key in self._entries["memory_constraints_constraint"]}
        wrong = (
            [key for key in one if key in constraints - patterns],
            [key for key in other if key in patterns - constraints],
        )
        other |= {key: one.pop(key) for key in wrong[0]}
        one |= {key: other.pop(key) for key in wrong[1] if key in other}

    # -- writing

    def _write(self) -> None:
        self._into.execute("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
        for name, table in self._tables.items():
            rows: Iterable[tuple[Any, ...]] = self._rows[name].values()
            if name == "memories":
                rows = [kept for values in rows if (kept := self._accepted(table, values)) is not None]
            marks = ", ".join("?" * len(table.columns))
            self._into.executemany(f"INSERT OR IGNORE INTO {name} VALUES ({marks})", rows)
        self._into.execute("COMMIT")

    def _accepted(self, table: Table, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """A damaged memory is kept as far as it can be read, under a hash of its own; None if it cannot."""
        if values[_place(table, "key")] not in self._changed:
            return values
        kind, text = values[_place(table, "kind")], values[_place(table, "text")]
        kept = list(values)
        kept[_place(table, "content_hash")] = bytes.fromhex(self._fingerprint(kind, text))
        for attempt in (kept, _without_json(table, kept)):
            if altered(_selected(table, attempt), self._fingerprint) is None:
                return tuple(attempt)
        return None

    def _set_aside(self) -> None:
        """What is not as it was sealed makes room for what the backup has: a memory is changed, other rows wait."""
        for one in unfit(self._into):
            if one.table == "memories":
                self._changed.add(int(one.key[0]))
            else:
                among = _among(self._tables[one.table])
                self._aside += [
                    (one, row)
                    for row in self._into.execute(f"SELECT * FROM {one.table} WHERE {among}", one.key)
                ]
        for one, _ in self._aside:
            self._into.execute(f"DELETE FROM {one.table} WHERE {_among(self._tables[one.table])}", one.key)

    def _put_back(self) -> Iterator[str]:
        """What waited, where the backup has nothing in its place."""
        for one, row in self._aside:
            among = _among(self._tables[one.table])
            if self._into.execute(f"SELECT EXISTS (SELECT 1 FROM {one.table} WHERE {among})", one.key).get:
                yield f"{one.id}: one of its {one.table} was changed by the damage, and is as the backup has it"
            else:
                self._into.execute(f"INSERT INTO {one.table} VALUES ({', '.join('?' * len(row))})", row)

    def _seal_anew(self) -> Iterator[str]:
        """What is kept although it is not as it was sealed gets a name, and the seal of what it is now."""
        for one in unfit(self._into):
            among = _among(self._tables[one.table])
            self._into.execute(f"UPDATE {one.table} SET seal = ? WHERE {among}", (one.seal, *one.key))
            if one.table == "memories":
                self._changed.add(int(one.key[0]))
            else:
                yield f"{one.id}: one of its {one.table} was changed by the damage, and is kept as it can be read now"

    def _from_backup(self, backup: Path) -> Iterator[str]:
        self._into.execute("ATTACH ? AS backup", (str(backup),))
        self._into.execute("BEGIN IMMEDIATE")
        self._into.execute("CREATE TEMP TABLE taken (key INTEGER PRIMARY KEY)")
        self._into.execute(_TAKEN)
        self._into.executemany(_TAKEN_SAME, [(key,) for key in self._changed])
        for key, id_ in list(
            self._into.execute("SELECT m.key, m.id FROM taken JOIN backup.memories m USING (key)")
        ):
            self._ids[key] = id_
            same = "what the damage changed is" if key in self._changed else "it is"
            yield f"{id_}: {same} as it was in the backup {backup.name}; a change after that is lost"
            self._changed.discard(key)
            self._filled += 1
        self._copy_taken()
        yield from self._relations_taken()
        self._into.execute("COMMIT")
        self._into.execute("DROP TABLE temp.taken; DETACH backup")

    def _copy_taken(self) -> None:
        self._copy("embedding_models", "true")
        self._copy("embeddings", "true")
        self._copy("embedding_signs", "true")
        self._into.execute("DELETE FROM memories WHERE key IN (SELECT key FROM taken)")
        self._copy("memories", "key IN (SELECT key FROM taken)")
        for name in _OF_A_MEMORY:
            self._into.execute(f"DELETE FROM {name} WHERE memory_key IN (SELECT key FROM taken)")
            self._copy(name, "memory_key IN (SELECT key FROM taken)")
        self._into.execute(_SAME_VERSION)
        for name in LINKS:
            self._into.execute(f"DELETE FROM {name} WHERE memory_key IN (SELECT key FROM same)")
            self._copy(name, "memory_key IN (SELECT key FROM same)")
        self._into.execute("DROP TABLE temp.same")
        self._copy("versions", _OLDER)
        self._copy("evidence", "true")
        self._copy(
            "relations", "source_key IN (SELECT key FROM taken) OR target_key IN (SELECT key FROM taken)"
        )
        for entry in self._entries["relations_target"]:
            self._copy("relations", "target_key = ? AND source_key = ? AND type = ?", entry)
        for name in (
            "audit",
            "sessions",
            "receipts",
            "signals",
            "model_calls",
            "checkpoints",
            "chores",
            "audit_summaries",
        ):
            self._copy(name, "true")

    def _relations_taken(self) -> Iterator[str]:
        """Relations of the backup, unless all that the damaged file had are known: one that was taken away since may be back."""
        known = {(target, source, type_) for source, target, type_ in self._rows["relations"]}
        if known and known == self._entries["relations_target"]:
            return
        before = set(self._into.execute("SELECT source_key, target_key, type FROM main.relations"))
        self._copy("relations", _BOTH_THERE)
        for source, target, type_ in (
            set(self._into.execute("SELECT source_key, target_key, type FROM main.relations")) - before
        ):
            ids = dict(
                self._into.execute("SELECT key, id FROM main.memories WHERE key IN (?, ?)", (source, target))
            )
            yield f"{ids[source]}: {type_} {ids[target]} as the backup has it, in case it was not taken away since"

    def _copy(self, table: str, condition: str, values: tuple[Any, ...] = ()) -> None:
        there = {
            row[0] for row in self._into.execute("SELECT name FROM pragma_table_info(?, 'backup')", (table,))
        }
        if table not in self._tables or not there:
            return
        names = ", ".join(column.name for column in self._tables[table].columns if column.name in there)
        self._into.execute(
            f"INSERT OR IGNORE INTO main.{table} ({names}) SELECT {names} FROM backup.{table} WHERE {condition}",
            values,
        )

    # -- naming

    def _lost(self) -> Iterator[str]:
        there = {row[0]: row[1] for row in self._into.execute("SELECT key, id FROM memories")}
        buried = {row[0] for row in self._into.execute("SELECT memory_key FROM tombstones")}
        known = (self._highest, *there, *self._ids, *self._keys_elsewhere())
        last = max((key for key in known if key <= self._most), default=0)
        for key in self._changed & there.keys():
            yield f"{there[key]}: it was changed by the damage, and is kept as it can be read now"
        for key in self._guessed & there.keys():
            yield f"{there[key]}: its patterns and constraints can no longer be told apart"
        for name, key in self._broken:
            yield f"{there.get(key, key)}: one of its {name} could not be read"
        if self._reader.cut:
            yield f"{self._reader.cut} of {self._reader.count + self._reader.cut} pages {CUT_OFF}"
        for key in range(1, last + 1):
            if key not in there and key not in buried:
                yield f"{self._ids.get(key, f'the memory number {key}')}: could not be read, and is in no backup"
        yield from self._parts_lost(there)

    def _keys_elsewhere(self) -> Iterator[int]:
        yield from (key for key, _ in self._rows["evidence"])
        yield from (key for key, _ in self._rows["versions"])

    def _parts_lost(self, there: dict[int, str]) -> Iterator[str]:
        """Rows that an index knows of, and that are not there."""
        for index, (table, columns, owner) in _ENTRIES.items():
            present = set(self._into.execute(f"SELECT {columns} FROM {table}"))
            for entry in self._entries[index] - present:
                id_ = there.get(entry[owner])
                if id_ is not None:
                    more = f" to {there.get(entry[0], entry[0])}" if table == "relations" else ""
                    yield f"{id_}: a row of its {table}{more} could not be read"

    def _tidy(self) -> None:
        """No row may refer to what is not there; what has no vector gets one anew."""
        self._into.execute("BEGIN IMMEDIATE")
        for name in _OF_A_MEMORY:
            self._into.execute(f"DELETE FROM {name} WHERE memory_key NOT IN (SELECT key FROM memories)")
        self._into.execute(_TIDY)
        self._into.execute("COMMIT; PRAGMA foreign_keys = ON")


_ENTRIES = {
    # index: the table, its columns as the index has them, and which of them is the memory's key
    "relations_target": ("relations", "target_key, source_key, type", 1),
    "memory_files_memory": ("memory_files", "memory_key, rowid", 0),
    "memory_functions_memory": ("memory_functions", "memory_key, rowid", 0),
    "memory_patterns_pattern": ("memory_patterns", "pattern_id, memory_key", 1),
    "memory_constraints_constraint": ("memory_constraints", "constraint_id, memory_key", 1),
}
_TAKEN = """
INSERT INTO taken SELECT key FROM backup.memories b
WHERE key NOT IN (SELECT key FROM main.memories) AND key NOT IN (SELECT memory_key FROM main.tombstones)
  AND id NOT IN (SELECT id FROM main.memories)
"""
_TAKEN_SAME = """
INSERT OR IGNORE INTO taken SELECT b.key FROM backup.memories b JOIN main.memories m USING (key)
WHERE key = ? AND b.version = m.version AND b.id = m.id
"""
_SAME_VERSION = """
CREATE TEMP TABLE same AS SELECT m.key FROM main.memories m JOIN backup.memories b ON b.key = m.key AND b.version = m.version
"""
_BOTH_THERE = """
source_key IN (SELECT key FROM main.memories) AND target_key IN (SELECT key FROM main.memories)
"""
_OLDER = "version < (SELECT version FROM main.memories m WHERE m.key = memory_key)"
_TIDY = """
DELETE FROM relations WHERE source_key NOT IN (SELECT key FROM memories) OR target_key NOT IN (SELECT key FROM memories);
DELETE FROM embedding_signs WHERE key NOT IN (SELECT key FROM embeddings);
DELETE FROM embeddings WHERE key NOT IN (SELECT key FROM embedding_signs)
  OR model NOT IN (SELECT key FROM embedding_models);
DELETE FROM embedding_signs WHERE key NOT IN (SELECT key FROM embeddings);
UPDATE memories SET embedding_key = NULL WHERE embedding_key NOT IN (SELECT key FROM embeddings);
UPDATE versions SET embedding_key = NULL WHERE embedding_key NOT IN (SELECT key FROM embeddings);
"""


def _selected(table: Table, values: Sequence[Any]) -> tuple[Any, ...]:
    """A row of the memories as reading them wants it."""
    return tuple(values[_place(table, name)] for name in COLUMNS)


def _without_json(table: Table, values: Sequence[Any]) -> list[Any]:
    emptied = list(values)
    for name, nothing in (("content", None), ("source", None), ("metadata", None), ("tags", "[]")):
        emptied[_place(table, name)] = nothing
    return emptied


def _among(table: Table) -> str:
    """The condition that a row has a key."""
    return " AND ".join(f"{column.name} = ?" for column in table.columns if column.primary)


def _is_state(value: Any) -> bool:
    try:
        memory_of(value)
    except CorruptStoreError:
        return False
    return True


def _is_json(value: Any) -> bool:
    try:
        json.loads(value)
    except ValueError:
        return False
    return True


def _place(table: Table, name: str) -> int:
    return next(place for place, column in enumerate(table.columns) if column.name == name)


def _with(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])


def _likely(table: Table, values: Sequence[Any]) -> bool:
    """Of tables whose rows look alike, the right one."""
    if table.name in {"memories", "tombstones"}:
        return bool(_ID.fullmatch(str(values[1])))
    return table.name not in _OWN


def _tables(connection: apsw.Connection) -> Iterator[Table]:
    """Our plain tables, those that others refer to first."""
    names = [row[0] for row in connection.execute(_PLAIN)]
    for name in names:
        columns = tuple(
            Column(column, type_, bool(needed), _literal(default), primary)
            for _, column, type_, needed, default, primary in connection.execute(f"PRAGMA table_info({name})")
        )
        whole = [place for place, column in enumerate(columns) if column.primary]
        ordered = bool(connection.execute("SELECT wr FROM pragma_table_list(?)", (name,)).get)
        alias = whole[0] if len(whole) == 1 and not ordered and columns[whole[0]].type == "INTEGER" else None
        yield Table(name, columns, alias)


def _indexes(connection: apsw.Connection) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The indexes of the memories, and their columns."""
    for (name,) in list(connection.execute("SELECT name FROM pragma_index_list('memories')")):
        yield (
            name,
            tuple(row[0] for row in connection.execute("SELECT name FROM pragma_index_info(?)", (name,))),
        )


_PLAIN = """
SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'
AND name <> 'schema_migrations' ORDER BY name <> 'memories', name
"""


def _literal(default: str | None) -> Any:
    if default is None:
        return None
    return default[1:-1] if default.startswith("'") else int(default)
