"""Backups of a workspace: a SQLite store each, so that one can be opened, searched, and copied back anywhere.

The server's own backups remain the server's; this one is of a single workspace, and anyone who may read it
can make it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from recortex.errors import BackupError, PermissionsError
from recortex.storage.sqlite.backup import named, oldest_first, prune, unfinished
from recortex.storage.sqlite.store import SqliteStore
from recortex.storage.sqlite.verification import flaw
from recortex.storage.tables import copied
from recortex.storage.transfer import copy

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from recortex.storage.postgres.full_copy import PgFullCopy


class PgBackups:
    """The backups of one workspace, newest last by name."""

    def __init__(self, full_copy: PgFullCopy, folder: Path, *, keep: int) -> None:
        self._full_copy = full_copy
        self.folder = folder
        self._keep = keep

    def make(self, now: datetime, *, reason: str = "manual", path: Path | None = None) -> Path:
        """Copy the workspace into a new SQLite store, readable by its owner alone.

        It is checked before it gets its name.

        Raises:
            PermissionsError: the folder cannot be written.
            BackupError: the copy is not whole.
            StorageError: the workspace is written to all the time.
        """
        target = path or named(self.folder, now, reason)
        part = unfinished(target)
        try:
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(part, os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o600))
            self._copy(part, lambda: now)
            why = flaw(part)
            if why:
                raise BackupError(f"The backup was not kept: {why}.")
            part.replace(target)
        except OSError as error:
            raise PermissionsError(f"The backup {target} cannot be written: {error}.") from error
        finally:
            _remove(part)
        if path is None:
            prune(self.folder, target, keep=self._keep)
        return target

    def all(self) -> list[Path]:
        """Every backup, oldest first."""
        return oldest_first(self.folder)

    def _copy(self, path: Path, clock: Callable[[], datetime]) -> None:
        none = path.with_name(f"{path.name}.backups")  # a store that begins here has no backups of its own
        store = SqliteStore(path, backups=none, clock=clock)
        try:
            copy(copied(), self._full_copy.side, store.full_copy.side, lambda *_: None)
            store.full_copy.finish()
            store.pool.exclusive().execute("PRAGMA journal_mode = DELETE").fetchall()
        finally:
            store.close()


def _remove(part: Path) -> None:
    """Leave nothing of a copy that was not finished: memories are in it."""
    for path in (part, *(part.with_name(f"{part.name}{suffix}") for suffix in ("-wal", "-shm", "-journal"))):
        with suppress(OSError):
            path.unlink()
