"""Makes room in a SQLite file: gives pages back, merges the keyword index, rewrites the whole file."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from recortex.domain.maintenance import StoreSpace
from recortex.storage.database import queries
from recortex.storage.sqlite.connection import BUSY_MILLISECONDS, connect, translated
from recortex.storage.sqlite.maintenance import for_each_index, index_query
from recortex.storage.tables import keyword_indexes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recortex.storage.sqlite.pool import Pool

STEP_PAGES = 1000
"""Pages that are given back in one step, with `PRAGMA incremental_vacuum(1000)`."""
MERGE_PAGES = 64
"""Pages of the keyword index that are written in one go; the whole job takes 0.15 s at 10,000 memories
(bench/maintenance.py)."""
SEGMENTS = 8
"""More parts of the keyword index than these are merged into one, since each word is looked up in each of
them. Of a million memories in 31 parts that took 2.1 s in 292 steps, 4 ms at the median; six rare words
whose pages are not in memory were found in 0.4 ms instead of 12.6 (bench/scale.py)."""
ROOM = 2.2
"""Times its size that a file needs to be written anew: the new one beside it, then the same in the
write-ahead log."""
_PATIENCE_MILLISECONDS = 100
"""How long a step waits for writers, and they for it: another step follows another day."""
_INCREMENTAL = 2  # SQLite's number of `auto_vacuum = INCREMENTAL`
_TRIES = 20  # how often emptying the log is tried after a rewrite, while others read
_MERGED = 2
"""Rows that change at least when there was something to merge (SQLite's document on FTS5, section 6.9)."""
_UNUSED = "SELECT coalesce(sum(unused), 0) FROM dbstat WHERE aggregate = 1"


class SqliteCompaction:
    """Makes room, on a connection of its own, so that nothing else in this process waits for it."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def space(self) -> StoreSpace:
        """What the store takes. Vectors are estimated from their number, the index from its pages."""
        pages, free, size = (
            int(self._pool.value(f"PRAGMA {name}")) for name in ("page_count", "freelist_count", "page_size")
        )
        sql = queries("maintenance", "sqlite")
        log = self._pool.path.with_name(f"{self._pool.path.name}-wal")
        return StoreSpace(
            total=pages * size + (log.stat().st_size if log.exists() else 0),
            vectors=int(self._pool.value(sql["vectors_size"])),
            keyword_index=sum(self._pool.value(index_query("size", index)) for index in keyword_indexes()),
            free=free * size,
        )

    def tidy(self, left: Callable[[], float]) -> dict[str, int]:
        """Give free pages back, merge the keyword index, fold the log in; while seconds are left.

        Each step is a transaction of its own; a writer that is at work is not waited for. `ANALYZE` and
        `PRAGMA optimize` are left out on purpose: SQLite would keep samples of the indexed texts in tables
        of its own, where a purge does not reach them, and the queries say their order themselves.
        """
        with self._alone() as connection:
            try:
                merged = _merge(connection, left)
                given_back = _give_back(connection, left)
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            except apsw.BusyError:  # others are at work: the steps that were done are kept
                return {"busy": 1}
        return {"pages_given_back": given_back, "index_merges": merged}

    def waste(self) -> int:
        """Bytes that hold nothing, in free pages and within the others.

        Reads the whole file: 0.1 s for 150 MB.

        After half of 100,000 memories were deleted, 3 % of the pages were free, but 52 % of the file held
        nothing; of a file that was just written anew it is a tenth (bench/maintenance.py).
        """
        free, size, unused = (
            int(self._pool.value(sql)) for sql in ("PRAGMA freelist_count", "PRAGMA page_size", _UNUSED)
        )
        return free * size + unused

    def obstacle(self) -> str:
        """Why the file cannot be written anew now; empty where it can."""
        needed = int(ROOM * self._pool.path.stat().st_size)
        for folder in {self._pool.path.parent, Path(tempfile.gettempdir())}:
            free = shutil.disk_usage(folder).free
            if free < needed:
                return f"{folder} has {free:,} bytes free; {needed:,} are needed"
        return ""

    def rewrite(self) -> None:
        """Write the file anew, as one that can give back its free pages from now on."""
        with self._alone(BUSY_MILLISECONDS) as connection:
            for_each_index(connection, "optimize")
            connection.execute(f"PRAGMA auto_vacuum = {_INCREMENTAL}").fetchall()
            connection.execute("VACUUM")
            _fold_in(connection)

    @contextmanager
    def _alone(self, patience: int = _PATIENCE_MILLISECONDS) -> Iterator[apsw.Connection]:
        with translated(self._pool.path):
            connection = connect(self._pool.path, vectors=False)
            try:
                connection.set_busy_timeout(patience)
                yield connection
            finally:
                connection.close()


def _fold_in(connection: apsw.Connection) -> None:
    """Empty the write-ahead log, which holds the whole file after a rewrite.

    Who reads at that moment may be in the way.
    """
    for _ in range(_TRIES):
        busy, *_pages = next(iter(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()))
        if not busy:
            return
        time.sleep(_PATIENCE_MILLISECONDS / 1000)


def _give_back(connection: apsw.Connection, left: Callable[[], float]) -> int:
    before = free = connection.execute("PRAGMA freelist_count").get
    if connection.execute("PRAGMA auto_vacuum").get != _INCREMENTAL:
        return 0
    while free and left() > 0:
        connection.execute(f"PRAGMA incremental_vacuum({STEP_PAGES})").fetchall()
        free = connection.execute("PRAGMA freelist_count").get
    return max(int(before - free), 0)


def _merge(connection: apsw.Connection, left: Callable[[], float]) -> int:
    """Steps of a merge; SQLite says by the rows that changed whether there was anything to merge.

    A first step with a negative number has all segments merged into one, not only four of a size.
    """
    steps = 0
    for index in keyword_indexes():
        parts, merge = connection.execute(index_query("segments", index)).get, index_query("merge", index)
        pages = -MERGE_PAGES if parts > SEGMENTS else MERGE_PAGES
        while left() > 0:
            before = connection.total_changes()
            connection.execute(merge, (pages,))
            pages = MERGE_PAGES
            if connection.total_changes() - before < _MERGED:
                break
            steps += 1
    return steps
