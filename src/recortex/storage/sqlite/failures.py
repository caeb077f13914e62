"""SQLite's errors in our words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import apsw

from recortex.errors import (
    CorruptStoreError,
    InvalidInputError,
    PermissionsError,
    StorageError,
    StoreBusyError,
)

if TYPE_CHECKING:
    from pathlib import Path

REFUSED = (
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.FullError,
    apsw.PermissionsError,
    apsw.IOError,
)
"""What SQLite raises where the disk, or the rights to it, do not let it write."""
_GONE = ("no such table", "no such column")
"""Errors that can only mean damage: our own statements name what our schema has."""


class translated:  # noqa: N801  as `suppress` is; a generator takes a microsecond more around each query
    """Raises our errors for SQLite's, with what to do next."""

    __slots__ = ("_path",)

    def __init__(self, path: Path | str) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Nothing is to be done."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        """Raise the translation of an error that has one."""
        if isinstance(error, apsw.Error | UnicodeDecodeError | OverflowError):
            _raise_translated(self._path, error)


def _raise_translated(path: Path | str, raised: Exception) -> NoReturn:
    try:
        raise raised
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise CorruptStoreError(f"The store {path} is damaged: {error}.") from error
    except (apsw.BusyError, apsw.LockedError) as error:
        raise StoreBusyError(
            f"Another process held the store {path} for longer than this one waits."
        ) from error
    except REFUSED as error:
        raise PermissionsError(f"The store {path} cannot be opened or written: {error}.") from error
    except apsw.Error as error:
        if str(error).startswith(_GONE):  # the schema is not the one that the store records
            raise CorruptStoreError(f"The store {path} is damaged: {error}.") from error
        raise StorageError(f"SQLite could not do that: {error}.") from error
    except UnicodeDecodeError as error:
        raise CorruptStoreError(f"The store {path} is damaged: a text in it is not UTF-8.") from error
    except OverflowError as error:
        raise InvalidInputError("A number is larger than a store can hold.") from error
