"""Bringing a damaged store back.

In this order: its own log is applied; what can be read is salvaged, with a backup for the gaps; a new store.
What is lost is reported by name. Rows that do not fit their checksum wait for the backup's.

Nothing of the damaged store is written before there is a copy of it, and the new store takes its place in
one step, when it is whole: a recovery that is killed at any moment is taken up by the next one.
"""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from uuid import uuid4

import apsw

from recortex.codec import loads
from recortex.domain.vocabulary import Actor, RelationType
from recortex.errors import InvalidInputError, PermissionsError, StorageError, StoreBusyError
from recortex.storage.database import TABLES, keyword_indexes, queries
from recortex.storage.sqlite import Pool
from recortex.storage.sqlite.backup import foreign
from recortex.storage.sqlite.connection import forget, in_use, noted_of, reached
from recortex.storage.sqlite.damaged import ID, LINKS, OF_A_MEMORY, REFILLED, DamagedContent
from recortex.storage.sqlite.maintenance import check, damage_in, doubtful, rebuild_index, unfit
from recortex.storage.sqlite.migrations import foreign_objects, is_former, mend, migrate
from recortex.storage.transfer import FullCopyRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.storage.database import Table
    from recortex.storage.records.rows import Unfit
    from recortex.storage.sqlite.damaged import StoredTable, Values

    Ends = tuple[str, str, str]
    Fingerprint = Callable[[str, str], str]
    _State = tuple[tuple[int, int, int] | None, ...]


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


Outcome = Literal["whole", "repaired", "restored", "fresh"]
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
_HALF = ".half"  # ends the name of a copy that is being written
SIDES = ("", "-wal", "-shm")


class Recovery(NamedTuple):
    """What a recovery did.

    Attributes:
        outcome: how the store came to be whole.
        steps: what was done, in sentences.
        kept: where the damaged file is.
        lost: what is lost, by name where a name is known.
    """

    outcome: Outcome
    steps: tuple[str, ...]
    kept: Path | None
    lost: tuple[str, ...] = ()


def recover(path: Path, backups: Sequence[Path], *, now: datetime, fingerprint: Fingerprint) -> Recovery:
    """Recover the database at `path`: apply its log, else salvage it with a backup, else begin a new store.

    Nothing is deleted: a copy of the damaged file stays beside the new one.

    Args:
        path: the database's file.
        backups: oldest first.
        now: for the name of the copy.
        fingerprint: the hash of a kind and a text, by which a damaged text is known.

    Raises:
        StoreBusyError: another process has the damaged store open, or wrote to it meanwhile.
        PermissionsError: there is no room for a copy, or the folder cannot be written; nothing was changed.
    """
    steps: list[str] = []
    _finish(path, steps)
    begun = len(steps)
    if _sound(path, steps, fingerprint):
        return Recovery("whole" if len(steps) == begun + 1 else "repaired", tuple(steps), None)
    _only_ours(path, found := _state(path))
    try:
        kept = _copied(path, now)
        steps.append(f"the damaged file is kept as {kept.name}")
        done = _anew(path, kept, backups, steps, fingerprint, found)
        _finish(path, steps[:0])
    except OSError as error:
        raise PermissionsError(f"The store {path} cannot be recovered here: {error}.") from error
    return done


# -- looking


def _sound(path: Path, steps: list[str], fingerprint: Fingerprint) -> bool:
    """Look without folding the log in; mend the keyword index if only that is damaged."""
    if not path.exists() or not path.stat().st_size:
        steps.append("the file is missing or empty")
        return False
    try:
        pool = Pool(path, folding=False)
    except StorageError as error:
        steps.append(f"the file cannot be opened: {error.message}")
        return False
    try:
        found = check(pool)
        steps.append("write-ahead log folded in, integrity checked")
        if not found.problems and not found.index_whole:
            rebuild_index(pool)
            steps.append("the keyword index was damaged and has been rebuilt from the memories")
            found = check(pool)
        problems = [*foreign_objects(pool.rows), *found.problems]
        problems += [] if problems else doubtful(pool, fingerprint)
        steps.extend(problems)
        if found.whole and not problems:
            pool.exclusive().execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if behind := reached(pool.exclusive()).behind(noted_of(path)):
                steps.append(
                    f"the file lacks the last changes that were acknowledged: {behind}; none has them"
                )
    except (StorageError, apsw.Error) as error:
        steps.append(damage_in(error) if isinstance(error, apsw.Error) else str(error))
        return False
    else:
        return found.whole and not problems
    finally:
        pool.close()


# -- making anew


def _anew(
    path: Path, kept: Path, backups: Sequence[Path], steps: list[str], fingerprint: Fingerprint, found: _State
) -> Recovery:
    part, copy = path.with_name(f"{path.name}.part"), path.with_name(f"{path.name}.from-backup")
    backup = _newest_whole(backups, copy, steps, fingerprint)
    _remove(part)
    pool = Pool(part)
    try:
        migrate(pool, now=0, before_change=lambda: None)
        gaps = Backup(copy, backup.name) if backup else None
        done = salvage(pool.exclusive(), kept, fingerprint, gaps)
        rebuild_index(pool)
        _only_ours(path, found)
    except BaseException:
        pool.close()
        _remove(part)
        raise
    finally:
        pool.close()
        _remove(copy)
    # From now on the new store only needs its name
    part.chmod(0o600)
    _synced(part)
    part.replace(path.with_name(f"{path.name}.recovered"))
    _remove(part)
    outcome: Outcome = "fresh" if not done.memories else "restored" if done.from_backup else "repaired"
    steps += _describe_steps(done, backup, outcome)
    return Recovery(outcome, tuple(steps), kept, done.lost)


