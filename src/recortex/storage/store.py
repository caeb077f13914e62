"""What the stores of all engines have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext
from typing import TYPE_CHECKING

from recortex.storage.records.ledger import LedgerRecords
from recortex.storage.records.maintenance import MaintenanceRecords
from recortex.storage.records.model_calls import ModelCallRecords
from recortex.storage.records.relations import RelationRecords
from recortex.storage.records.sessions import SessionRecords
from recortex.storage.records.statistics import StatisticsRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from recortex.domain.maintenance import Erasure
    from recortex.storage.database import Database
    from recortex.storage.records.memories import MemoryRecords
    from recortex.storage.records.vectors import VectorRecords
    from recortex.storage.sqlite.backup import Backups


class EngineStore(ABC):
    """A store on a database; an engine adds memories, vectors, search and its maintenance."""

    database: Database
    memories: MemoryRecords
    vectors: VectorRecords
    backups: Backups

    def __init__(self, database: Database) -> None:
        self.relations = RelationRecords(database)
        self.ledger = LedgerRecords(database)
        self.statistics = StatisticsRecords(database)
        self.sessions = SessionRecords(database)
        self.model_calls = ModelCallRecords(database)
        self.maintenance = MaintenanceRecords(database)

    @abstractmethod
    def transaction(self, *, patience: float | None = None) -> AbstractContextManager[None]:
        """All writes inside are kept as a whole or not at all."""

    @abstractmethod
    def compact(self) -> None:
        """Rewrite what holds the memories without what was deleted, as far as that can be done from here."""

    def holding(self, text: str) -> list[str]:
        """Ids of the memories that hold a text now or held it in a former version."""
        from recortex.storage.purge import holding

        return holding(self.database, text)

    def says(self, part: str) -> bool:
        """Whether a part of a text that was erased is rightly there, since a memory that stays holds it."""
        return bool(self.holding(part))

    def apart(self) -> AbstractContextManager[None]:
        """While inside, this process may open and close the files of the store."""
        return nullcontext()

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
        from recortex.storage.purge import erase

        return erase(self, ids, texts, text=text, files=files, now=now)
