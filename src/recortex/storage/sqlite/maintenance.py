"""Upkeep of a SQLite store: checking it, mending its indexes, removing texts for good, and making room."""

from __future__ import annotations

import shutil
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from recortex.domain.maintenance import Integrity, StoreSpace
from recortex.errors import CorruptStoreError
from recortex.storage.database import keyword_indexes, queries
from recortex.storage.records.rows import SELECT, Unfit, from_row, unfit_rows
from recortex.storage.sqlite.connection import BUSY_MILLISECONDS, connect, translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recortex.storage.sqlite import Pool


def check(pool: Pool) -> Integrity:
    """SQLite's integrity check, foreign keys, and the keyword index against the memories."""
    with pool.lock_writer() as connection:
        try:
            found = structural_problems(connection)
            problems = [problem for problem in found if not about_index(problem)]
            index_whole = problems == found and _index_whole(pool)
            if index_whole and not problems and (why := _unwritable(connection)):
                problems.append(why)
        except UnicodeDecodeError:  # of an index that it complains of, or of a column
            return Integrity(("a name in the schema is not UTF-8 any more",), index_whole=False)
        except apsw.Error as error:
            return Integrity((damage_in(error),), index_whole=False)
    return Integrity(tuple(problems), index_whole=index_whole)


def about_index(problem: str) -> bool:
    """Whether a problem is one of a keyword index, which is made again from the rows where it is damaged."""
    return any(index in problem for index in keyword_indexes())


def structural_problems(connection: apsw.Connection) -> list[str]:
    """What SQLite's own checks find, a sentence each; those of the keyword index name it."""
    orphans = len(list(connection.execute("PRAGMA foreign_key_check")))
    return damage(connection) + ([f"{orphans} rows refer to memories that are not there"] if orphans else [])


def damage(connection: apsw.Connection) -> list[str]:
    """What SQLite's integrity check finds, a sentence each."""
    return [row[0] for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]


def damage_in(error: apsw.Error) -> str:
    """What SQLite says of a file, which names the damage only in some of its messages."""
    if isinstance(error, apsw.CorruptError | apsw.NotADBError):
        return f"the file is damaged: {error}"
    return str(error)


def _unwritable(connection: apsw.Connection) -> str:
    """Why no memory can be written, though all can be read; empty where it can. One is written and undone."""
    # A damaged free list, index or trigger shows only when something is written. A copy of a row that is
    # there, under another id, breaks no constraint: what fails is the file.
    names = [row[1] for row in connection.execute("PRAGMA table_info(memories)")][1:]
    values = ["'a trial'" if name == "id" else name for name in names]
    sql = f"INSERT INTO memories ({', '.join(names)}) SELECT {', '.join(values)} FROM memories LIMIT 1"
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            connection.execute(sql)
        finally:
            if connection.in_transaction:  # SQLite itself takes back what met worse damage
                connection.execute("ROLLBACK")
    except (apsw.CorruptError, apsw.SQLError) as error:  # the latter where the schema names what is not there
        return f"A new memory cannot be written: {error}."
    except apsw.Error:  # another process writes, or the file may only be read: that says nothing of damage
        return ""
    return ""


def _index_whole(pool: Pool) -> bool:
    try:
        # FTS5 checks what its segments hold against the rows, but says nothing of a segment that is missing.
        for_each_index(pool.exclusive(), "check")
        return not any(for_each_index(pool.exclusive(), "segments_lost"))
    except (apsw.ReadOnlyError, apsw.FullError, apsw.BusyError):  # FTS5 is asked by a statement that writes
        return True
    except apsw.Error:
        return False


