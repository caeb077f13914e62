"""What tells whether anything in a store changed, read without opening all of it: a hook has milliseconds."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

import apsw

from recortex.domain.maintenance import Generation
from recortex.errors import StorageError
from recortex.filesystem import require_own

if TYPE_CHECKING:
    from pathlib import Path

_MILLISECONDS = 250  # how long it waits for a writer
_GENERATION = (
    "SELECT coalesce((SELECT max(seq) FROM audit), 0), (SELECT count(*) FROM memories),"
    " (SELECT count(*) FROM tombstones)"
)


def change_counter(path: Path) -> Generation | None:
    """As `StatisticsRecords.generation`; None where there is no store. The file is opened for reading alone.

    Raises:
        StorageError: it is there and cannot be read.
    """
    if not os.path.lexists(path):
        return None
    require_own(path)
    try:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            connection.set_busy_timeout(_MILLISECONDS)
            return Generation(*next(iter(connection.execute(_GENERATION))))
    except apsw.Error as error:
        raise StorageError(f"The store {path} cannot be read: {error}.") from error
