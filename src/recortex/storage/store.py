"""What the stores of all engines have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext
from functools import cached_property
from typing import TYPE_CHECKING

from recortex.storage.records.ledger import LedgerRecords, StatisticsRecords
from recortex.storage.records.sessions import SessionRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from recortex.domain.maintenance import Erasure
    from recortex.storage.database import Database
    from recortex.storage.records.chunk_search import (
        ChunkSearchRecords,
        ChunkVectorRecords,
        ExchangeSearchRecords,
        ExchangeVectorRecords,
    )
    from recortex.storage.records.documents import DocumentRecords
    from recortex.storage.records.exchanges import ExchangeRecords
    from recortex.storage.records.maintenance import MaintenanceRecords
    from recortex.storage.records.memories import MemoryRecords
    from recortex.storage.records.model_calls import ModelCallRecords
    from recortex.storage.records.relations import RelationRecords
    from recortex.storage.records.symbols import SymbolRecords
    from recortex.storage.records.vectors import VectorRecords
    from recortex.storage.sqlite.backup import Backups


class EngineStore(ABC):
    """A store on a database; an engine adds memories, vectors, search and its maintenance."""

    database: Database
    memories: MemoryRecords
    vectors: VectorRecords
    backups: Backups

    def __init__(self, database: Database) -> None:
        self.ledger = LedgerRecords(database)
        self.statistics = StatisticsRecords(database)
        self.sessions = SessionRecords(database)

    # A prompt needs none of these four, and its hook starts anew each time.

    @cached_property
    def relations(self) -> RelationRecords:
        """What links memories."""
        from recortex.storage.records.relations import RelationRecords

        return RelationRecords(self.database)

    @cached_property
    def symbols(self) -> SymbolRecords:
        """The symbols of code that memories hang on."""
        from recortex.storage.records.symbols import SymbolRecords

        return SymbolRecords(self.database)

    @cached_property
    def model_calls(self) -> ModelCallRecords:
        """What was asked of language models."""
        from recortex.storage.records.model_calls import ModelCallRecords

        return ModelCallRecords(self.database)

    @cached_property
    def maintenance(self) -> MaintenanceRecords:
        """What jobs read and note."""
        from recortex.storage.records.maintenance import MaintenanceRecords

        return MaintenanceRecords(self.database)

    @property
    @abstractmethod
    def exchanges(self) -> ExchangeRecords:
        """What was said in sessions."""

    @property
    @abstractmethod
    def exchange_search(self) -> ExchangeSearchRecords:
        """Search over what was said."""

    @cached_property
    def exchange_vectors(self) -> ExchangeVectorRecords:
        """The vectors of what was said."""
        from recortex.storage.records.chunk_search import ExchangeVectorRecords

        return ExchangeVectorRecords(self.database, self.vectors)

    @property
    @abstractmethod
    def documents(self) -> DocumentRecords:
        """Documents that were ingested."""

    @property
    @abstractmethod
    def chunk_search(self) -> ChunkSearchRecords:
        """Search over the chunks of documents."""

    @cached_property
    def chunk_vectors(self) -> ChunkVectorRecords:
        """The vectors of chunks."""
        from recortex.storage.records.chunk_search import ChunkVectorRecords

        return ChunkVectorRecords(self.database, self.vectors)

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
        """Whether a part of a text that was erased is rightly there, since something that stays holds it."""
        return bool(self.holding(part) or self.exchanges_holding(part) or self.chunks_holding(part))

    def chunks_holding(self, text: str) -> list[str]:
        """Ids of the chunks and documents that hold a text."""
        from recortex.storage.purge import said
        from recortex.storage.tables import CHUNKS, DOCUMENTS

        found = []
        for table in (CHUNKS, DOCUMENTS):
            condition, values = said(text, table=table)
            sql = f"SELECT x.id FROM {table.name} x WHERE /*own x*/ ({condition}) ORDER BY x.key"
            found += [row[0] for row in self.database.rows(sql, values)]
        return found

    def exchanges_holding(self, text: str) -> list[str]:
        """Ids of the exchanges that hold a text."""
        from recortex.storage.purge import said

        condition, values = said(text)
        sql = f"SELECT x.id FROM exchanges x WHERE /*own x*/ ({condition}) ORDER BY x.key"
        return [row[0] for row in self.database.rows(sql, values)]

    def exchanges_to_erase(self, texts: Sequence[str], text: str = "") -> list[str]:
        """Ids of the exchanges that erasing these texts takes along; `text`: the one that was asked for."""
        from recortex.storage.purge import unsaid

        return list(dict.fromkeys(id_ for one in unsaid(texts, text) for id_ in self.exchanges_holding(one)))

    def chunks_to_erase(self, texts: Sequence[str], text: str = "") -> list[str]:
        """Ids of the chunks and documents that erasing these texts takes along."""
        from recortex.storage.purge import unsaid

        return list(dict.fromkeys(id_ for one in unsaid(texts, text) for id_ in self.chunks_holding(one)))

    def apart(self) -> AbstractContextManager[None]:
        """While inside, this process may open and close the files of the store."""
        return nullcontext()

    def erase(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        *,
        text: str = "",
        exchanges: Sequence[str] = (),
        files: Callable[[], Sequence[Path]],
        now: datetime,
    ) -> Erasure:
        """Delete memories and exchanges everywhere, and look for the texts afterwards."""
        from recortex.storage.purge import erase

        return erase(self, ids, texts, text=text, exchanges=exchanges, files=files, now=now)
