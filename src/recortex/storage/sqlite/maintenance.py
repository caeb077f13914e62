"""Checking a SQLite store, mending its indexes, and removing texts for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw

from recortex.domain.maintenance import Integrity
from recortex.errors import CorruptStoreError
from recortex.storage.database import queries
from recortex.storage.records.rows import SELECT, Unfit, from_row, unfit_rows
from recortex.storage.sqlite.connection import translated
from recortex.storage.tables import keyword_indexes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recortex.storage.sqlite.pool import Pool


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
