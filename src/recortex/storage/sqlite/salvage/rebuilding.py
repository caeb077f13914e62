"""Writes what was read into a new store; rows that do not fit their checksum wait for the backup's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from recortex.domain.vocabulary import Actor
from recortex.storage.queries import queries
from recortex.storage.sqlite.maintenance import unfit
from recortex.storage.sqlite.salvage.tables import ID
from recortex.storage.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import apsw

    from recortex.storage.records.row_checksums import Unfit
    from recortex.storage.sqlite.salvage.reading import DamagedContent
    from recortex.storage.sqlite.salvage.tables import StoredTable, Values

_SQL = queries("salvage", "sqlite")


def write(into: apsw.Connection, found: DamagedContent) -> None:
    """Write all that was found into a new, empty store."""
    into.execute("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE")
    for name, table in found.tables.items():
        rows: Iterable[Values] = found.rows[name].values()
        if name == "memories":
            rows = [kept for values in rows if (kept := _accepted(found, table, values)) is not None]
        marks = ", ".join("?" * len(table.columns))
        into.executemany(f"INSERT OR IGNORE INTO {name} VALUES ({marks})", rows)
    into.execute("COMMIT")


def _accepted(found: DamagedContent, table: StoredTable, values: Values) -> Values | None:
    """A damaged memory is kept as far as it can be read, under a hash of its own; None if it cannot."""
    if values[table.place("key")] not in found.changed:
        return values
    kind, text = values[table.place("kind")], values[table.place("text")]
    kept = list(values)
    kept[table.place("content_hash")] = found.fingerprint(kind, text)
    if not ID.fullmatch(values[table.place("id")]):
        kept[table.place("id")] = str(uuid4())
    if values[table.place("changed_by")] not in set(Actor):
        kept[table.place("changed_by")] = Actor.SYSTEM.value
    for attempt in (kept, _without_json(table, kept)):
        if found.fits_its_hash(attempt):
            return tuple(attempt)
    return None


def _without_json(table: StoredTable, values: list[Any]) -> list[Any]:
    emptied = list(values)
    for name, nothing in (("content", None), ("source", None), ("metadata", None), ("tags", "[]")):
        emptied[table.place(name)] = nothing
    return emptied


class Aside:
    """Rows that are not as they were sealed.

    A memory is marked as changed, other rows wait until the backup was asked.
    """

    def __init__(self, into: apsw.Connection, found: DamagedContent) -> None:
        self._into = into
        self._found = found
        self._rows: list[tuple[Unfit, Values]] = []
        for one in unfit(into):
            if one.table == "memories":
                found.changed.add(int(one.key[0]))
            else:
                rows = into.execute(f"SELECT * FROM {one.table} WHERE {self._among(one)}", one.key)
                self._rows += [(one, row) for row in rows]
        for one, _ in self._rows:
            into.execute(f"DELETE FROM {one.table} WHERE {self._among(one)}", one.key)

    def put_back(self) -> Iterator[str]:
        """Put back the rows that waited, where the backup has nothing in their place."""
        for one, row in self._rows:
            there = f"SELECT EXISTS (SELECT 1 FROM {one.table} WHERE {self._among(one)})"
            if self._into.execute(there, one.key).get:
                yield (
                    f"{one.id}: one of its {one.table} was changed by the damage, and is as the backup has it"
                )
            else:
                self._into.execute(f"INSERT INTO {one.table} VALUES ({', '.join('?' * len(row))})", row)

    def seal_anew(self) -> Iterator[str]:
        """Report rows that are kept although they do not fit their checksum, and give them a fitting one."""
        for one in unfit(self._into):
            update = f"UPDATE {one.table} SET seal = ? WHERE {self._among(one)}"
            self._into.execute(update, (one.seal, *one.key))
            if one.table == "memories":
                self._found.changed.add(int(one.key[0]))
            else:
                yield (
                    f"{one.id}: one of its {one.table} was changed by the damage,"
                    " and is kept as it can be read now"
                )

    def _among(self, one: Unfit) -> str:
        return self._found.tables[one.table].among()


def tidy(into: apsw.Connection) -> None:
    """Delete rows that refer to missing ones; memories without a vector get one later."""
    into.execute("BEGIN IMMEDIATE")
    for table in TABLES:
        for owner in table.owners:
            into.execute(f"DELETE FROM {table.name} WHERE {owner} NOT IN (SELECT key FROM memories)")
    into.execute(_SQL["tidy"])
    into.execute("COMMIT; PRAGMA foreign_keys = ON")
