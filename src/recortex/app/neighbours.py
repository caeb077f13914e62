"""Which files belong to those in play, as the code says: made where facts are put together, read cheaply.

It lies in the facts' file in tables of its own, which need neither the extra `code` nor the version of its
extractor, and nothing else is loaded to ask. They are as old as the last time that somebody asked for the
code: who belongs to whom rarely changes.
"""

from __future__ import annotations

import json
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from recortex.codebase.git import relative
from recortex.errors import RecortexError, UntrustedFileError
from recortex.filesystem import read_own, require_own
from recortex.lean import lazy_module

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    import apsw
    import blake3
    from apsw import Connection

    from recortex.app.application import Application
    from recortex.codebase import record_files
    from recortex.domain.memory import Memory
    from recortex.engines.code import ranking, resolution
    from recortex.engines.code.project import Project
else:
    blake3 = lazy_module("blake3")
    apsw = lazy_module("apsw")
    ranking = lazy_module("recortex.engines.code.ranking")
    record_files = lazy_module("recortex.codebase.record_files")
    resolution = lazy_module("recortex.engines.code.resolution")

SECONDS = 600
"""Between two times that neighbours are made anew: it takes as long as all else, and they rarely change."""
_TABLES = """
CREATE TABLE IF NOT EXISTS neighbours(root TEXT NOT NULL, path TEXT NOT NULL, near TEXT NOT NULL,
    PRIMARY KEY(root, path)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS neighbours_made(root TEXT PRIMARY KEY, state BLOB NOT NULL, at INTEGER NOT NULL)
"""
_BUSY_MILLISECONDS = 200
_BETWEEN = "\n"


def neighbours_of(app: Application, files: Sequence[str]) -> list[str]:
    """The files next to some of the project, the nearest first; none where its code was never read.

    Nothing is brought up to date: that takes as long as reading the code.
    """
    path = app.project.facts
    if not (files and path.is_file()):
        return []
    inside = [relative(one, app.tree) for one in files]
    known = _near(path, app.tree, inside)
    # A linked worktree mostly has the files of the main one.
    if not known and app.tree != app.root:  # nobody asked for the code of this working tree yet
        known = _near(path, app.root, inside)
    return ranking.together(inside, known)


def keep_neighbours(
    path: Path, root: Path, files: Mapping[str, bytes], project: Callable[[], Project], now: datetime
) -> None:
    """Note which files belong to which, unless that was done just before; where that fails, the old holds.

    Args:
        path: of the file of facts.
        root: of the tree.
        files: the keys of the facts of its files, by path.
        project: puts the facts together.
        now: the time.
    """
    at = int(now.timestamp())
    # By what the files are, so that nothing is made anew for an unchanged tree.
    state = blake3.blake3(b"".join(one.encode() + key for one, key in sorted(files.items()))).digest()
    before, then = _made(path, root)
    if state == before or 0 <= at - then < SECONDS:
        return
    with suppress(apsw.Error):
        _keep(path, root, ranking.neighbours(resolution.references(project())), state, at)


# -- the tables


def _made(path: Path, root: Path) -> tuple[bytes, int]:
    """Of which state of a tree its neighbours are, and when that was; nothing and 0 where there are none.

    Args:
        path: of the facts' file.
        root: of the tree.
    """
    for row in _rows(path, "SELECT state, at FROM neighbours_made WHERE root = ?", (str(root),)):
        return row[0], row[1]
    return b"", 0


def _near(path: Path, root: Path, files: Iterable[str]) -> dict[str, list[str]]:
    """The neighbours of some files of a tree, the nearest first; nothing where none are known."""
    wanted = list(files)
    marks = ", ".join("?" * len(wanted))
    query = f"SELECT path, near FROM neighbours WHERE root = ? AND path IN ({marks})"  # noqa: S608
    return {one: paths.split(_BETWEEN) for one, paths in _rows(path, query, (str(root), *wanted))}


def _keep(path: Path, root: Path, found: Mapping[str, Sequence[str]], state: bytes, at: int) -> None:
    """Replace the neighbours of a tree's files.

    Args:
        path: of the facts' file.
        root: of the tree; names with a line break in them are left out.
        found: the neighbours by path.
        state: of the tree.
        at: now, in seconds since 1970.

    Raises:
        apsw.Error: they cannot be kept.
    """
    rows = [
        (str(root), one, _BETWEEN.join(kept))
        for one, paths in found.items()
        if (kept := [each for each in paths if _BETWEEN not in each])
    ]
    with closing(_opened(path)) as database, database:
        database.execute(_TABLES)
        for table in ("neighbours", "neighbours_made"):
            # Trees that were forgotten go as well.
            gone = f"DELETE FROM {table} WHERE root = ? OR root NOT IN (SELECT root FROM trees)"  # noqa: S608
            database.execute(gone, (str(root),))
        database.executemany("INSERT INTO neighbours VALUES(?, ?, ?)", rows)
        database.execute("INSERT OR REPLACE INTO neighbours_made VALUES(?, ?, ?)", (str(root), state, at))


def _rows(path: Path, query: str, values: Sequence[str]) -> list[Any]:
    try:
        if not path.is_file():
            return []
        require_own(path)
        with closing(_opened(path)) as database:
            return list(database.execute(query, values))
    except (apsw.Error, OSError, UntrustedFileError):  # it can be missing: nothing depends on it
        return []


def _opened(path: Path) -> Connection:
    database = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    database.set_busy_timeout(_BUSY_MILLISECONDS)
    return database


# -- how patterns stand, as counted last: a small file, so that a memory's pattern can be told of at no c


STATE = ".patterns.json"
"""What ends the file's name."""
LARGEST = 1024 * 1024
"""Bytes of the file that are read."""


def state_file(app: Application) -> Path:
    """Where it is."""
    return app.project.facts.with_suffix(STATE)


def states_of(app: Application, memories: Iterable[Memory]) -> Mapping[str, tuple[str, ...]]:
    """How the patterns that memories are linked to stand, by the memory's id; those of others are left out.

    The file is read only where a memory is linked to a pattern.
    """
    about = [one for one in memories if one.patterns]
    known = _read(state_file(app)) if about else {}
    found = {one.id: tuple(dict.fromkeys(_states(one, known))) for one in about}
    return {id_: told for id_, told in found.items() if told}


def _states(memory: Memory, known: Mapping[str, str]) -> Iterable[str]:
    for link in memory.patterns:
        said = known.get(link.id) or known.get(link.name)
        if isinstance(said, str):
            yield f"pattern now: {said}"


def _read(path: Path) -> Mapping[str, str]:
    try:
        found = json.loads(read_own(path, LARGEST))
    except (OSError, ValueError, RecursionError, RecortexError):
        return {}
    return found if isinstance(found, dict) else {}


def forget_code(app: Application) -> None:
    """Delete the facts of the project: they are made anew when they are asked for."""
    record_files.forget(app.project.facts)
    record_files.forget(app.project.facts.with_suffix(STATE))
