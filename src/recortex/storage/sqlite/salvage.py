"""Salvages a damaged store: what can be read goes into a new one, and a backup fills the gaps.

What is lost is reported by name. Rows that do not fit their checksum wait for the backup's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from recortex.codec import loads
from recortex.domain.vocabulary import Actor, RelationType
from recortex.errors import InvalidInputError
from recortex.storage.database import queries
from recortex.storage.sqlite.damaged import ID, LINKS, OF_A_MEMORY, REFILLED, DamagedContent
from recortex.storage.sqlite.maintenance import unfit
from recortex.storage.tables import TABLES, keyword_indexes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import apsw

    from recortex.storage.records.rows import Unfit
    from recortex.storage.sqlite.damaged import Fingerprint, StoredTable, Values

    Ends = tuple[str, str, str]


_SQL = queries("salvage", "sqlite")
_NAMED_AT_MOST = 10_000  # sentences on losses that are reported


class Salvaged(NamedTuple):
    """What a salvage kept and lost.

    Attributes:
        lost: sentences that begin with the memory's id where it is known.
        memories: in the new store.
        from_backup: of these, as the backup has them.
    """

    lost: tuple[str, ...]
    memories: int
    from_backup: int


def salvage(
    into: apsw.Connection, damaged: Path, fingerprint: Fingerprint, backup: Backup | None
) -> Salvaged:
    """Read, fill the gaps from a backup, write.

    Args:
        into: a new, empty store, of today's schema.
        damaged: the damaged file, with its write-ahead log beside it; neither is written.
        fingerprint: the hash of a kind and a text, by which a damaged text is known.
        backup: a whole store of today's schema, if there is one.
    """
    found = DamagedContent(into, damaged, fingerprint)
    named = [*found.contradicted]
    write(into, found)
    aside = Aside(into, found)
    filling = Filling(into, found, backup) if backup else None
    if filling:
        named += filling.run()
    named += [*aside.put_back(), *aside.seal_anew()]
    tidy(into)
    named += lost(into, found)
    count = int(into.execute("SELECT count(*) FROM memories").get)
    return Salvaged(tuple(named[:_NAMED_AT_MOST]), count, filling.filled if filling else 0)


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
    emptied = list(kept)
    for name, nothing in (("content", None), ("source", None), ("metadata", None), ("tags", "[]")):
        emptied[table.place(name)] = nothing
    for attempt in (kept, emptied):
        if found.fits_its_hash(attempt):
            return tuple(attempt)
    return None


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


# -- fills gaps from a backup, and reports what came from it, since later changes of that are lost


_FILLING_SQL = queries("salvage", "sqlite")


class Backup(NamedTuple):
    """A whole store of today's schema, and its name in reports."""

    path: Path
    name: str


