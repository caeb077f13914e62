"""Backups of a store, and checked copies of a SQLite file that is in use."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import apsw

from recortex.domain.maintenance import StoreContent
from recortex.domain.text import from_micros, lazy
from recortex.errors import CorruptStoreError, PermissionsError, StorageError
from recortex.lean import NamedTuple
from recortex.storage.database import CHUNKS, DOCUMENTS, TABLES, json
from recortex.storage.records.memories import among, forget_replicated, holding, text_condition
from recortex.storage.sqlite import Pool
from recortex.storage.sqlite.connection import noted_of, translated
from recortex.storage.sqlite.maintenance import about_index, compact, damage
from recortex.storage.sqlite.migrations import foreign_objects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from recortex.storage.records.memories import Has


# -- whether a copy of a store is whole: it is opened, checked, and counted against what was copied


_MAGIC = b"SQLite format 3\0"
"""What every SQLite file begins with."""
_SIDES = ("-wal", "-shm", "-journal")
_ONE_FILE = b"\1\1"  # bytes 18 and 19 of a file that is not in WAL mode; every store that was opened is in it
_OURS = frozenset({"schema_migrations", "memories", "versions", "audit"})
_MOST_PROBLEMS = 3
_COUNTED = {
    "schema": ("schema_migrations", "max(version)"),
    "memories": ("memories", "count(*)"),
    "versions": ("versions", "count(*)"),
    "relations": ("relations", "count(*)"),
    "vectors": ("embeddings", "count(*)"),
    "tombstones": ("tombstones", "count(*)"),
    "newest_audit": ("audit", "max(seq)"),
    "exchanges": ("exchanges", "count(*)"),
    "chunks": ("chunks", "count(*)"),
}


def content(connection: apsw.Connection) -> StoreContent:
    """How much the database of a connection holds; what its schema does not have yet counts as none."""
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    counts = {
        name: connection.execute(f"SELECT coalesce({what}, 0) FROM {table}").get if table in there else 0
        for name, (table, what) in _COUNTED.items()
    }
    return StoreContent(**counts)


def opened_for_reading(path: Path) -> closing[apsw.Connection]:
    """A connection that cannot write; it is closed at the end of the `with`."""
    return closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY))


def memories_in(path: Path) -> int:
    """How many memories a copy holds: the store itself may hold more by now."""
    with opened_for_reading(path) as connection:
        return content(connection).memories


def foreign(path: Path) -> str:
    """Why a file is no store of ours; empty where it is one, whatever its schema is.

    It is opened for reading alone.
    """
    try:
        with opened_for_reading(path) as connection:
            there = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    except apsw.Error as error:
        return f"it is damaged: {error}"
    return "" if there >= _OURS else "it is no store"


def replaceable(path: Path) -> bool:
    """Whether a backup may be written over a file: an empty one, or a backup that nobody opened since.

    Whoever has the file open would go on writing into one that is gone, and its log would be taken for the
    backup's.
    """
    try:
        if not path.is_file() or any(path.with_name(f"{path.name}{side}").exists() for side in _SIDES):
            return False
        with path.open("rb") as opened:
            head = opened.read(20)
    except OSError:
        return False
    return not head or (head[:16] == _MAGIC and head[18:20] == _ONE_FILE and not foreign(path))


def flaw(path: Path, expected: StoreContent | None = None) -> str:
    """What is wrong with a copy, in words; empty where it is whole. It is opened for reading alone.

    A damaged keyword index is no flaw: it is made again from the memories. Rows that refer to what is not
    there are none either: the copy has them from the store, and without a copy nothing could be mended.

    Args:
        path: the copy's file.
        expected: what was copied; None to ask only whether the copy is a store that is whole in itself.
    """
    try:
        with opened_for_reading(path) as connection:
            problems = [one for one in damage(connection) if not about_index(one)][:_MOST_PROBLEMS]
            held = content(connection)
    except apsw.Error as error:
        return f"it cannot be read: {error}"
    if problems:
        return f"it is damaged: {'; '.join(problems)}"
    if not held.schema:
        return "it is no store"
    return "" if expected is None else _difference(held, expected)


def _difference(held: StoreContent, expected: StoreContent) -> str:
    for name, wanted in expected._asdict().items():
        if getattr(held, name) != wanted:
            return f"{name.replace('_', ' ')}: {getattr(held, name)} instead of {wanted}"
    return ""


# -- backups of a store, and checked copies of a SQLite file that is in use


SUFFIX = ".db"
UNFINISHED = ".part"
_PAGES = 512  # pages that are copied in one step, between which others may write
_FORMAT = "%Y%m%dT%H%M%S%f"
_STAMP = lazy(r"\d{8}T\d{12}")


class Backups:
    """The backups of one store: SQLite files, whatever engine the store has.

    Args:
        folder: where they are.
        write: writes a copy of the store into an empty file, and raises `BackupError` where it is not whole.
        keep: how many stay.
    """

    def __init__(self, folder: Path, write: Callable[[Path, datetime], None], *, keep: int) -> None:
        self.folder = folder
        self._write = write
        self._keep = keep

    def make(self, now: datetime, *, reason: str = "manual", path: Path | None = None) -> Path:
        """Copy the store into a new file, readable by its owner alone; the oldest beyond `keep` go.

        The copy is checked before it gets its name; one that is not whole is deleted.

        Raises:
            PermissionsError: the folder cannot be written.
            BackupError: the copy is not whole.
        """
        target = path or named(self.folder, now, reason)
        part = unfinished(target)
        try:
            with translated(target):
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.close(os.open(part, os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o600))
                self._write(part, now)
                part.replace(target)
        except OSError as error:
            raise PermissionsError(f"The backup {target} cannot be written: {error}.") from error
        finally:
            for side in ("", "-wal", "-shm", "-journal"):  # nothing of it may stay: memories are in it
                with suppress(OSError):
                    part.with_name(f"{part.name}{side}").unlink()
        if path is None:
            prune(self.folder, target, keep=self._keep)
        return target

    def all(self) -> list[Path]:
        """Every backup, oldest first."""
        return oldest_first(self.folder)

    def erase(
        self, ids: Sequence[str], texts: Sequence[str], *, text: str = "", exchanges: Sequence[str] = ()
    ) -> int:
        """Take memories and exchanges out of every backup, with what else holds the texts.

        Args:
            ids: of the memories.
            texts: what rows must not hold any more.
            text: if given, it is taken out of relations, and memories that hold it go, too.
            exchanges: ids of exchanges.

        Returns:
            How many backups there are.
        """
        backups = self.all()
        for backup in backups:
            _erase(backup, ids, exchanges, texts, text)
        return len(backups)


def named(folder: Path, now: datetime, reason: str) -> Path:
    """A name that sorts after all others, whatever the clock says: `recover` finds the newest by name."""
    newest = max(map(_stamp, oldest_first(folder)), default="")
    stamp = f"{now:{_FORMAT}}"
    if stamp <= newest:
        with suppress(OverflowError):  # there is no time after the last one
            stamp = f"{_moment(newest) + timedelta(microseconds=1):{_FORMAT}}"
    return folder / f"{stamp}-{reason}{SUFFIX}"


def unfinished(target: Path) -> Path:
    """A new temporary file beside another one, to be renamed to it when it is complete."""
    return target.with_name(f"recortex-{os.urandom(8).hex()}{UNFINISHED}")


def prune(folder: Path, newest: Path, *, keep: int) -> None:
    """Remove the oldest beyond `keep`.

    Never the one that was just found whole, nor one that a person named.
    """
    others = [path for path in oldest_first(folder) if path != newest and _stamp(path)]
    for old in others[: max(len(others) + 1 - keep, 0)]:
        old.unlink(missing_ok=True)


def oldest_first(folder: Path) -> list[Path]:
    """The backups in a folder, by the stamps of their names.

    One that a person named has no stamp: its file's time counts. By its name it could sort after all others,
    and `recover` would take it for the newest for ever.
    """
    found = [path for path in folder.glob(f"*{SUFFIX}") if path.is_file()] if folder.is_dir() else []
    return sorted(found, key=lambda path: (_stamp(path) or _written(path), path.name))


def _stamp(path: Path) -> str:
    """The time in the name of a backup that we named; else empty."""
    stamp = path.name.partition("-")[0]
    try:
        return stamp if _STAMP.fullmatch(stamp) and _moment(stamp) else ""
    except ValueError:  # digits, but no date
        return ""


def _moment(stamp: str) -> datetime:
    return datetime.strptime(stamp, _FORMAT).replace(tzinfo=UTC)


def _written(path: Path) -> str:
    try:
        return f"{datetime.fromtimestamp(path.stat().st_mtime, UTC):{_FORMAT}}"
    except (OSError, ValueError, OverflowError):  # gone meanwhile, or with an impossible time
        return ""


def missing(path: Path, folder: Path) -> None:
    """Refuse to begin a new store where one was: its backups, and that it is gone, would be forgotten.

    Raises:
        CorruptStoreError: there are backups, or changes were acknowledged, and there is no store.
    """
    kept = oldest_first(folder)
    if kept:
        raise CorruptStoreError(
            f"The store {path} is gone or empty, and there are {len(kept)} backups of it.",
            hint=f"`recortex recover` brings the newest back; to begin anew, move {folder} away.",
        )
    if change := noted_of(path):
        raise CorruptStoreError(
            f"The store {path} is gone or empty, and it held {change.memories:,} memories or more.",
            hint="Put the file back if you have it elsewhere. There is no backup: `recortex recover` keeps "
            "what is left of it and begins a new store.",
        )


def copy_checked(source: apsw.Connection, target: Path) -> str:
    """Copy one state of a store, whatever others write meanwhile; returns why the copy is not whole."""
    source.execute("BEGIN")
    expected = content(source)
    # Copy a database page by page into a file, in journal mode DELETE so that the copy is one file
    into = apsw.Connection(str(target))
    try:
        work = into.backup("main", source, "main")
        try:
            while not work.done:
                work.step(_PAGES)
        finally:
            with suppress(
                SystemError
            ):  # apsw raises again what a step raised: that error is already on its way up
                work.close(True)  # noqa: FBT003
        into.execute("PRAGMA journal_mode = DELETE")
    finally:
        into.close()
    return flaw(target, expected)


class Summary(NamedTuple):
    """How many memories a store holds, and when the first and the last of them were recorded."""

    memories: int
    first: datetime | None
    last: datetime | None


def summarise(path: Path) -> Summary:
    """Count what is in a store's file; it is opened for reading alone.

    Raises:
        StorageError: it cannot be read, or holds what Recortex did not put there.
    """
    with translated(path), _reading(path) as connection:
        count, first, last = next(
            iter(connection.execute("SELECT count(*), min(recorded_at), max(recorded_at) FROM memories"))
        )
    return Summary(count, from_micros(first) if count else None, from_micros(last) if count else None)


def copy_whole(source: Path, target: Path) -> None:
    """Copy a store's file, its log included, and check the copy before it gets its name.

    Raises:
        StorageError: the file cannot be read, holds what Recortex did not put there, or the copy is not
            whole.
    """
    part = unfinished(target)
    with translated(source), _reading(source) as connection:
        try:
            os.close(os.open(part, os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o600))
            if why := copy_checked(connection, part):
                raise CorruptStoreError(f"The store {source} was not copied: {why}.")
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def _reading(path: Path) -> Iterator[apsw.Connection]:
    with opened_for_reading(path) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        if found := foreign_objects(lambda sql: list(connection.execute(sql))):
            raise CorruptStoreError(
                f"The store {path} has a schema that Recortex did not make: {', '.join(found[:3])}.",
                hint="It is left alone.",
            )
        yield connection


# -- what is erased goes from backups too


_WITH_VECTORS = (
    ("memories", "embedding_key"),
    ("versions", "embedding_key"),
    ("exchanges", "answered_key"),
    ("exchanges", "outcome_key"),
    ("chunks", "embedding_key"),
)


def _erase(path: Path, ids: Sequence[str], exchanges: Sequence[str], texts: Sequence[str], text: str) -> None:
    """Take memories, exchanges and texts out of a backup, which may be of an older schema.

    One that cannot be rewritten is removed, since it would keep them.
    """
    try:
        with closing(Pool(path)) as pool:
            names = "SELECT name FROM pragma_table_info(?)"
            there = {table.name: {row[0] for row in pool.rows(names, (table.name,))} for table in TABLES}

            def has(table: str, name: str) -> bool:
                return name in there[table]

            with pool.transaction():
                found = [*ids, *(holding(pool, text, has) if text else ())]
                gone = "DELETE FROM memories WHERE id IN (SELECT value FROM json_each(?))"
                pool.rows(gone, (json(found),))
                forget_replicated(pool, [*found, *exchanges] if there["sync_log"] else ())
                clauses = [among(exchanges), *(text_condition(one, has) for one in texts)]
                for condition, values in clauses if there["exchanges"] else ():
                    pool.rows(f"DELETE FROM exchanges AS x WHERE {condition}", values)
                for table in (DOCUMENTS, CHUNKS) if there["chunks"] else ():
                    for condition, values in (text_condition(one, has, table) for one in texts):
                        pool.rows(f"DELETE FROM {table.name} AS x WHERE {condition}", values)
                # Derived, and made again when a relation is next written.
                pool.rows("DELETE FROM relation_degrees" if there["relation_degrees"] else "SELECT 1")
                if text and "seal" in there["relations"]:
                    from recortex.storage.records.relations import RelationRecords

                    RelationRecords(pool).strip_evidence(text)
                elif text:
                    stripped = "UPDATE relations SET evidence = '[]' WHERE instr(folded(evidence), folded(?))"
                    pool.rows(stripped, (json(text)[1:-1],))
                for one in texts if there["signals"] else ():
                    pool.rows("DELETE FROM signals WHERE instr(folded(subject), folded(?)) > 0", (one,))
                if there["embeddings"]:
                    pool.rows(_unused(has))
            compact(pool)
            pool.exclusive().execute("PRAGMA journal_mode = DELETE")
    except (StorageError, apsw.Error):
        path.unlink(missing_ok=True)


def _unused(has: Has) -> str:
    """Deletes the vectors of a backup that nothing has any more."""
    holders = [
        f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL"
        for table, column in _WITH_VECTORS
        if has(table, column)
    ]
    return f"DELETE FROM embeddings WHERE key NOT IN ({' UNION '.join(holders)})"
