"""Backups of a SQLite store: whole, consistent copies made while it is in use."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import apsw

from recortex.domain.expressions import lazy
from recortex.errors import BackupError, CorruptStoreError
from recortex.storage.sqlite.connection import connect
from recortex.storage.sqlite.failures import translated
from recortex.storage.sqlite.verification import content, flaw

if TYPE_CHECKING:
    from pathlib import Path

    from recortex.storage.sqlite.pool import Pool

SUFFIX = ".db"
UNFINISHED = ".part"
_PAGES = 512
_FORMAT = "%Y%m%dT%H%M%S%f"
_STAMP = lazy(r"\d{8}T\d{12}")


class Backups:
    """The backups of one store."""

    def __init__(self, pool: Pool, folder: Path, *, keep: int) -> None:
        self._pool = pool
        self._folder = folder
        self._keep = keep

    def make(self, now: datetime, *, reason: str = "manual", path: Path | None = None) -> Path:
        """Copy the store into a new file, readable by its owner alone; the oldest beyond `keep` go.

        The copy is opened, checked and counted before it gets its name; one that is not whole is deleted.

        Raises:
            PermissionsError: the folder cannot be written.
            BackupError: the copy is not whole.
        """
        target = path or named(self._folder, now, reason)
        part = unfinished(target)
        with translated(target):
            try:
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                os.close(os.open(part, os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o600))
            except OSError as error:
                raise apsw.CantOpenError(str(error)) from error
            try:
                self._copy(part)
                part.replace(target)
            except OSError as error:
                raise apsw.CantOpenError(str(error)) from error
            finally:
                part.unlink(missing_ok=True)
        if path is None:
            prune(self._folder, target, keep=self._keep)
        return target

    def _copy(self, part: Path) -> None:
        """Copy one state of the store, whatever others write meanwhile, and verify the copy."""
        source = connect(self._pool.path, on_missing_vectors=lambda _: None, vectors=False)
        try:
            source.execute("BEGIN")
            expected = content(source)
            copy(source, part)
        finally:
            source.close()
        why = flaw(part, expected)
        if why:
            raise BackupError(f"The backup was not kept: {why}.")

    def all(self) -> list[Path]:
        """Every backup, oldest first."""
        return oldest_first(self._folder)


def named(folder: Path, now: datetime, reason: str) -> Path:
    """A name after all others, whatever the clock says.

    By name the newest is found, which `recover` takes.
    """
    newest = max(map(_stamp, oldest_first(folder)), default="")
    stamp = f"{now:{_FORMAT}}"
    if stamp <= newest:
        with suppress(OverflowError):  # there is no time after the last one
            stamp = f"{_moment(newest) + timedelta(microseconds=1):{_FORMAT}}"
    return folder / f"{stamp}-{reason}{SUFFIX}"


def unfinished(target: Path) -> Path:
    """A file beside another one, for what is to have its name when it is whole.

    No other writer has it, and nobody else's is lost.
    """
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

    One that a person named has none: it is as old as its file. By its name it would come after all others,
    and `recover` would take it for the newest for ever. What is no file is none.
    """
    found = [path for path in folder.glob(f"*{SUFFIX}") if path.is_file()] if folder.is_dir() else []
    return sorted(found, key=lambda path: (_stamp(path) or _written(path), path.name))


def _stamp(path: Path) -> str:
    """The time in the name of a backup that we named; else empty."""
    stamp = path.name.partition("-")[0]
    try:
        return stamp if _STAMP.fullmatch(stamp) and _moment(stamp) else ""
    except ValueError:  # digits that are no time
        return ""


def _moment(stamp: str) -> datetime:
    return datetime.strptime(stamp, _FORMAT).replace(tzinfo=UTC)


def _written(path: Path) -> str:
    try:
        return f"{datetime.fromtimestamp(path.stat().st_mtime, UTC):{_FORMAT}}"
    except (OSError, ValueError, OverflowError):  # gone meanwhile, or with a time that is none
        return ""


def missing(path: Path, folder: Path) -> None:
    """Look whether a store is gone that was there.

    Beginning a new one in silence would bury what its backups hold.

    Raises:
        CorruptStoreError: there are backups, and no store.
    """
    if str(path) == ":memory:" or (os.path.lexists(path) and path.stat().st_size):
        return
    kept = oldest_first(folder)
    if kept:
        raise CorruptStoreError(
            f"The store {path} is gone or empty, and there are {len(kept)} backups of it.",
            hint=f"`recortex recover` brings the newest back; to begin anew, move {folder} away.",
        )


def copy(source: apsw.Connection, target: Path) -> None:
    """Copy a database page by page into a file, in journal mode DELETE so that the copy is one file."""
    into = apsw.Connection(str(target))
    try:
        work = into.backup("main", source, "main")
        try:
            while not work.done:
                work.step(_PAGES)
        finally:
            with suppress(
                SystemError
            ):  # apsw raises one where a step had failed: what went wrong is on its way up already
                work.close(True)  # noqa: FBT003
        into.execute("PRAGMA journal_mode = DELETE")
    finally:
        into.close()