class Filling:
    """Takes from a backup what a new store lacks.

    Args:
        into: the new store, with what could be read.
        found: what that was; memories that come from the backup are no longer `changed`.
        backup: what it is taken from.

    Attributes:
        filled: how many memories are as the backup has them.
    """

    def __init__(self, into: apsw.Connection, found: DamagedContent, backup: Backup) -> None:
        self._into = into
        self._found = found
        self._backup = backup
        self.filled = 0

    def run(self) -> Iterator[str]:
        """Fill the gaps; yields a sentence for each memory or relation that came from the backup."""
        self._into.execute("ATTACH ? AS backup", (str(self._backup.path),))
        self._into.execute("BEGIN IMMEDIATE")
        self._into.execute("CREATE TEMP TABLE taken (key INTEGER PRIMARY KEY)")
        self._into.execute(_FILLING_SQL["take"])
        self._into.executemany(_FILLING_SQL["take_same"], [(key,) for key in self._found.changed])
        yield from self._named()
        for name in ("embedding_models", "embeddings", "embedding_signs", "embedding_pieces"):
            self._copy(name, "true")
        self._into.execute("DELETE FROM memories WHERE key IN (SELECT key FROM taken)")
        self._copy("memories", "key IN (SELECT key FROM taken)")
        self._replace(OF_A_MEMORY, "taken")
        self._into.execute(_FILLING_SQL["same_version"])
        self._replace(LINKS, "same")
        self._into.execute("DROP TABLE temp.same")
        self._copy("versions", _OLDER)
        for name in OF_A_MEMORY:
            if name not in {*LINKS, "versions"}:
                self._copy(name, "true")
        self._copy(
            "relations", "source_key IN (SELECT key FROM taken) OR target_key IN (SELECT key FROM taken)"
        )
        for entry in self._found.entries["relations_target"]:
            self._copy("relations", "target_key = ? AND source_key = ? AND type = ?", entry)
        for name in REFILLED:
            self._copy(name, "true")
        yield from self._relations()
        self._into.execute("COMMIT")
        self._into.execute("DROP TABLE temp.taken; DETACH backup")

    def _named(self) -> Iterator[str]:
        taken = "SELECT m.key, m.id FROM taken JOIN backup.memories m USING (key)"
        for key, id_ in list(self._into.execute(taken)):
            self._found.ids[key] = id_
            same = "what the damage changed is" if key in self._found.changed else "it is"
            yield f"{id_}: {same} as it was in the backup {self._backup.name}; a change after that is lost"
            self._found.changed.discard(key)
            self.filled += 1

    def _replace(self, names: tuple[str, ...], which: str) -> None:
        """The rows of these memories as the backup has them, instead of what was read."""
        for name in names:
            self._into.execute(f"DELETE FROM {name} WHERE memory_key IN (SELECT key FROM {which})")
            self._copy(name, f"memory_key IN (SELECT key FROM {which})")

    def _relations(self) -> Iterator[str]:
        """Relations of the backup, unless all that the damaged file had are known.

        One that was taken away since may be back.
        """
        rows = self._found.rows["relations"]
        known = {(target, source, type_) for source, target, type_ in rows}
        if known and known == self._found.entries["relations_target"]:
            return
        before = self._ends()
        self._copy("relations", _BOTH_THERE)
        for source, target, type_ in self._ends() - before:
            ends = "SELECT key, id FROM main.memories WHERE key IN (?, ?)"
            ids = dict(self._into.execute(ends, (source, target)))
            yield (
                f"{ids[source]}: {type_} {ids[target]} as the backup has it,"
                " in case it was not taken away since"
            )

    def _ends(self) -> set[Values]:
        return set(self._into.execute("SELECT source_key, target_key, type FROM main.relations"))

    def _copy(self, table: str, condition: str, values: Values = ()) -> None:
        names = ", ".join(column.name for column in self._found.tables[table].columns)
        self._into.execute(
            f"INSERT OR IGNORE INTO main.{table} ({names})"
            f" SELECT {names} FROM backup.{table} WHERE {condition}",
            values,
        )


_BOTH_THERE = """
source_key IN (SELECT key FROM main.memories) AND target_key IN (SELECT key FROM main.memories)
"""
_OLDER = "version < (SELECT version FROM main.memories m WHERE m.key = memory_key)"


# -- reports what is lost, as known from the rows, the indexes, the audit log and the unreadable pages


_NAMING_SQL = queries("salvage", "sqlite")

CUT_OFF = "are missing from the file's end, and what only they held is lost"
BLIND = "could not be read whole, and what only they held is lost"
_MADE_ANEW = (*keyword_indexes(), "embedding", "vector_indexes", "vector_changes")
"""Tables and indexes that hold nothing which cannot be made again from the rows."""


