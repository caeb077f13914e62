"""Checking a SQLite store, mending its indexes, and removing texts for good."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import apsw

from recortex.errors import StorageError
from recortex.storage.queries import queries
from recortex.storage.sqlite.pool import translated

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from recortex.storage.sqlite.pool import Pool

WINDOW = 40
"""Bytes of a text that are looked for at a time: short enough to lie within a page, long enough to be no accident."""


class Integrity(NamedTuple):
    """What a check found: sentences about the file, and whether the keyword index is whole."""

    problems: tuple[str, ...]
    index_whole: bool

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and self.index_whole


def check(pool: Pool) -> Integrity:
    """SQLite's integrity check, foreign keys, and the keyword index against the memories."""
    connection = pool.exclusive()
    try:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check(20)") if row[0] != "ok"]
        orphans = len(list(connection.execute("PRAGMA foreign_key_check")))
    except apsw.Error as error:
        return Integrity((str(error),), index_whole=False)
    about_index = [problem for problem in found if "memories_fts" in problem]
    problems = [problem for problem in found if problem not in about_index]
    if orphans:
        problems.append(f"{orphans} rows refer to memories that are not there")
    return Integrity(tuple(problems), index_whole=not about_index and _index_whole(pool))


def _index_whole(pool: Pool) -> bool:
    try:
        pool.exclusive().execute(queries("search")["check"])
        lost = pool.exclusive().execute(_SEGMENTS_LOST).get
    except apsw.Error:
        return False
    return not lost


# What FTS5's own check passes over: a segment (bits 37 and above of a page's id) whose pages cannot be found by term.
_SEGMENTS_LOST = """
SELECT count(*) FROM (SELECT DISTINCT id >> 37 AS segment FROM memories_fts_data WHERE id > 10)
WHERE segment NOT IN (SELECT segid FROM memories_fts_idx)
"""


def rebuild_index(pool: Pool) -> None:
    """Make the keyword index anew from the memories."""
    with pool.transaction():
        pool.rows(queries("search")["rebuild"])


def compact(pool: Pool) -> None:
    """Rewrite the file without what was deleted, and empty the write-ahead log."""
    with translated(pool.path):
        connection = pool.exclusive()
        connection.execute(queries("search")["optimize"])
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def traces(files: Sequence[Path], texts: Sequence[str], pool: Pool) -> tuple[int, list[Path]]:
    """Read files byte by byte for texts that should be gone.

    Returns:
        How many bytes were read, and the files that still hold a part of a text that no living memory holds.
    """
    needles = {window for text in texts for window in _windows(text)}
    wanted = [needle for needle in needles if not _still_said(pool, needle)]
    total, found = 0, []
    for path in files:
        data = path.read_bytes() if path.is_file() else b""
        total += len(data)
        if any(needle in data for needle in wanted):
            found.append(path)
    return total, found


def _windows(text: str) -> Iterator[bytes]:
    for shape in (text, text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")):
        data = shape.encode()
        yield data[:WINDOW]
        yield from (data[start : start + WINDOW] for start in range(WINDOW, len(data) - WINDOW + 1, WINDOW))


def _still_said(pool: Pool, needle: bytes) -> bool:
    part = needle.decode("utf-8", "ignore")
    sql = "SELECT 1 FROM memories WHERE instr(text, ?1) OR instr(coalesce(content, ''), ?1) LIMIT 1"
    return len(part) < WINDOW // 8 or pool.value(sql, (part,)) is not None


def readable(pool: Pool) -> bool:
    """Whether the memories can be read at all."""
    try:
        pool.value("SELECT count(*) FROM memories")
    except StorageError:
        return False
    return True
