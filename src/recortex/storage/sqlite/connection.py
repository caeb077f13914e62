"""Opening a SQLite database the way the store wants it."""

from __future__ import annotations

from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

import apsw

from recortex.storage.database import folded
from recortex.storage.sqlite.contention import Folding, Patience

BUSY_MILLISECONDS = 5_000
"""How long a statement waits for other processes, where nothing else is set."""
PRAGMAS = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA mmap_size = 268435456;
PRAGMA cache_size = -64000;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
PRAGMA trusted_schema = OFF;
"""
"""With trusted_schema off, a schema that is not ours can call nothing that has an effect."""


def connect(path: Path, *, vectors: bool = True) -> apsw.Connection:
    """A connection with the store's pragmas and, where it can be loaded, sqlite-vec.

    Args:
        path: the database's file; it is made when it is not there.
        vectors: whether to load sqlite-vec at all.
    """
    connection = apsw.Connection(str(path))
    try:
        _prepare(connection)
        if vectors:
            load_vectors(connection)
    except BaseException:
        connection.close(force=True)  # the error may hold it for long, and with it the file and its locks
        raise
    return connection


def _prepare(connection: apsw.Connection) -> None:
    patience = Patience(BUSY_MILLISECONDS / 1000)
    connection.set_busy_handler(patience)
    if not connection.execute("PRAGMA page_count").get:
        # It only takes effect before the first table is made; afterwards it would still write to the file.
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    # Read to the end: a statement that gives a row holds up those after it.
    connection.execute(PRAGMAS).fetchall()
    connection.create_scalar_function("folded", _folded, 1, deterministic=True)
    connection.set_wal_hook(Folding(patience))


def _folded(*given: object) -> str | None:
    return None if given[0] is None else folded(str(given[0]))


def load_vectors(connection: apsw.Connection) -> str:
    """Load sqlite-vec into a connection; returns why that cannot be done, or an empty text."""
    try:
        connection.enable_load_extension(enable=True)
        connection.load_extension(_extension())
        connection.enable_load_extension(enable=False)
    except (ImportError, OSError, apsw.Error) as error:
        return str(error)
    return ""


@cache
def _extension() -> str:
    """The path of sqlite-vec's library; its package is not imported, since that imports numpy."""
    found = PathFinder.find_spec("sqlite_vec")
    if found is None or not found.submodule_search_locations:
        raise ImportError("the package sqlite-vec is not installed")
    return str(Path(found.submodule_search_locations[0]) / "vec0")


def has_vectors(connection: apsw.Connection) -> bool:
    """Whether sqlite-vec answers on this connection."""
    return bool(connection.execute("SELECT 1 FROM pragma_function_list WHERE name = 'vec_version'").get)
