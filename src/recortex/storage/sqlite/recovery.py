"""Bringing a damaged store back: its own log first, then a copy of what can be read, then a backup, then a fresh start."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Literal, NamedTuple

import apsw

from recortex.errors import StorageError
from recortex.storage.sqlite.connection import connect
from recortex.storage.sqlite.maintenance import check, rebuild_index
from recortex.storage.sqlite.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

Outcome = Literal["whole", "repaired", "restored", "fresh"]


class Recovery(NamedTuple):
    """What was done, step by step, and where the damaged file is kept."""

    outcome: Outcome
    steps: tuple[str, ...]
    kept: Path | None


def recover(path: Path, backups: Sequence[Path], *, now: datetime) -> Recovery:
    """Bring the database at `path` back (A, CX18: WAL recovery, then a backup, then a fresh start).

    Nothing is deleted: the damaged file stays beside the new one.
    """
    steps: list[str] = []
    if _sound(path, steps):
        return Recovery("whole" if len(steps) == 1 else "repaired", tuple(steps), None)
    kept = _set_aside(path, now)
    steps.append(f"the damaged file is kept as {kept.name}")
    if _salvage(kept, path, steps):
        return Recovery("repaired", tuple(steps), kept)
    for backup in reversed(backups):
        if _restore(backup, path, steps):
            return Recovery("restored", tuple(steps), kept)
    steps.append("no backup could be used: a new, empty store was begun")
    return Recovery("fresh", tuple(steps), kept)


def _sound(path: Path, steps: list[str]) -> bool:
    """Open the file, which folds in its write-ahead log; mend the keyword index if only that is damaged."""
    try:
        pool = Pool(path)
    except StorageError as error:
        steps.append(f"the file cannot be opened: {error.message}")
        return False
    try:
        pool.exclusive().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        found = check(pool)
        steps.append("write-ahead log folded in, integrity checked")
        if not found.problems and not found.index_whole:
            rebuild_index(pool)
            steps.append("the keyword index was damaged and has been rebuilt from the memories")
            found = check(pool)
        steps.extend(found.problems)
    except (StorageError, apsw.Error) as error:
        steps.append(str(error))
        return False
    else:
        return found.whole
    finally:
        pool.close()


def _salvage(damaged: Path, path: Path, steps: list[str]) -> bool:
    """Copy everything that can still be read into a new file; only a whole copy counts."""
    try:
        source = connect(damaged, on_missing_vectors=lambda _: None)
        try:
            source.execute("REINDEX")
            source.execute("VACUUM INTO ?", (str(path),))
        finally:
            source.close()
    except apsw.Error as error:
        steps.append(f"the damaged file cannot be copied whole: {error}")
        path.unlink(missing_ok=True)
        return False
    path.chmod(0o600)
    if _sound(path, steps):
        return True
    path.unlink(missing_ok=True)
    return False


def _restore(backup: Path, path: Path, steps: list[str]) -> bool:
    """Copy a backup into place if it is whole."""
    path.write_bytes(backup.read_bytes())
    path.chmod(0o600)
    if _sound(path, steps):
        steps.append(
            f"restored from the backup {backup.name}; what was learned since then is in the damaged file"
        )
        return True
    steps.append(f"the backup {backup.name} is damaged too")
    path.unlink(missing_ok=True)
    return False


def _set_aside(path: Path, now: datetime) -> Path:
    kept = path.with_name(f"{path.name}.damaged-{now:%Y%m%dT%H%M%S}")
    for suffix in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).replace(f"{kept}{suffix}")
    return kept
