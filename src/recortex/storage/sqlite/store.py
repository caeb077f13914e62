"""A store in one SQLite file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.degradation import Degradation
from recortex.domain.time import to_micros
from recortex.storage.sqlite.backup import Backups
from recortex.storage.sqlite.index import KeywordIndex
from recortex.storage.sqlite.ledger import SqliteLedger
from recortex.storage.sqlite.memories import SqliteMemories
from recortex.storage.sqlite.migrations import applied, migrate
from recortex.storage.sqlite.model_calls import SqliteModelCalls
from recortex.storage.sqlite.pool import Pool
from recortex.storage.sqlite.relations import SqliteRelations
from recortex.storage.sqlite.search import SqliteSearch
from recortex.storage.sqlite.sessions import SqliteSessions
from recortex.storage.sqlite.standing import SqliteStanding
from recortex.storage.sqlite.vectors import SqliteVectors

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from datetime import datetime


class SqliteStore:
    """Memories, relations, logs, vectors and search on one database.

    Args:
        path: the database's file, made when it is not there.
        backups: the folder for backups.
        clock: the time to record for migrations and fall backs.
        on_degradation: told when sqlite-vec cannot be loaded.
        vectors: False to do without sqlite-vec.

    Raises:
        NewerSchemaError: a newer program wrote the file.
        CorruptStoreError: the file is damaged.
    """

    def __init__(
        self,
        path: Path,
        *,
        backups: Path,
        clock: Callable[[], datetime],
        keep_backups: int = 5,
        on_degradation: Callable[[Degradation], None] = lambda _: None,
        vectors: bool = True,
    ) -> None:
        self.path = path
        self._clock = clock
        self._pool = Pool(
            path, on_missing_vectors=lambda why: on_degradation(_no_vectors(why)), vectors=vectors
        )
        try:
            self.backups = Backups(self._pool, backups, keep=keep_backups)
            migrate(
                self._pool,
                now=to_micros(clock()),
                before_change=lambda: self.backups.make(clock(), reason="before-migration"),
            )
        except BaseException:
            self._pool.close()
            raise
        index = KeywordIndex(self._pool, on_degradation)
        self.memories = SqliteMemories(self._pool, index)
        self.relations = SqliteRelations(self._pool)
        self.ledger = SqliteLedger(self._pool)
        self.vectors = SqliteVectors(self._pool)
        self.standing = SqliteStanding(self._pool)
        self.sessions = SqliteSessions(self._pool)
        self.model_calls = SqliteModelCalls(self._pool)
        self.search = SqliteSearch(self._pool, index, self.memories, self.vectors)

    def empty_in_memory(self) -> SqliteStore:
        """A store of its own that is gone when it is no longer used."""
        return SqliteStore(Path(":memory:"), backups=self.path.parent, clock=self._clock)

    @property
    def pool(self) -> Pool:
        """The connections, for maintenance."""
        return self._pool

    @property
    def schema(self) -> int:
        """The newest migration applied."""
        return applied(self._pool)

    def transaction(self) -> AbstractContextManager[None]:
        """All writes inside are kept as a whole or not at all."""
        return self._pool.transaction()

    def bytes(self) -> int:
        """The size of the database's files."""
        names = (self.path.name, f"{self.path.name}-wal")
        return sum(place.stat().st_size for name in names if (place := self.path.with_name(name)).exists())

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


def _no_vectors(why: str) -> Degradation:
    return Degradation("sqlite-vec", f"the extension cannot be loaded: {why}", "keyword search alone")
