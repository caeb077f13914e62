"""Backups of a SQLite store: whole, consistent copies made while it is in use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import apsw

from recortex.storage.sqlite.pool import translated

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from recortex.storage.sqlite.pool import Pool

SUFFIX = ".db"
_PAGES = 512


class Backups:
    """The backups of one store, newest last by name."""

    def __init__(self, pool: Pool, folder: Path, *, keep: int) -> None:
        self._pool = pool
        self._folder = folder
        self._keep = keep

    def make(self, now: datetime, *, reason: str = "manual", path: Path | None = None) -> Path:
        """Copy the store into a new file, readable by its owner alone; the oldest beyond `keep` go.

        Raises:
            PermissionsError: the folder cannot be written.
        """
        target = path or self._folder / f"{now:%Y%m%dT%H%M%S%f}-{reason}{SUFFIX}"
        with translated(target):
            try:
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.close(os.open(target, os.O_CREAT | os.O_RDWR | os.O_TRUNC, 0o600))
            except OSError as error:
                raise apsw.CantOpenError(str(error)) from error
            copy(self._pool.connection(), target)
        if path is None:
            self._prune()
        return target

    def all(self) -> list[Path]:
        """Every backup, oldest first."""
        return sorted(self._folder.glob(f"*{SUFFIX}")) if self._folder.is_dir() else []

    def _prune(self) -> None:
        for old in self.all()[: -self._keep]:
            old.unlink(missing_ok=True)


def copy(source: apsw.Connection, target: Path) -> None:
    """Copy a database page by page into a file, in journal mode DELETE so that the copy is one file."""
    into = apsw.Connection(str(target))
    try:
        with into.backup("main", source, "main") as work:
            while not work.done:
                work.step(_PAGES)
        into.execute("PRAGMA journal_mode = DELETE")
    finally:
        into.close()
