"""A store with everything that works on it."""

# ruff: noqa: TC004  annotations are not evaluated at run time, and their types are imported lazily

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from recortex.domain.vocabulary import Actor, Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.app.location import Location
    from recortex.domain.document import Chunk
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory
    from recortex.engines.documents.service import ChunkRetrieval
    from recortex.engines.exchanges.embedding import RecordEmbedding
    from recortex.engines.exchanges.service import ExchangeRetrieval
    from recortex.engines.ingestion.embedding import Embedding
    from recortex.engines.ingestion.service import Ingestion
    from recortex.engines.retrieval.service import Retrieval
    from recortex.ports.embedding import ChangeReader, NamedEmbedder, Reranker
    from recortex.ports.kept_store import KeptStore
    from recortex.settings import Settings


@dataclass(kw_only=True, eq=False, repr=False)
class StoreServices:
    """One store, wired. Services are imported when used, so that reading does not import the writing code.

    Attributes:
        scope: what is kept here: a project's memories or the person's own; None for a store that holds both.
        root: the folder that relative file paths refer to.
        location: the store's files.
        store: where the memories are.
        settings: those that hold for it: a project's own file does not change those of the person's store.
        embedder: makes vectors; None where they are switched off.
        count_tokens: counts the tokens of a text.
        new_id: makes the ids of new memories; None: at random.
        change_reader: reads two statements together; None where no model is wanted.
        reranker: reads a question with its answers; None where the person has no such model.
        facts: the file with the facts of the project's code; None for the person's own store.
    """

    scope: Scope | None
    root: Path
    location: Location
    store: KeptStore
    settings: Settings
    embedder: NamedEmbedder | None
    count_tokens: Callable[[str], int]
    new_id: Callable[[], str] | None = None
    change_reader: ChangeReader | None = None
    reranker: Reranker | None = None
    facts: Path | None = None

    @property
    def project(self) -> str:
        """The project's name; empty for a store that is not a project's alone."""
        return self.root.name if self.scope is Scope.PROJECT else ""

    @cached_property
    def ingestion(self) -> Ingestion:
        """Stores new and changed memories."""
        from recortex.engines.ingestion.service import Ingestion

        ids = {"new_id": self.new_id} if self.new_id else {}
        return Ingestion(self.store, self.store.search, count=self.count_tokens, **ids)

    @cached_property
    def embedding(self) -> Embedding:
        """Gives memories their vectors."""
        from recortex.engines.ingestion.embedding import Embedding

        return Embedding(self.store, self.embedder, project=self.project)

    @cached_property
    def retrieval(self) -> Retrieval:
        """Answers questions."""
        from recortex.engines.retrieval.service import Retrieval

        embedder = self.embedder if self.store.vectors.available else None
        times = self.settings["recall.times"]
        return Retrieval(
            self.store.search,
            embedder,
            times=times,
            reranker=self.reranker,
            contradicting=self.contradicting,
        )

    def contradicting(self, ids: Sequence[str], now: datetime) -> list[tuple[Memory, Memory]]:
        """Pairs of active memories that contradict each other, at least one of each among these.

        Their confidence is what is left of it.
        """
        pairs = self.store.relations.contradicting(ids)
        if not pairs:
            return []
        from recortex.domain.time import to_micros
        from recortex.engines.decay.present import faded

        ends = self.store.memories.get(list({id_ for pair in pairs for id_ in pair}))
        known = {one.id: one for one in faded(ends, self.store, to_micros(now))}
        return [(known[one], known[other]) for one, other in pairs if one in known and other in known]

    @cached_property
    def exchange_embedding(self) -> RecordEmbedding[Exchange]:
        """Gives exchanges their vectors."""
        from recortex.engines.exchanges.embedding import RecordEmbedding, embedded

        return RecordEmbedding(self.store, self.store.exchange_vectors, embedded, self.embedder)

    @cached_property
    def chunk_embedding(self) -> RecordEmbedding[Chunk]:
        """Gives chunks of documents their vectors."""
        from recortex.engines.documents.service import embedded
        from recortex.engines.exchanges.embedding import RecordEmbedding

        return RecordEmbedding(self.store, self.store.chunk_vectors, embedded, self.embedder)

    @cached_property
    def chunk_retrieval(self) -> ChunkRetrieval:
        """Answers questions from documents."""
        from recortex.engines.documents.service import ChunkRetrieval

        return ChunkRetrieval(self.store.chunk_search, self.count_tokens)

    @cached_property
    def exchange_retrieval(self) -> ExchangeRetrieval:
        """Answers questions from what was said in sessions."""
        from recortex.engines.exchanges.service import ExchangeRetrieval

        return ExchangeRetrieval(self.store.exchange_search, self.count_tokens)

    def retrieval_of(self, states: Sequence[Memory]) -> Retrieval:
        """Answers questions from former states.

        They get an index of their own in memory: they are few, and the store's index holds current states.
        """
        from recortex.engines.indexing.document import search_text
        from recortex.engines.ingestion.embedding import Embedding
        from recortex.engines.retrieval.service import Retrieval

        store = self.store.empty_in_memory()
        with store.transaction():
            for state in states:
                store.memories.insert(state, search_text(state), actor=Actor.SYSTEM)
        Embedding(store, self.embedder, project=self.project).embed(states)
        embedder = self.embedder if store.vectors.available else None
        return Retrieval(store.search, embedder, historical=True, times=self.settings["recall.times"])
