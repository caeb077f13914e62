"""Bringing a damaged store back.

In this order: its own log is applied; what can be read is salvaged, with a backup for the gaps; a new store.

Nothing of the damaged store is written before there is a copy of it, and the new store takes its place in
one step, when it is whole: a recovery that is killed at any moment is taken up by the next one.
"""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Literal, NamedTuple

import apsw

from recortex.errors import PermissionsError, StorageError, StoreBusyError
from recortex.storage.sqlite.backup import foreign
from recortex.storage.sqlite.connection import forget, in_use, noted_of, reached
from recortex.storage.sqlite.maintenance import check, damage_in, doubtful, rebuild_index
from recortex.storage.sqlite.migrations import foreign_objects, is_former, mend, migrate
from recortex.storage.sqlite.pool import Pool
from recortex.storage.sqlite.salvage import Backup, Salvaged, salvage
from recortex.storage.transfer import FullCopyRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.storage.tables import Table

    Fingerprint = Callable[[str, str], str]
    _State = tuple[tuple[int, int, int] | None, ...]


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
