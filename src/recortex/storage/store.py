"""What the stores of all engines have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from recortex.domain.maintenance import Erasure
from recortex.plugins import capability, load
from recortex.storage.database import CHUNKS, DOCUMENTS, folded
from recortex.storage.records.exchanges import ExchangeRecords
from recortex.storage.records.ledger import LedgerRecords, ModelCallRecords
from recortex.storage.records.memories import (
    WINDOW,
    StatisticsRecords,
    SymbolRecords,
    among,
    forget_replicated,
    grave,
    holding,
    shared_holding,
    text_condition,
    texts_of,
    unsaid,
    windows,
)
from recortex.storage.records.relations import RelationRecords
from recortex.storage.records.search import ExchangeSearchRecords, ExchangeVectorRecords
from recortex.storage.records.sessions import SessionRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from recortex.domain.search import Chunk
    from recortex.ports.search import ChunkSearch, DocumentRecords, OwnVectors
    from recortex.ports.store import Copies
    from recortex.storage.database import Database
    from recortex.storage.records.maintenance import MaintenanceRecords
    from recortex.storage.records.memories import MemoryRecords
    from recortex.storage.records.rows import Clause, Keywords
    from recortex.storage.records.vectors import VectorRecords

    Opened = TypeVar("Opened")

    class KeptDocuments(DocumentRecords, Protocol):
        """Documents, of which parts can be deleted by what they hold."""

        def delete_holding(self, documents: Clause, chunks: Clause) -> int:
            """Remove the documents and the chunks that meet a condition; returns how many chunks."""


def _table(of: str, name: str) -> Any:
    """What reads and writes a table of a capability."""
    return load(capability(of).tables[name])


class EngineStore(ABC):
    """A store on a database; an engine adds memories, vectors, search and its maintenance."""

    database: Database
    keywords: Mapping[str, Keywords]
    memories: MemoryRecords

    def __init__(self, database: Database) -> None:
        self.ledger = LedgerRecords(database)
        self.statistics = StatisticsRecords(database)
        self.sessions = SessionRecords(database)

    @property
    @abstractmethod
    def vectors(self) -> VectorRecords:
        """The vectors of the memories."""

    @property
    def has_vectors(self) -> bool:
        """Whether likeness can be searched at all."""
        return self.database.vectors

    @property
    @abstractmethod
    def backups(self) -> Copies:
        """The backups of the store."""

    # A prompt needs none of these, and its hook starts anew each time.

    @cached_property
    def relations(self) -> RelationRecords:
        """What links memories."""
        return RelationRecords(self.database)

    @cached_property
    def symbols(self) -> SymbolRecords:
        """The symbols of code that memories hang on."""
        return SymbolRecords(self.database)

    @cached_property
    def model_calls(self) -> ModelCallRecords:
        """What was asked of language models."""
        return ModelCallRecords(self.database)

    @cached_property
    def maintenance(self) -> MaintenanceRecords:
        """What jobs read and note."""
        from recortex.storage.records.maintenance import MaintenanceRecords

        return MaintenanceRecords(self.database)

    @property
    def exchange_words(self) -> Keywords:
        """How usual words are in what was said."""
        return self.keywords["exchanges"]

    @cached_property
    def exchanges(self) -> ExchangeRecords:
        """What was said in sessions."""
        return ExchangeRecords(self.database, self.keywords["exchanges"])

    @cached_property
    def exchange_search(self) -> ExchangeSearchRecords:
        """Search over what was said."""
        return ExchangeSearchRecords(self.database, self.keywords["exchanges"], self.vectors)

    @cached_property
    def exchange_vectors(self) -> ExchangeVectorRecords:
        """The vectors of what was said."""
        return ExchangeVectorRecords(self.database, self.vectors)

    @cached_property
    def documents(self) -> KeptDocuments:
        """Documents that were ingested."""
        found: KeptDocuments = _table("documents", "documents")(self.database, self.keywords["chunks"])
        return found

    @cached_property
    def chunk_search(self) -> ChunkSearch:
        """Search over the chunks of documents."""
        search: ChunkSearch = _table("documents", "chunk_search")(
            self.database, self.keywords["chunks"], self.vectors
        )
        return search

    @cached_property
    def chunk_vectors(self) -> OwnVectors[Chunk]:
        """The vectors of chunks."""
        vectors: OwnVectors[Chunk] = _table("documents", "chunk_vectors")(self.database, self.vectors)
        return vectors

    def records(self, kind: Callable[[Any], Opened]) -> Opened:
        """What a capability keeps in tables of its own: `kind` opens it with the database."""
        return kind(self.database)

    @abstractmethod
    def transaction(self, *, patience: float | None = None) -> AbstractContextManager[None]:
        """All writes inside are kept as a whole or not at all."""

    @abstractmethod
    def compact(self) -> None:
        """Rewrite what holds the memories without what was deleted, as far as that can be done from here."""

    def holding(self, text: str) -> list[str]:
        """Ids of the memories that hold a text now or held it in a former version."""
        return holding(self.database, text)

    def says(self, part: str) -> bool:
        """Whether a part of a text that was erased is rightly there, since something that stays holds it."""
        return bool(self.holding(part) or self.exchanges_holding(part) or self.chunks_holding(part))

    def chunks_holding(self, text: str) -> list[str]:
        """Ids of the chunks and documents that hold a text."""
        found = []
        for table in (CHUNKS, DOCUMENTS):
            condition, values = text_condition(text, table=table)
            sql = f"SELECT x.id FROM {table.name} x WHERE /*own x*/ ({condition}) ORDER BY x.key"
            found += [row[0] for row in self.database.rows(sql, values)]
        return found

    def exchanges_holding(self, text: str) -> list[str]:
        """Ids of the exchanges that hold a text."""
        condition, values = text_condition(text)
        sql = f"SELECT x.id FROM exchanges x WHERE /*own x*/ ({condition}) ORDER BY x.key"
        return [row[0] for row in self.database.rows(sql, values)]

    def exchanges_to_erase(self, texts: Sequence[str], text: str = "") -> list[str]:
        """Ids of the exchanges that erasing these texts takes along; `text`: the one that was asked for."""
        said = unsaid(texts, text)
        holding = (self.exchanges_holding, partial(shared_holding, self.database))
        return list(dict.fromkeys(id_ for one in said for found in holding for id_ in found(one)))

    def chunks_to_erase(self, texts: Sequence[str], text: str = "") -> list[str]:
        """Ids of the chunks and documents that erasing these texts takes along."""
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
        places: Sequence[str] = (),
        files: Callable[[], Sequence[Path]],
        now: datetime,
    ) -> Erasure:
        """Delete memories and exchanges, and what else holds the texts, here and in the backups.

        Then read the files.

        Of a server's own files, log and backups nothing is known here: who runs the server has to rotate
        them.

        Args:
            ids: of the memories.
            texts: what must not be found afterwards.
            text: what was asked for, if it was a text: it is taken out of relations and older backups too.
            exchanges: ids of exchanges that go too; their texts must not be found. Each leaves a tombstone.
            places: that nothing is imported from any more, as hashes. Each leaves a tombstone.
            files: lists the files to read afterwards.
            now: when it happened; a tombstone with a memory's id stays.
        """
        gone, texts = unsaid(texts, text), [*texts, *texts_of(self.exchanges.get(exchanges))]
        with self.transaction():
            for id_ in ids:
                key = self.memories.delete(id_)
                self.database.rows("DELETE FROM audit WHERE /*own*/ memory_key = ?", (key,))
                self.ledger.bury(key, id_, now)
            forget_replicated(self.database, [*ids, *exchanges])
            for id_ in (*exchanges, *places):
                self.ledger.bury(grave(id_), id_, now)
            if text:
                self.relations.strip_evidence(text)
            removed = self.exchanges.delete_found(among(exchanges))
            removed += sum(self.exchanges.delete_found(text_condition(one)) for one in gone)
            chunks = sum(
                self.documents.delete_holding(
                    text_condition(one, table=DOCUMENTS), text_condition(one, table=CHUNKS)
                )
                for one in gone
            )
            self.vectors.drop_unused()
        # Outside of the transaction, in which SQLite rewrites no file; before the files are read below.
        self.compact()
        backups = self.backups.erase(ids, gone, text=text, exchanges=exchanges)
        read = tuple(files())
        # Every byte of the files is read for the texts, in whatever case they stand there: what is left in a
        # free page, a log or a backup is no row that a query would find.
        parts = {part: part.decode("utf-8", "ignore") for text in texts for part in windows(folded(text))}
        wanted = [part for part, said in parts.items() if len(said) >= WINDOW // 8]
        total = 0
        held: dict[Path, list[bytes]] = {}
        with self.apart():
            for path in read:
                data = path.read_bytes() if path.is_file() else b""
                total += len(data)
                data = folded(data.decode("utf-8", "ignore")).encode()
                held[path] = [part for part in wanted if part in data]
        rightly = {
            part for part in {part for some in held.values() for part in some} if self.says(parts[part])
        }
        found = [path for path, some in held.items() if not rightly.issuperset(some)]
        return Erasure(total, read, tuple(found), backups, removed, chunks)
