"""New stores in SQLite files begin as copies of one that is migrated, where their making is not what is tested.

Each of thousands of tests begins with an empty store; running all migrations is a third of the time of a short
one. The copy is what they make, but for the time. Programs that tests start run them, and so do the tests of
migrations.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.storage.sqlite import migrations, store
from recortex.storage.sqlite.pool import MEMORY, Pool

if TYPE_CHECKING:
    from collections.abc import Callable


@cache
def migrated() -> bytes:
    """The bytes of an empty store."""
    with tempfile.TemporaryDirectory(prefix="recortex-test-") as folder:
        path = Path(folder, "cortex.db")
        made = store.SqliteStore(path, backups=Path(folder, "backups"), clock=lambda: datetime.now(UTC))
        made.close()
        return path.read_bytes()


def begin(path: Path) -> bool:
    """Put an empty store where nothing is; whoever was quicker, and whatever forbids it, is left alone."""
    if str(path) == MEMORY or os.path.lexists(path):
        return False
    part, began = path.with_name(f"{os.urandom(8).hex()}.part"), False
    with suppress(OSError):
        part.write_bytes(migrated())
        os.link(part, path)
        began = True
    with suppress(OSError):
        part.unlink()
    return began


class ReadyPool(Pool):
    """Connections to a store that begins migrated."""

    def __init__(self, path: Path, *, vectors: bool = True, folding: bool = True) -> None:
        self.began = begin(path)
        super().__init__(path, vectors=vectors, folding=folding)


def migrate(pool: Pool, *, now: int, before_change: Callable[[], object]) -> None:
    """Bring a store up to date; one that began as a copy was made now."""
    if isinstance(pool, ReadyPool) and pool.began:
        pool.rows("UPDATE schema_migrations SET applied_at = ?", (now,))
    migrations.migrate(pool, now=now, before_change=before_change)


def use() -> None:
    """Let the stores of this process begin so."""
    migrated()
    store.Pool, store.migrate = ReadyPool, migrate