def doubtful(pool: Pool, fingerprint: Callable[[str, str], str]) -> list[str]:
    """Damage that the file's structure does not show: rows that cannot be read or do not fit their checksums.

    Args:
        pool: the database.
        fingerprint: the hash of a kind and a text.
    """
    found: list[str] = []
    with pool.lock_writer() as connection:
        try:
            # From the plain to the general: a memory's own hash says which text was changed; the seals find
            # whatever is left, and can only say in which row.
            rows = connection.execute(f"SELECT {SELECT} FROM memories m")
            found += [why for row in rows if (why := altered(row, fingerprint)) is not None]
            found += _unreadable(connection)
            found += _mistyped(connection)
            found += [
                f"{one.id}: its row in {one.table} is not as it was written: its seal does not fit."
                for one in unfit(connection)
            ]
        except UnicodeDecodeError:
            found.append("a text is not UTF-8 any more")
        except apsw.Error as error:  # damage may have changed a name in the schema, with all pages intact
            found.append(f"The tables are not as they were made: {error}.")
    return found


def unfit(connection: apsw.Connection) -> list[Unfit]:
    """Rows that are not as they were sealed."""
    return list(unfit_rows(connection.execute, queries("memories", "sqlite")))


def _mistyped(connection: apsw.Connection) -> list[str]:
    """Tables with values of another type than their columns'.

    Pages that hold rows of another table look whole otherwise.
    """
    found = []
    for (table,) in list(connection.execute(_PLAIN)):
        wrong = " OR ".join(
            f"typeof({name}) NOT IN ({_ALLOWED[type_]}{'' if needed or primary else ', ' + repr('null')})"
            for name, type_, needed, primary in connection.execute(_COLUMNS, (table,))
            if type_ in _ALLOWED
        )
        if wrong and connection.execute(f"SELECT EXISTS (SELECT 1 FROM {table} WHERE {wrong})").get:
            found.append(f"The table {table} holds values of the wrong type.")
    return found


_PLAIN = """
SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'
"""
_COLUMNS = 'SELECT name, type, "notnull", pk FROM pragma_table_info(?)'
_ALLOWED = {"INTEGER": "'integer'", "REAL": "'real', 'integer'", "TEXT": "'text'", "BLOB": "'blob'"}


def altered(row: tuple[Any, ...], fingerprint: Callable[[str, str], str]) -> str | None:
    """What is wrong with a row selected with `rows.SELECT`."""
    try:
        memory = from_row(row, {})
    except CorruptStoreError as error:
        return error.message
    if fingerprint(memory.kind, memory.text) == memory.content_hash:
        return None
    return f"The memory {memory.id} is not as it was written: its text has another hash."


def _unreadable(connection: apsw.Connection) -> Iterator[str]:
    """Rows of the other tables that Recortex cannot have written."""
    from recortex.storage.records.maintenance import row_checks

    ids = "(SELECT id FROM memories WHERE key = {owner})"
    for table, reading in row_checks().items():
        id_ = ids.format(owner=reading.owner) if reading.owner else "NULL"
        for owner, *row in connection.execute(f"SELECT {id_}, {', '.join(reading.columns)} FROM {table}"):
            if why := reading.flaw(tuple(row)):
                yield f"{owner}: {why}" if owner else why


def rebuild_index(pool: Pool) -> None:
    """Make the keyword indexes anew from the memories and exchanges."""
    with pool.transaction():
        for index in keyword_indexes():
            pool.rows(index_query("rebuild", index))


def for_each_index(connection: apsw.Connection, query: str) -> list[Any]:
    """Run a query of the topic `keyword_index` on each; returns the first value of each."""
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    return [
        connection.execute(index_query(query, index)).get for index in keyword_indexes() if index in there
    ]


def index_query(query: str, index: str) -> str:
    """A query of the topic `keyword_index`."""
    return queries("keyword_index", "sqlite")[query].replace("/*index*/", index)


def compact(pool: Pool) -> None:
    """Rewrite the file without what was deleted, and empty the write-ahead log."""
    with translated(pool.path), pool.lock_writer() as connection:
        # Before VACUUM: merging the index's segments drops the words of deleted rows, which VACUUM would
        # copy. The log is emptied last: it still holds pages with deleted texts.
        for_each_index(connection, "optimize")
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


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
