"""A store in one SQLite file."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.domain.degradation import Degradation
from recortex.domain.time import to_micros
from recortex.storage.records.ledger import LedgerRecords
from recortex.storage.records.memories import MemoryRecords
from recortex.storage.records.model_calls import ModelCallRecords
from recortex.storage.records.relations import RelationRecords
from recortex.storage.records.sessions import SessionRecords
from recortex.storage.records.statistics import StatisticsRecords
from recortex.storage.sqlite.backup import Backups, missing
from recortex.storage.sqlite.index import KeywordIndex
from recortex.storage.sqlite.migrations import applied, migrate, refuse_newer
from recortex.storage.sqlite.pool import Pool
from recortex.storage.sqlite.schema_check import refuse_foreign
from recortex.storage.sqlite.search import SqliteSearch
from recortex.storage.sqlite.vector_index import VectorIndex
from recortex.storage.sqlite.vectors import SqliteVectors

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from recortex.domain.maintenance import Erasure, Integrity
    from recortex.storage.records.maintenance import MaintenanceRecords
    from recortex.storage.sqlite.compaction import SqliteCompaction
    from recortex.storage.sqlite.full_copy import SqliteFullCopy


class SqliteStore:
    """Memories, relations, logs, vectors and search on one database.

    Args:
        path: the database's file, made when it is not there.
        backups: the folder for backups.
        indexes: the folder for approximate indexes of the vectors; None for a store that has none.
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
        indexes: Path | None = None,
        on_degradation: Callable[[Degradation], None] = lambda _: None,
        vectors: bool = True,
    ) -> None:
        self.path = path
        self._clock = clock
        missing(path, backups)
        self._pool = Pool(
            path, on_missing_vectors=lambda why: on_degradation(_no_vectors(why)), vectors=vectors
        )
        try:
            refuse_foreign(self._pool)
            self.backups = Backups(self._pool, backups, keep=keep_backups)
            migrate(
                self._pool,
                now=to_micros(clock()),
                before_change=lambda: self.backups.make(clock(), reason="before-migration"),
            )
        except BaseException:
            self._pool.close()
            raise
        self._pool.on_change_of_schema = lambda: refuse_newer(self._pool)
        index = KeywordIndex(self._pool, on_degradation)
        self.memories = MemoryRecords(self._pool, index)
        self.relations = RelationRecords(self._pool)
        self.ledger = LedgerRecords(self._pool)
        self.vector_index = VectorIndex(self._pool, indexes, on_degradation)
        self.vectors = SqliteVectors(self._pool, self.vector_index)
        self.statistics = StatisticsRecords(self._pool)
        self.sessions = SessionRecords(self._pool)
        self.model_calls = ModelCallRecords(self._pool)
        self.search = SqliteSearch(self._pool, index, self.memories, self.vectors, self.vector_index)

    def empty_in_memory(self) -> SqliteStore:
        """A store of its own that is gone when it is no longer used."""
        return SqliteStore(Path(":memory:"), backups=self.path.parent, clock=self._clock)

    @cached_property
    def full_copy(self) -> SqliteFullCopy:
        """Every table as rows, for a whole copy."""
        from recortex.storage.sqlite.full_copy import SqliteFullCopy

        return SqliteFullCopy(self._pool, self.vectors)

    @cached_property
    def maintenance(self) -> MaintenanceRecords:
        """What upkeep was done when, and what is old enough to go."""
        from recortex.storage.records.maintenance import MaintenanceRecords

        return MaintenanceRecords(self._pool)

    @cached_property
    def compaction(self) -> SqliteCompaction:
        """Makes room in the file."""
        from recortex.storage.sqlite.compaction import SqliteCompaction

        return SqliteCompaction(self._pool)

    @property
    def shown(self) -> str:
        """Where it is, for people."""
        return str(self.path)

    def check(self) -> Integrity:
        """SQLite's integrity check, foreign keys, and the keyword index against the memories."""
        from recortex.storage.sqlite.maintenance import check

        return check(self._pool)

    def holding(self, text: str) -> list[str]:
        """Ids of the memories that hold a text now or held it in a former version."""
        from recortex.storage.sqlite.purge import holding

        return holding(self._pool, text)

    def erase(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        *,
        text: str = "",
        files: Callable[[], Sequence[Path]],
        now: datetime,
    ) -> Erasure:
        """Delete memories everywhere, rewrite the files, and read them again for the texts."""
        from recortex.storage.sqlite.purge import erase

        return erase(self, ids, texts, text=text, files=files, now=now)

    @property
    def database(self) -> Pool:
        """What the records work on."""
        return self._pool

    @property
    def pool(self) -> Pool:
        """The connections, for maintenance."""
        return self._pool

    @property
    def schema(self) -> int:
        """The newest migration applied."""
        return applied(self._pool)

    def transaction(self, *, patience: float | None = None) -> AbstractContextManager[None]:
        """All writes inside are kept as a whole or not at all."""
        return self._pool.transaction(patience=patience)

    def bytes(self) -> int:
        """The size of the database's files."""
        names = (self.path.name, f"{self.path.name}-wal")
        return sum(place.stat().st_size for name in names if (place := self.path.with_name(name)).exists())

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


def _no_vectors(why: str) -> Degradation:
    return Degradation("sqlite-vec", f"the extension cannot be loaded: {why}", "keyword search alone")
