"""How connections of many processes share a file: waiting for one's turn, and folding the write-ahead log in.

SQLite's own ways suit a few processes. Its busy handler sleeps for longer the longer it has waited, up to
100 ms, so that newcomers overtake; and it folds the log in at every commit while the log is long, which it
stays as long as someone reads: two syncs of the disk for each write. With 16 processes the slowest of a
hundred writes took 2.2 s so, and 0.3 s as it is done here, on two busy cores (bench/load.py).
"""

from __future__ import annotations

import random
import time
from contextlib import suppress

import apsw

FIRST_PAUSE = 0.004
"""Seconds between two tries to get the lock."""
SHORTEST_PAUSE = 0.0005
SHORTENED_BY = 0.04
"""Seconds by which the pause is shorter for each second waited: after a tenth of one it is the shortest."""
PAGES = 1000
"""Pages that a connection writes before it folds the log in; SQLite's `wal_autocheckpoint` has the same."""
FOREIGN_PAGES = 4 * PAGES
"""The same for pages that others wrote: for writers that end before they have written many."""
LONG_LOG = 16 * PAGES
"""From here on (64 MB) the log is begun anew, which keeps writers out until those who read it are done."""
RESTART_SECONDS = 0.1
"""How long beginning the log anew waits for readers."""


class Patience:
    """A busy handler: whoever has waited longer asks again sooner, so that it is likely to be the next.

    Args:
        seconds: after which it gives up.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._began = 0.0

    def __call__(self, asked: int) -> bool:
        """Whether to ask again, after a pause."""
        now = time.monotonic()
        if not asked:
            self._began = now
        waited = now - self._began
        if waited >= self._seconds:
            return False
        pause = max(SHORTEST_PAUSE, FIRST_PAUSE - waited * SHORTENED_BY)
        time.sleep(pause * random.uniform(0.5, 1.5))  # noqa: S311  so that two do not ask in step
        return True


class Folding:
    """Decides after a commit whether to fold the write-ahead log into the file.

    SQLite calls it when the lock is given back.

    Each connection folds in for what it wrote itself, so that all together do it once for each `PAGES`,
    and not each of them.
    """

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._written = 0
        self._folded = 0
        self._restart_at = LONG_LOG

    def __call__(self, connection: apsw.Connection, name: str, pages: int) -> int:
        """Fold in where it is time.

        Args:
            connection: that committed.
            name: of the database.
            pages: in the log now.
        """
        if pages < self._folded:  # the log was begun anew
            self._folded, self._restart_at = 0, LONG_LOG
        written = connection.status(apsw.SQLITE_DBSTATUS_CACHE_WRITE)[0]
        enough = written - self._written >= PAGES and pages - self._folded >= PAGES
        if enough or pages - self._folded >= FOREIGN_PAGES:
            self._written = written
            self._fold(connection, name, pages)
        return apsw.SQLITE_OK

    def _fold(self, connection: apsw.Connection, name: str, pages: int) -> None:
        self._folded = pages
        with suppress(apsw.Error):  # as SQLite's own: the commit is kept, and the next one tries again
            _, self._folded = connection.wal_checkpoint(name, apsw.SQLITE_CHECKPOINT_PASSIVE)
        if pages >= self._restart_at:
            self._restart_at = pages + LONG_LOG // 4
            self._begin_anew(connection, name)

    def _begin_anew(self, connection: apsw.Connection, name: str) -> None:
        connection.set_busy_handler(Patience(RESTART_SECONDS))
        try:
            with suppress(apsw.Error):
                connection.wal_checkpoint(name, apsw.SQLITE_CHECKPOINT_RESTART)
        finally:
            connection.set_busy_handler(self._patience)
