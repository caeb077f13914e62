"""What a store's file holds, in figures, and a checked copy of it.

For one that is not opened as a store yet.
"""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import apsw

from recortex.domain.time import from_micros
from recortex.errors import CorruptStoreError
from recortex.storage.sqlite.backup import copy, unfinished
from recortex.storage.sqlite.failures import translated
from recortex.storage.sqlite.schema_check import foreign_objects
from recortex.storage.sqlite.verification import content, flaw

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path


class Summary(NamedTuple):
    """How many memories a store holds, and when the first and the last of them were recorded."""

    memories: int
    first: datetime | None
    last: datetime | None


def summarise(path: Path) -> Summary:
    """Count what is in a store's file; it is opened for reading alone.

    Raises:
        StorageError: it cannot be read, or holds what Recortex did not put there.
    """
    with translated(path), _reading(path) as connection:
        count, first, last = next(
            iter(connection.execute("SELECT count(*), min(recorded_at), max(recorded_at) FROM memories"))
        )
    return Summary(count, from_micros(first) if count else None, from_micros(last) if count else None)


def copy_whole(source: Path, target: Path) -> None:
    """Copy a store's file, its log included, and check the copy before it gets its name.

    Raises:
        StorageError: the file cannot be read, holds what Recortex did not put there, or the copy is not
            whole.
    """
    part = unfinished(target)
    with translated(source), _reading(source) as connection:
        try:
            os.close(os.open(part, os.O_CREAT | os.O_RDWR | os.O_EXCL, 0o600))
            connection.execute("BEGIN")
            expected = content(connection)
            copy(connection, part)
            if why := flaw(part, expected):
                raise CorruptStoreError(f"The store {source} was not copied: {why}.")
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def _reading(path: Path) -> Iterator[apsw.Connection]:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        if found := foreign_objects(lambda sql: list(connection.execute(sql))):
            raise CorruptStoreError(
                f"The store {path} has a schema that Recortex did not make: {', '.join(found[:3])}.",
                hint="It is left alone.",
            )
        yield connection
