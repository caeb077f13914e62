"""Deletes files of facts; apart from their store, which needs the extra `code`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def forget(path: Path) -> None:
    """Delete a file of facts with what SQLite keeps beside it; it is made anew when it is needed."""
    for ending in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            path.with_name(path.name + ending).unlink()
