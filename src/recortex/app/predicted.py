"""What is worked out ahead and read cheaply: predictions for the next turn, files near those in play.

Predictions are one small file beside the store, with ids and no text of what is kept. They hold for the
session they were made for until it is time, or the file in view is changed.
"""

from __future__ import annotations

import json
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from recortex.codebase.git import relative
from recortex.domain.vocabulary import Status
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_own, replace_text, require_own
from recortex.lean import NamedTuple, lazy_module
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    import apsw
    import blake3
    from apsw import Connection

    from recortex.app.application import Application, StoreServices
    from recortex.app.projects import Location
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

FILE = "predicted.json"
NEXT = ""
"""Stands for the session that starts next, and for no file in view."""
LARGEST = 512_000
LONGEST, SHORTEST = 24 * 3600, 300
"""Seconds that a prediction holds where nothing changes, and at least."""
_FORMAT = f"{__version__}:1"


class Kept(NamedTuple):
    """What is probably needed: ids, whether each is a memory, how sure it is and which strategies say so."""

    id: str
    memory: bool
    confidence: float
    because: tuple[str, ...]


class Predictions(NamedTuple):
    """What was predicted for a session after its last turn.

    Attributes:
        session: its id; empty: the next one.
        made_at: seconds since 1970 UTC.
        seconds: so long it holds.
        by_file: by the name of the file in view, in lower case; empty: whatever is in view.
    """

    session: str
    made_at: float
    seconds: float
    by_file: Mapping[str, tuple[Kept, ...]]


def still_there(services: StoreServices, found: Iterable[Kept], now: datetime) -> list[Memory]:
    """The memories among what was predicted that are still active, and true now."""
    memories = services.store.memories.get([one.id for one in found if one.memory])
    return [one for one in memories if one.status is Status.ACTIVE and one.was_valid_at(now)]


def time_to_live(changes: int) -> float:
    """Seconds that a prediction holds in a project in which so many files were written within a day."""
    return max(LONGEST / (1 + changes), SHORTEST)


class PredictionCache:
    """The predictions of a store, and how often one was there; a damaged file counts as missing."""

    def __init__(self, location: Location) -> None:
        self._path: Path = location.place(FILE)
        self._data = self._read()

    @property
    def hits(self) -> int:
        """How often a prediction was there."""
        return int(self._data["hits"])

    @property
    def misses(self) -> int:
        """How often it had to be made."""
        return int(self._data["misses"])

    def find(self, session: str, name: str, now: float, changed_at: float = 0.0) -> tuple[Kept, ...] | None:
        """What was predicted for a file of a session; None where nothing holds.

        Args:
            session: its id; one that had no turn yet is the next one.
            name: of the file, in lower case; empty: whatever is in view.
            now: seconds since 1970 UTC.
            changed_at: when the file was changed last.
        """
        for known in (session, NEXT):
            if one := self._data["sessions"].get(known):
                fresh = (
                    one["made_at"] <= now < one["made_at"] + one["seconds"] and changed_at <= one["made_at"]
                )
                found = one["by_file"].get(name) if fresh else None
                return (
                    tuple(Kept(id_, memory, sure, tuple(because)) for id_, memory, sure, because in found)
                    if found is not None
                    else None
                )
        return None

    def count(self, *, hit: bool) -> None:
        """Count a look."""
        self._data["hits" if hit else "misses"] += 1
        self._write()

    def keep(self, predictions: Sequence[Predictions]) -> None:
        """Keep these in place of all others."""
        self._data["sessions"] = {
            one.session: {"made_at": one.made_at, "seconds": one.seconds, "by_file": one.by_file}
            for one in predictions
        }
        self._write()

    def _write(self) -> None:
        with suppress(OSError):  # it can be missing: everything in it can be made again
            replace_text(self._path, json.dumps(self._data))

    def _read(self) -> dict[str, Any]:
        empty: dict[str, Any] = {"version": _FORMAT, "hits": 0, "misses": 0, "sessions": {}}
        with suppress(OSError, UntrustedFileError, ValueError, RecursionError):
            data = json.loads(read_own(self._path, LARGEST))
            if isinstance(data, dict) and data.get("version") == _FORMAT and data.keys() == empty.keys():
                return data
        return empty


# -- which files belong to those in play, as the code says: made where facts are put together, read cheaply
#
# It lies in the facts' file in tables of its own, which need neither the extra `code` nor the version of
# its extractor, and nothing else is loaded to ask. They are as old as the last time that somebody asked for
# the code: who belongs to whom rarely changes.


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


def forget_code(app: Application) -> None:
    """Delete the facts of the project: they are made anew when they are asked for."""
    from recortex.app.citations import state_file

    record_files.forget(app.project.facts)
    record_files.forget(state_file(app))
