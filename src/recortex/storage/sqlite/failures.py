"""SQLite's errors in our words."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import apsw

from recortex.errors import (
    CorruptStoreError,
    InvalidInputError,
    PermissionsError,
    StorageError,
    StoreBusyError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_GONE = ("no such table", "no such column")
"""Errors that can only mean damage: our own statements name what our schema has."""


@contextmanager
def translated(path: Path | str) -> Iterator[None]:
    """Raise our errors for SQLite's, with what to do next."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise CorruptStoreError(f"The store {path} is damaged: {error}.") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreBusyError(
            f"Another process held the store {path} for longer than this one waits."
        ) from error
    except (
        apsw.ReadOnlyError,
        apsw.CantOpenError,
        apsw.FullError,
        apsw.PermissionsError,
        apsw.IOError,
    ) as error:
        raise PermissionsError(f"The store {path} cannot be opened or written: {error}.") from error
    except apsw.Error as error:
        if str(error).startswith(_GONE):  # the schema is not the one that the store records
            raise CorruptStoreError(f"The store {path} is damaged: {error}.") from error
        raise StorageError(f"SQLite could not do that: {error}.") from error
    except UnicodeDecodeError as error:
        raise CorruptStoreError(f"The store {path} is damaged: a text in it is not UTF-8.") from error
    except OverflowError as error:
        raise InvalidInputError("A number is larger than a store can hold.") from error