def _state(path: Path) -> _State:
    """Numbers that change when somebody writes into a store's files."""
    places = (path, path.with_name(f"{path.name}-wal"))
    return tuple(
        (one.st_ino, one.st_size, one.st_mtime_ns) if (one := _stat(place)) else None for place in places
    )


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _only_ours(path: Path, found: _State) -> None:
    """Refuse to replace a store that another process uses: what it wrote would be lost.

    Raises:
        StoreBusyError: another process has the damaged store open, or wrote to it since it was found so.
    """
    if in_use(path) or _state(path) != found:
        raise StoreBusyError(
            f"Another process has the damaged store {path} open, or wrote to it meanwhile; it is as it was.",
            hint="End it (an agent's session, `recortex mcp`), and run `recortex recover` again.",
        )


def _describe_steps(done: Salvaged, backup: Path | None, outcome: Outcome) -> Iterator[str]:
    if outcome == "fresh":
        yield "nothing could be read, and no backup could be used: a new, empty store was begun"
        return
    yield f"{done.memories - done.from_backup} memories were read from the damaged file"
    if done.from_backup and backup:
        yield f"{done.from_backup} memories are as they were in the backup {backup.name}"
    if done.lost:
        yield f"{len(done.lost)} losses are named"


def _newest_whole(
    backups: Sequence[Path], copy: Path, steps: list[str], fingerprint: Fingerprint
) -> Path | None:
    """The newest backup that is whole, with a copy of it in today's schema; the backup stays as it is."""
    for backup in reversed(backups):
        _remove(copy)
        why: list[str] = []
        if _fetched(backup, copy, why) and _migrated(copy, why) and _sound(copy, why, fingerprint):
            return backup
        steps.append(f"the backup {backup.name} cannot be used: {why[-1]}")
    _remove(copy)
    return None


def _fetched(backup: Path, copy: Path, why: list[str]) -> bool:
    """Copy a backup; returns False for one that is not a store, so that an older one is tried.

    Raises:
        OSError: there is no room for a copy.
    """
    try:
        shutil.copyfile(backup, copy)
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise
        why.append(f"it cannot be read: {error.strerror or error}")
        return False
    why.append(foreign(copy))
    return not why[-1]


def _migrated(copy: Path, why: list[str]) -> bool:
    """Bring a copy of a backup of an older program to today's schema."""
    try:
        with closing(Pool(copy, folding=False)) as pool:
            if is_former(pool.rows):
                mend(pool, now=0, before_change=lambda: None)
            migrate(pool, now=0, before_change=lambda: None)
    except StorageError as error:
        why.append(error.message)
        return False
    return True


# -- steps after which a killed recovery can be taken up


def _copied(path: Path, now: datetime) -> Path:
    """A copy of the damaged file and its log under a name of its own; a half one is never taken for it."""
    name = f"{path.name}.damaged-{now:%Y%m%dT%H%M%S}"
    for left in path.parent.iterdir():
        if left.name.startswith(f"{path.name}.damaged-") and left.name.endswith(_HALF):
            left.unlink()
    kept = path.with_name(name)
    number = 1
    while any(path.with_name(f"{kept.name}{suffix}").exists() for suffix in SIDES):
        number += 1
        kept = path.with_name(f"{name}-{number}")
    for suffix in ("-wal", ""):
        half = path.with_name(f"{kept.name}{_HALF}")
        with suppress(FileNotFoundError):
            shutil.copyfile(f"{path}{suffix}", half)
            half.chmod(0o600)
            _synced(half)
            half.replace(f"{kept}{suffix}")
    if not kept.exists():
        kept.touch(0o600)
    return kept


def _finish(path: Path, steps: list[str]) -> None:
    """Put a new store that is ready in the place of the damaged one, whose log must be gone before."""
    ready = path.with_name(f"{path.name}.recovered")
    if not ready.exists():
        return
    for suffix in SIDES[1:]:
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
    forget(path)
    ready.replace(path)
    steps.append("a recovery that was interrupted has been finished")


def _remove(path: Path) -> None:
    for suffix in (*SIDES, "-journal"):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)


def _synced(path: Path) -> None:
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# -- every table of a SQLite store as rows


class SqliteFullCopy(FullCopyRecords):
    """Reads and writes whole tables; what has no key of its own goes by its row's number."""

    def column(self, table: Table, name: str) -> str:
        """What a column is called here."""
        return "rowid" if table.numbered and name == "place" else name

    def insertion(self, table: Table) -> str:
        """The statement that writes a row, or brings it up to date."""
        if not table.numbered:
            return super().insertion(table)
        columns = ", ".join(self.column(table, name) for name in table.names)
        marks = ", ".join("?" for _ in table.columns)
        return f"INSERT OR REPLACE INTO {table.name} ({columns}) VALUES ({marks})"

    def finish(self) -> None:
        """The copy is complete; no key of a memory that is gone is ever given again."""
        with self._database.transaction():
            super().finish()
            self._database.rows(self._database.queries("memories")["last_key"])
