"""The last change that was acknowledged, noted beside a store: a file that lost its end is told by it.

SQLite opens a file whose log was cut or blanked as if nothing had been in it. The note is a few bytes,
written in place after a commit that changed what it tells; it never says more than was committed.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import apsw

from recortex.domain.maintenance import Generation
from recortex.errors import StorageError
from recortex.filesystem import require_own
from recortex.lean import NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

SUFFIX = ".last"
_BYTES = 63
_MILLISECONDS = 250  # how long `change_counter` waits for a writer: a hook has no more
_GENERATION = (
    "SELECT coalesce((SELECT max(seq) FROM audit), 0), (SELECT count(*) FROM memories),"
    " (SELECT count(*) FROM tombstones)"
)
_QUERY = (
    "SELECT (SELECT coalesce(max(seq), 0) FROM audit), (SELECT coalesce(max(key), 0) FROM memories),"
    " (SELECT coalesce(max(key), 0) FROM exchanges)"
)


class Change(NamedTuple):
    """How far a store has come: the last numbers of its log of operations, its memories and its exchanges."""

    audit: int = 0
    memories: int = 0
    exchanges: int = 0

    def __bool__(self) -> bool:
        """Whether anything was ever changed."""
        return any(self)

    def behind(self, noted: Change) -> str:
        """What is missing here of what was noted, in words; empty where nothing is."""
        missing = {
            "operations": noted.audit - self.audit,
            "memories": noted.memories - self.memories,
            "exchanges": noted.exchanges - self.exchanges,
        }
        return ", ".join(f"{count:,} {name}" for name, count in missing.items() if count > 0)


class LastChange:
    """The note of one store.

    Args:
        path: of the store.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(f"{path.name}{SUFFIX}")
        self.noted = self._read()

    def before_commit(self, connection: apsw.Connection) -> Change:
        """How far the store will have come; what goes back (a purge) is noted now: it is never too much."""
        now = reached(connection)
        if now.behind(self.noted):
            self.note(now)
        return now

    def note(self, change: Change) -> None:
        """Note a change; where that cannot be, the next one is noted."""
        if change == self.noted:
            return
        text = f"{change.audit:020} {change.memories:020} {change.exchanges:020}\n".encode()
        with suppress(OSError):
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            try:
                os.write(handle, text)
            finally:
                os.close(handle)
            self.noted = change

    def _read(self) -> Change:
        return noted(self.path)


def noted(path: Path) -> Change:
    """The change that a note names; nothing where there is none that can be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123  a hot path
            numbers = [int(one) for one in file.read(_BYTES).split()]
        return Change(*numbers)
    except (OSError, ValueError, TypeError):
        return Change()


def noted_of(store: Path) -> Change:
    """The change that is noted beside a store."""
    return noted(store.with_name(f"{store.name}{SUFFIX}"))


def reached(connection: apsw.Connection) -> Change:
    """How far the store of a connection has come."""
    try:
        return Change(*next(iter(connection.execute(_QUERY))))
    except apsw.SQLError:  # of a schema that has not all of these yet
        return Change()


def forget(store: Path) -> None:
    """Take the note away: the store in its place is another one now."""
    store.with_name(f"{store.name}{SUFFIX}").unlink(missing_ok=True)


def change_counter(path: Path) -> Generation | None:
    """As `StatisticsRecords.generation`; None where there is no store. The file is opened for reading alone.

    Raises:
        StorageError: it is there and cannot be read.
    """
    if not os.path.lexists(path):
        return None
    require_own(path)
    try:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            connection.set_busy_timeout(_MILLISECONDS)
            return Generation(*next(iter(connection.execute(_GENERATION))))
    except apsw.Error as error:
        raise StorageError(f"The store {path} cannot be read: {error}.") from error
