"""Whether a copy of a store is whole: it is opened, checked, and counted against what was copied."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import apsw

from recortex.domain.maintenance import StoreContent
from recortex.storage.tables import keyword_indexes

if TYPE_CHECKING:
    from pathlib import Path

_MAGIC = b"SQLite format 3\0"
"""What every SQLite file begins with."""
_SIDES = ("-wal", "-shm", "-journal")
_ONE_FILE = b"\1\1"  # bytes 18 and 19 of a file that is not in WAL mode; every store that was opened is in it
_OURS = frozenset({"schema_migrations", "memories", "versions", "audit"})
_MOST_PROBLEMS = 3
_COUNTED = {
    "schema": ("schema_migrations", "max(version)"),
    "memories": ("memories", "count(*)"),
    "versions": ("versions", "count(*)"),
    "relations": ("relations", "count(*)"),
    "vectors": ("embeddings", "count(*)"),
    "tombstones": ("tombstones", "count(*)"),
    "newest_audit": ("audit", "max(seq)"),
    "exchanges": ("exchanges", "count(*)"),
    "chunks": ("chunks", "count(*)"),
}


def content(connection: apsw.Connection) -> StoreContent:
    """How much the database of a connection holds; what its schema does not have yet counts as none."""
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    counts = {
        name: connection.execute(f"SELECT coalesce({what}, 0) FROM {table}").get if table in there else 0
        for name, (table, what) in _COUNTED.items()
    }
    return StoreContent(**counts)


def opened_for_reading(path: Path) -> closing[apsw.Connection]:
    """A connection that cannot write; it is closed at the end of the `with`."""
    return closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY))


def memories_in(path: Path) -> int:
    """How many memories a copy holds: the store itself may hold more by now."""
    with opened_for_reading(path) as connection:
        return content(connection).memories


def foreign(path: Path) -> str:
    """Why a file is no store of ours; empty where it is one, whatever its schema is.

    It is opened for reading alone.
    """
    try:
        with opened_for_reading(path) as connection:
            there = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    except apsw.Error as error:
        return f"it is damaged: {error}"
    return "" if there >= _OURS else "it is no store"


def replaceable(path: Path) -> bool:
    """Whether a backup may be written over a file: an empty one, or a backup that nobody opened since.

    Whoever has the file open would go on writing into one that is gone, and its log would be taken for the
    backup's.
    """
    try:
        if not path.is_file() or any(path.with_name(f"{path.name}{side}").exists() for side in _SIDES):
            return False
        with path.open("rb") as opened:
            head = opened.read(20)
    except OSError:
        return False
    return not head or (head[:16] == _MAGIC and head[18:20] == _ONE_FILE and not foreign(path))


def flaw(path: Path, expected: StoreContent | None = None) -> str:
    """What is wrong with a copy, in words; empty where it is whole. It is opened for reading alone.

    A damaged keyword index is no flaw: it is made again from the memories. Rows that refer to what is not
    there are none either: the copy has them from the store, and without a copy nothing could be mended.

    Args:
        path: the copy's file.
        expected: what was copied; None to ask only whether the copy is a store that is whole in itself.
    """
    try:
        with opened_for_reading(path) as connection:
            problems = [one for one in _damage(connection) if not about_index(one)][:_MOST_PROBLEMS]
            held = content(connection)
    except apsw.Error as error:
        return f"it cannot be read: {error}"
    if problems:
        return f"it is damaged: {'; '.join(problems)}"
    if not held.schema:
        return "it is no store"
    return "" if expected is None else _difference(held, expected)


def about_index(problem: str) -> bool:
    """Whether a problem is one of a keyword index, which is made again from the rows where it is damaged."""
    return any(index in problem for index in keyword_indexes())


def structural_problems(connection: apsw.Connection) -> list[str]:
    """What SQLite's own checks find, a sentence each; those of the keyword index name it."""
    orphans = len(list(connection.execute("PRAGMA foreign_key_check")))
    return _damage(connection) + ([f"{orphans} rows refer to memories that are not there"] if orphans else [])


def _damage(connection: apsw.Connection) -> list[str]:
    return [row[0] for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]


def _difference(held: StoreContent, expected: StoreContent) -> str:
    for name, wanted in expected._asdict().items():
        if getattr(held, name) != wanted:
            return f"{name.replace('_', ' ')}: {getattr(held, name)} instead of {wanted}"
    return ""
