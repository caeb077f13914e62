"""Sessions that a client keeps in one SQLite database: each is read as a document of its own.

Its path is that of the database with the session's id below it, `…/opencode.db/ses_1`, so that it is listed,
remembered and read again like a session in a file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import quote

import apsw
import msgspec

from recortex.errors import FormatError
from recortex.filesystem import open_regular

if TYPE_CHECKING:
    from pathlib import Path

Result = TypeVar("Result")
MAGIC = b"SQLite format 3\0"
SUFFIXES = frozenset((".db", ".vscdb", ".sqlite"))
_TRIES = 3  # a client may write while its database is read
_SCHEMA = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"


@dataclass(frozen=True, slots=True)
class Database:
    """How a client's database is recognised and read.

    Attributes:
        begins: how the file's name begins.
        tables: that it has, perhaps among others.
        listed: a query for the id of each session and when it last changed, in milliseconds since 1970.
        document: makes the session with an id, as its format's `split` takes it; None where there is none.
    """

    begins: str
    tables: frozenset[str]
    listed: str
    document: Callable[[apsw.Connection, str], object]


class Kept(NamedTuple):
    """A session in a database: its path, its size in bytes, its last change in seconds since 1970."""

    path: Path
    size: int
    modified: float


def in_database(path: Path) -> bool:
    """Whether a path names a session in a database, not a file: what is above it is no folder."""
    return path.parent.is_file()


def is_database(path: Path) -> bool:
    """Whether a file is a SQLite database.

    Raises:
        UntrustedFileError: it is no regular file.
        OSError: it cannot be read.
    """
    with open_regular(path) as file:
        return file.read(len(MAGIC)) == MAGIC


def tables(path: Path) -> frozenset[str]:
    """The names of a database's tables.

    Raises:
        FormatError: it cannot be read.
    """
    return reading(path, lambda opened: frozenset(name for (name,) in opened.execute(_SCHEMA)))


def sessions_in(path: Path, database: Database) -> list[Kept]:
    """The sessions in a database.

    Raises:
        FormatError: it cannot be read.
    """
    rows = reading(path, lambda opened: opened.execute(database.listed).fetchall())
    each = path.stat().st_size // max(1, len(rows))
    return [Kept(path / str(name), each, float(at or 0) / 1000) for name, at in rows]


def document(path: Path, database: Database) -> bytes:
    """The document of a session in a database.

    Raises:
        FormatError: it cannot be read, or has no such session.
    """
    found = reading(path.parent, lambda opened: database.document(opened, path.name))
    if found is None:
        raise FormatError(f"{path.parent} has no session {path.name}.", hint="It may have been deleted.")
    return msgspec.json.encode(found)


def json_of(text: object) -> object:
    """What a column of JSON holds; None where it is none."""
    try:
        return msgspec.json.decode(text) if isinstance(text, str | bytes) else None
    except (msgspec.DecodeError, RecursionError):
        return None


def reading(path: Path, question: Callable[[apsw.Connection], Result]) -> Result:
    """An answer of a database, which was not written meanwhile as far as can be waited for.

    Raises:
        FormatError: it cannot be read.
    """
    try:
        for _ in range(_TRIES):
            before = _state(path)
            with closing(_connect(path, logged=before[1][0] > 0)) as opened:
                found = question(opened)
            if _state(path) == before:
                break
    except (apsw.Error, OSError) as error:
        raise FormatError(
            f"{path} cannot be read as a database: {error}",
            hint="Close the program that uses it and try again.",
        ) from None
    return found


def _connect(path: Path, *, logged: bool) -> apsw.Connection:
    """A connection that writes nothing, neither to the database nor beside it.

    Without a log the file is read as one that nobody changes. A log is read through an index in memory, which
    SQLite only keeps where it asks nobody for locks; elsewhere, beside the client as another client would.
    """
    how = "&immutable=1" if not logged else "&vfs=unix-none" if os.name == "posix" else ""
    connection = apsw.Connection(
        f"file:{quote(os.fsencode(path.resolve()))}?mode=ro{how}",
        flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
    )
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    if logged and os.name == "posix":
        connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
    connection.execute("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF").fetchall()
    return connection


def _state(path: Path) -> tuple[tuple[int, int], tuple[int, int]]:
    """Size and time of change of a database and of its log."""
    found = []
    for one in (path, path.with_name(f"{path.name}-wal")):
        try:
            status = one.stat()
            found.append((status.st_size, status.st_mtime_ns))
        except FileNotFoundError:
            found.append((0, 0))
    return found[0], found[1]
