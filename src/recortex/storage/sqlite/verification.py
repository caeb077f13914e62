"""Whether a copy of a store can be relied on: it is opened, checked, and counted against what was copied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from recortex.ports.chores import Content

if TYPE_CHECKING:
    from pathlib import Path

_MOST_PROBLEMS = 3
_INDEX = "memories_fts"
_COUNTED = {
    "schema": ("schema_migrations", "max(version)"),
    "memories": ("memories", "count(*)"),
    "versions": ("versions", "count(*)"),
    "relations": ("relations", "count(*)"),
    "vectors": ("embeddings", "count(*)"),
    "tombstones": ("tombstones", "count(*)"),
    "newest_audit": ("audit", "max(seq)"),
}


def content(connection: apsw.Connection) -> Content:
    """How much the database of a connection holds; what its schema does not have yet counts as none."""
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    counts = {
        name: connection.execute(f"SELECT coalesce({what}, 0) FROM {table}").get if table in there else 0
        for name, (table, what) in _COUNTED.items()
    }
    return Content(**counts)


def memories_in(path: Path) -> int:
    """How many memories a copy holds: the store itself may hold more by now."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return content(connection).memories
    finally:
        connection.close()


def flaw(path: Path, expected: Content | None = None) -> str:
    """What is wrong with a copy, in words; empty where it is whole. It is opened for reading alone.

    A damaged keyword index is no flaw: it is made again from the memories.

    Args:
        path: the copy's file.
        expected: what was copied; None to ask only whether the copy is a store that is whole in itself.
    """
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            problems = _problems(connection)
            held = content(connection)
        finally:
            connection.close()
    except apsw.Error as error:
        return f"it cannot be read: {error}"
    if problems:
        return f"it is damaged: {'; '.join(problems)}"
    if not held.schema:
        return "it is no store"
    return "" if expected is None else _difference(held, expected)


def _problems(connection: apsw.Connection) -> list[str]:
    found = [row[0] for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
    orphans = len(list(connection.execute("PRAGMA foreign_key_check")))
    found += [f"{orphans} rows refer to memories that are not there"] if orphans else []
    return [problem for problem in found if _INDEX not in problem][:_MOST_PROBLEMS]


def _difference(held: Content, expected: Content) -> str:
    for name, wanted in expected._asdict().items():
        if getattr(held, name) != wanted:
            return f"{name.replace('_', ' ')}: {getattr(held, name)} instead of {wanted}"
    return ""
