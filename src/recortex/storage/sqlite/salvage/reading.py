"""Reads a damaged file: its rows by table, and what indexes and logs say of rows that cannot be read."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from recortex.domain.vocabulary import Actor
from recortex.storage.records.row_checks import ROW_CHECKS
from recortex.storage.records.rows import COLUMNS
from recortex.storage.sqlite.maintenance import altered
from recortex.storage.sqlite.pages import Reader
from recortex.storage.sqlite.salvage.tables import ID, indexes, replaced, tables, widths, witnesses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import apsw

    from recortex.storage.sqlite.pages import Row
    from recortex.storage.sqlite.salvage.tables import StoredTable, Values

    Fingerprint = Callable[[str, str], str]

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
        self._doubt()

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
        self._sides()
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

    def _sides(self) -> None:
        """Patterns and constraints look alike: their indexes tell which is which."""
        one, other = self.rows["memory_patterns"], self.rows["memory_constraints"]
        patterns = {(key, id_) for id_, key in self.entries["memory_patterns_pattern"]}
        constraints = {(key, id_) for id_, key in self.entries["memory_constraints_constraint"]}
        wrong = (
            [key for key in one if key in constraints - patterns],
            [key for key in other if key in patterns - constraints],
        )
        other |= {key: one.pop(key) for key in wrong[0]}
        one |= {key: other.pop(key) for key in wrong[1] if key in other}

    def _doubt(self) -> None:
        """Find memories that were changed by damage, and other rows that Recortex cannot have written."""
        for (key,), values in self.rows["memories"].items():
            if not self.fits_its_hash(values):
                self.changed.add(key)
        for name, reading in ROW_CHECKS.items():
            table = self.tables[name]
            for key, values in list(self.rows[name].items()):
                if reading.flaw(tuple(values[table.place(column)] for column in reading.columns)):
                    del self.rows[name][key]
                    self.broken.append((name, values[table.place(reading.owner)] if reading.owner else 0))