def lost(into: apsw.Connection, found: DamagedContent) -> Iterator[str]:
    """What the new store lacks or has changed, in sentences that begin with the memory's id if known."""
    there = {row[0]: row[1] for row in into.execute("SELECT key, id FROM memories")}
    for key in found.changed & there.keys():
        read = found.rows["memories"][(key,)][found.tables["memories"].place("id")]
        anew = "" if read == there[key] else f", under a new id: {read!r} is what its own was changed to"
        yield f"{there[key]}: it was changed by the damage, and is kept as it can be read now{anew}"
    for key in found.guessed & there.keys():
        yield f"{there[key]}: its patterns and constraints can no longer be told apart"
    for name, key in found.broken:
        owner = f"{_named(found, there, key)}: one of its" if key else "One of the"
        yield f"{owner} {name} could not be read"
    if found.reader.cut:
        yield f"{found.reader.cut} of {found.reader.count + found.reader.cut} pages {CUT_OFF}"
    # The table or index of each page that could not be read whole; empty where it is not known
    owners = found.reader.owners()
    holders = [owners.get(page, "") for page in found.reader.holes()]
    blind = [name for name in holders if not name.startswith(_MADE_ANEW)]
    if blind:
        names = ", ".join(sorted({name or "a table that is not known" for name in blind}))
        yield f"{len(blind)} pages (of {names}) {BLIND}"
    buried = {row[0] for row in into.execute("SELECT memory_key FROM tombstones")}
    last = max([found.highest(), *there, *(key for key in found.ids if key <= found.highest())], default=0)
    for key in range(1, last + 1):
        if key not in there and key not in buried:
            yield f"{_named(found, there, key)}: could not be read, and is in no backup"
    yield from _parts(into, found, there)
    if {"", "relations"} & {*blind}:
        # Relations that the audit log knows of, and that are not there
        present = set(into.execute(_NAMING_SQL["related"]))
        for source, target, type_ in sorted(_related(found, there) - present):
            yield f"{source}: its {type_} {target} could not be read, or was taken away with one of the two"


def _named(found: DamagedContent, there: dict[int, str], key: int) -> str:
    return there.get(key) or found.ids.get(key) or f"the memory number {key}"


def _parts(into: apsw.Connection, found: DamagedContent, there: dict[int, str]) -> Iterator[str]:
    """Rows that an index knows of, and that are not there."""
    for index, (table, columns, owner) in found.witnesses.items():
        present = set(into.execute(f"SELECT {', '.join(columns)} FROM {table}"))
        for entry in found.entries[index] - present:
            mine, other = (owner, 0) if table == "relations" else (owner, owner)
            if entry[mine] not in there:  # a relation of a memory that is lost: named by its other end
                mine, other = other, mine
            if entry[mine] in there:
                more = f" to {_named(found, there, entry[other])}" if table == "relations" else ""
                yield f"{there[entry[mine]]}: a row of its {table}{more} could not be read"


def _related(found: DamagedContent, there: dict[int, str]) -> set[Ends]:
    """The relations that were made and not taken away, as far as the audit log can be read."""
    related: set[Ends] = set()
    for _, key, operation, _, _, details in sorted(found.rows["audit"].values(), key=lambda row: row[0]):
        id_, told = there.get(key, ""), _details(details)
        other = str(told.get("target") or told.get("by") or "")
        if operation == "link" and told.get("target"):
            related.add((id_, other, str(told.get("relation"))))
        elif operation == "unlink" and told.get("target"):
            pair = {id_, other}
            related = {one for one in related if {one[0], one[1]} != pair or one[2] not in _taken(told)}
        elif operation == "supersede" and told.get("by"):
            related.add((other, id_, RelationType.SUPERSEDES))
    return {one for one in related if {one[0], one[1]} <= {*there.values()}}


def _taken(told: dict[str, Any]) -> set[str]:
    types = told.get("relations")
    return {str(one) for one in types} if isinstance(types, list) else set()


def _details(text: str | None) -> dict[str, Any]:
    try:
        found = loads(text or "{}")
    except InvalidInputError:
        return {}
    return found if isinstance(found, dict) else {}
