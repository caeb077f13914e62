"""Which files belong to a file, kept beside the facts of code: so nothing else need be loaded to ask.

It lies in the facts' file in tables of its own, which need neither the extra `code` nor the version of its
extractor. They are as old as the last time that somebody asked for the code: who belongs to whom rarely
changes.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

from recortex.codebase.git import PLAIN, isolated
from recortex.codebase.project import branch_and_commit
from recortex.errors import UntrustedFileError
from recortex.filesystem import require_own

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from apsw import Connection

    from recortex.codebase.git import Git


_TABLES = """
CREATE TABLE IF NOT EXISTS neighbours(root TEXT NOT NULL, path TEXT NOT NULL, near TEXT NOT NULL,
    PRIMARY KEY(root, path)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS neighbours_made(root TEXT PRIMARY KEY, state BLOB NOT NULL, at INTEGER NOT NULL)
"""
_BUSY_MILLISECONDS = 200
_BETWEEN = "\n"


def made(path: Path, root: Path) -> tuple[bytes, int]:
    """Of which state of a tree its neighbours are, and when that was; nothing and 0 where there are none.

    Args:
        path: of the facts' file.
        root: of the tree.
    """
    for row in _rows(path, "SELECT state, at FROM neighbours_made WHERE root = ?", (str(root),)):
        return row[0], row[1]
    return b"", 0


def near(path: Path, root: Path, files: Iterable[str]) -> dict[str, list[str]]:
    """The neighbours of some files of a tree, the nearest first; nothing where none are known."""
    wanted = list(files)
    marks = ", ".join("?" * len(wanted))
    query = f"SELECT path, near FROM neighbours WHERE root = ? AND path IN ({marks})"  # noqa: S608
    return {one: paths.split(_BETWEEN) for one, paths in _rows(path, query, (str(root), *wanted))}


def keep(path: Path, root: Path, found: Mapping[str, Sequence[str]], state: bytes, at: int) -> None:
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
            gone = f"DELETE FROM {table} WHERE root = ? OR root NOT IN (SELECT root FROM trees)"  # noqa: S608
            database.execute(gone, (str(root),))
        database.executemany("INSERT INTO neighbours VALUES(?, ?, ?)", rows)
        database.execute("INSERT OR REPLACE INTO neighbours_made VALUES(?, ?, ?)", (str(root), state, at))


def _rows(path: Path, query: str, values: Sequence[str]) -> list[Any]:
    import apsw

    try:
        if not path.is_file():
            return []
        require_own(path)
        with closing(_opened(path)) as database:
            return list(database.execute(query, values))
    except (apsw.Error, OSError, UntrustedFileError):  # it can be missing: nothing depends on it
        return []


def _opened(path: Path) -> Connection:
    import apsw

    database = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    database.set_busy_timeout(_BUSY_MILLISECONDS)
    return database


# -- whether the code of a project and its history show that one name took another one's place


SECONDS = 10.0
"""For one look through the history; what takes longer is not shown."""
COMMITS = 5
"""The last commits that changed how often the old name is there: one of them must bring the new one."""
_PROSE = ("*.md", "*.markdown", "*.rst", "*.txt", "*.adoc")
"""What tells of former names, and goes on to do so."""
_CODE = ("--", ":/", *(f":(exclude,top,icase){form}" for form in _PROSE))
_WORDS = ("grep", "--quiet", "--no-textconv", "-I", "-w", "-F")


def replaced_names(tree: Path, names: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Those pairs of an old and a new name of which the code has the new one alone, by one commit.

    Args:
        tree: the top of a working tree; without git nothing is shown.
        names: pairs that were told.
    """
    commit = branch_and_commit(tree)[1]
    with isolated(tree, commit) as git:
        if git is None:
            return
        for old, new in names:
            if "\n" not in old + new and not (tree / old).exists() and _is_replaced(git, commit, old, new):
                yield old, new


def _is_replaced(git: Git, commit: str, old: str, new: str) -> bool:
    """Whether the commit that is checked out has the new name alone, and an earlier one exchanged them."""
    if git.succeeds(*_WORDS, "-e", old, commit, *_CODE, seconds=SECONDS) is not False:
        return False
    if not git.succeeds(*_WORDS, "-e", new, commit, *_CODE, seconds=SECONDS):
        return False
    changed = git.lines(*_pickaxe(old), f"--max-count={COMMITS}", commit, *_CODE, seconds=SECONDS)
    return any(git.lines(*_pickaxe(new), "--no-walk", one, *_CODE, seconds=SECONDS) for one in changed)


def _pickaxe(name: str) -> tuple[str, ...]:
    return ("log", "--format=%H", "--no-renames", *PLAIN, f"-S{name}")
