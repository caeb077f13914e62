"""A store in one workspace of a PostgreSQL database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recortex.storage.postgres.backup import PgBackups
from recortex.storage.postgres.compaction import PgCompaction
from recortex.storage.postgres.counts import WordCounts
from recortex.storage.postgres.full_copy import PgFullCopy
from recortex.storage.postgres.maintenance import check, erase, holding, vacuum
from recortex.storage.postgres.memories import PgMemories
from recortex.storage.postgres.migrations import SCHEMA
from recortex.storage.postgres.opening import open_database
from recortex.storage.postgres.search import PgSearch
from recortex.storage.postgres.vector_index import PgVectorIndex
from recortex.storage.postgres.vectors import PgVectors
from recortex.storage.records.ledger import LedgerRecords
from recortex.storage.records.maintenance import MaintenanceRecords
from recortex.storage.records.model_calls import ModelCallRecords
from recortex.storage.records.relations import RelationRecords
from recortex.storage.records.sessions import SessionRecords
from recortex.storage.records.statistics import StatisticsRecords
from recortex.storage.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from recortex.domain.address import Address
    from recortex.domain.maintenance import Erasure, Integrity

CONNECTIONS = 4


class PgStore:
    """Memories, relations, logs, vectors and search of one workspace.

    Args:
        address: the database and the workspace, both made ready when they are not.
        clock: the time to record for migrations.
        connections: at most.
        backups: the folder for copies, which are SQLite files.
        keep_backups: how many copies stay.

    Raises:
        StoreUnavailableError: the server cannot be reached.
        MigrationError: the schema could not be made, or a newer program wrote it.
    """

    def __init__(
        self,
        address: Address,
        *,
        clock: Callable[[], datetime],
        connections: int = CONNECTIONS,
        backups: Path = Path("backups"),
        keep_backups: int = 5,
    ) -> None:
        self.address = address
        self._clock = clock
        self.database = open_database(address, now=clock(), size=connections)
        counts = WordCounts(self.database)
        self.memories = PgMemories(self.database, counts)
        self.relations = RelationRecords(self.database)
        self.ledger = LedgerRecords(self.database)
        self.vectors = PgVectors(self.database, PgVectorIndex(self.database, address))
        self.statistics = StatisticsRecords(self.database)
        self.sessions = SessionRecords(self.database)
        self.model_calls = ModelCallRecords(self.database)
        self.maintenance = MaintenanceRecords(self.database)
        self.compaction = PgCompaction(self.database, self.bytes)
        self.full_copy = PgFullCopy(self.database, self.vectors, self.memories, counts)
        self.backups = PgBackups(self.full_copy, backups, keep=keep_backups)
        self.search = PgSearch(self.database, self.memories, self.vectors, counts)

    @property
    def schema(self) -> int:
        """The newest migration applied."""
        return int(self.database.value(f"SELECT max(version) FROM {SCHEMA}.schema_migrations"))

    def transaction(self, *, patience: float | None = None) -> AbstractContextManager[None]:
        """All writes inside are kept as a whole or not at all.

        Args:
            patience: seconds to wait for other writers, for what is not worth a long wait; nor is it worth
                one for the disk.
        """
        return self.database.transaction(patience=patience, durable=patience is None)

    @property
    def shown(self) -> str:
        """Where it is, for people; no secret is in it."""
        return self.address.shown

    def bytes(self) -> int:
        """About the space that the workspace takes: its share of the tables by the number of memories."""
        return int(self.database.value(self.database.queries("maintenance")["size"]) or 0)

    def check(self) -> Integrity:
        """Whether what is derived agrees with the memories."""
        return check(self.database)

    def holding(self, text: str) -> list[str]:
        """Ids of the memories that hold a text now or held it in a former version."""
        return holding(self.database, text)

    def erase(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        *,
        text: str = "",
        files: Callable[[], Sequence[Path]],
        now: datetime,
    ) -> Erasure:
        """Delete memories everywhere, and look for the texts afterwards."""
        return erase(self, ids, texts, text=text, files=files, now=now)

    def compact(self) -> None:
        """Rewrite the tables without what was deleted, where the role may."""
        vacuum(self.address)

    def empty_in_memory(self) -> SqliteStore:
        """A store of its own that is gone when it is no longer used: a small one, and SQLite's."""
        return SqliteStore(Path(":memory:"), backups=self.backups.folder, clock=self._clock)

    def close(self) -> None:
        """Close all connections."""
        self.database.close()
