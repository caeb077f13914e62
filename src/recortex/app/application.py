"""An opened Recortex: stores, clock, settings and models, on which operations work."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from recortex import plugins
from recortex.app.projects import holds_secret
from recortex.domain.maintenance import Degradation
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor, AnyScope, Scope
from recortex.errors import (
    AmbiguousIdError,
    ChunkNotFoundError,
    ExchangeNotFoundError,
    MemoryNotFoundError,
    PermissionsError,
    StorageError,
    UntrustedFileError,
)
from recortex.lean import Struct, field, lazy_module, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    import apsw
    import blake3

    from recortex.app.projects import Location, Locations, Project
    from recortex.codebase import current_code
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory
    from recortex.domain.search import Alike, Chunk, ChunkHit, MemoryQuery, Recipe
    from recortex.engines import decay, indexing
    from recortex.engines import ingestion as normalisation
    from recortex.engines.exchanges import service as exchange_service
    from recortex.engines.ingestion import service as ingestion_service
    from recortex.engines.prompting.service import Adviser
    from recortex.engines.retrieval import service as retrieval_service
    from recortex.engines.retrieval.service import Meaning
    from recortex.ports.model import ChangeReader, NamedEmbedder, Reranker
    from recortex.ports.store import KeptStore
    from recortex.settings import Settings
    from recortex.telemetry import ToFile
    from recortex.text import tokens as text_tokens
else:
    text_tokens = lazy_module("recortex.text.tokens")
    apsw = lazy_module("apsw")
    blake3 = lazy_module("blake3")
    current_code = lazy_module("recortex.codebase.current_code")
    exchange_service = lazy_module("recortex.engines.exchanges.service")
    normalisation = lazy_module("recortex.engines.ingestion")
    retrieval_service = lazy_module("recortex.engines.retrieval.service")
    indexing = lazy_module("recortex.engines.indexing")
    ingestion_service = lazy_module("recortex.engines.ingestion.service")
    decay = lazy_module("recortex.engines.decay")


FULL_ID = 36
"""Characters of a whole id, which is looked up without a search by prefix."""


class Application(Struct, kw_only=True, eq=False, dict=True, weakref=True):
    """Stores are opened on first use, so that what needs only one pays for one.

    Attributes:
        project: the checkout that it works for, and the folder of its memory.
        locations: where each store is; one store under None holds both scopes.
        open_services: opens one.
        open_adviser: makes the language model ready, where one is set.
        warm: the embedding model is loaded: a question need not wait for it.
        start: the folder that it was opened in, which may lie in another working tree of the project.
        metered: is told how long each operation takes; None: nobody is.
    """

    settings: Settings
    project: Project
    locations: Locations
    open_services: Callable[[Scope | None, Location], StoreServices]
    clock: Callable[[], datetime]
    actor: Actor
    embedder: NamedEmbedder | None
    progress: Callable[[str, int, int], None]
    open_adviser: Callable[[Application], Adviser] | None = None
    warm: bool = False
    start: Path | None = None
    metered: ToFile | None = None
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _all_services: dict[Scope | None, StoreServices] = field(default_factory=dict)
    _unrecorded: list[Degradation] = field(default_factory=list)

    @property
    def root(self) -> Path:
        """The top folder of the project."""
        return self.project.root

    @property
    def limited(self) -> bool:
        """Whether the caller is an agent without the setting `agents.trusted`."""
        return self.actor is Actor.AGENT and not self.settings["agents.trusted"]

    def count_tokens(self, text: str) -> int:
        """The tokens of a text."""
        return self._tokens.count(text)

    @cached_property
    def _tokens(self) -> text_tokens.TokenCounter:
        return text_tokens.TokenCounter(on_degradation=self.degraded)

    @cached_property
    def tree(self) -> Path:
        """The top of the working tree that the application was opened in: a linked worktree's own."""
        return self.project.tree(self.start or self.root)

    def services(self, scope: AnyScope) -> StoreServices:
        """The store for a scope."""
        return self._services(None if None in self.locations else Scope(scope))

    def all_services(self, scope: AnyScope | None = None) -> list[StoreServices]:
        """The stores to read: one scope's, or all, the project's first.

        A store that was never made is left out.
        """
        keys = list(self.locations) if scope is None or None in self.locations else [Scope(scope)]
        return [
            self._services(key) for key in keys if key in self._all_services or not self.locations[key].absent
        ]

    def readable_services(self) -> list[StoreServices]:
        """The stores that can be read: a person's own that cannot be opened is left out.

        Raises:
            StorageError: the project's own cannot be opened.
        """
        found: list[StoreServices] = []
        for scope in self.locations:
            try:
                found += self.all_services(scope)
            except StorageError as error:
                if scope is not Scope.GLOBAL:
                    raise
                self.degraded(Degradation("global store", error.message, "the project's memories alone"))
        return found

    def _services(self, key: Scope | None) -> StoreServices:
        # A server's threads ask at the same time: one of them opens the store, the others get the same.
        with self._lock:
            if key not in self._all_services:
                self._all_services[key] = self.open_services(key, self.locations[key])
                for event in self._unrecorded:
                    self._record(self._all_services[key], event)
                self._unrecorded.clear()
            return self._all_services[key]

    def services_at(self, location: Location) -> StoreServices:
        """The store at a location of this application."""
        return self._services(next(key for key, one in self.locations.items() if one == location))

    @cached_property
    def adviser(self) -> Adviser | None:
        """The language model that helps to learn; None where none is set."""
        return self.open_adviser(self) if self.open_adviser else None

    @property
    def embedder_name(self) -> str:
        """The name of the embedder that answered last, or that is preferred.

        Nothing is loaded or asked for it.
        """
        return self.embedder.active_name if self.embedder else "none"

    def probe_embedder(self) -> str:
        """Make one vector; returns the name of the embedder that could.

        Raises:
            EmbeddingError: none could.
        """
        name = self.embedder.embed_named(["probe"]).name if self.embedder else "none"
        self.warm = True
        return name

    def locate(self, memory_id: str) -> tuple[StoreServices, Memory]:
        """The memory with an id, or with one that begins so and is the only one, and its store.

        Raises:
            MemoryNotFoundError: there is none.
            AmbiguousIdError: several begin so.
        """
        found = self.memories_beginning(memory_id)
        if not found:
            said = "An exchange has it: `remember --from ID` (`from_exchange`) makes a memory of that."
            hint = said if self.exchanges_beginning(memory_id) else None
            raise MemoryNotFoundError(f"There is no memory with the id {memory_id[:40]!r}.", hint=hint)
        if len(found) > 1 and len({id_ for _, id_ in found}) == 1:  # in both stores: a move was interrupted
            raise AmbiguousIdError(
                f"The memory {found[0][1]} is in the project's store and in the global one.",
                hint=f"Finish what was begun: recortex move {found[0][1]} --to global (or project).",
            )
        services, id_ = _only(found, "memories", memory_id)
        return services, services.store.memories.get([id_])[0]

    def locate_exchange(self, exchange_id: str) -> tuple[StoreServices, Exchange]:
        """The exchange with an id, or with one that begins so and is the only one, and its store.

        Raises:
            ExchangeNotFoundError: there is none.
            AmbiguousIdError: several begin so.
        """
        found = self.exchanges_beginning(exchange_id)
        if not found:
            raise ExchangeNotFoundError(f"There is no exchange with the id {exchange_id[:40]!r}.")
        services, id_ = _only(found, "exchanges", exchange_id)
        return services, services.store.exchanges.get([id_])[0]

    def locate_chunk(self, chunk_id: str) -> tuple[StoreServices, Chunk]:
        """The part of a document with an id, or with one that begins so and is the only one, and its store.

        Raises:
            ChunkNotFoundError: there is none.
            AmbiguousIdError: several begin so.
        """
        wanted = chunk_id.strip().lower()
        found = [
            (services, id_)
            for services in self.all_services(Scope.PROJECT)
            for id_ in services.store.documents.ids_beginning(wanted)
        ]
        if not found:
            raise ChunkNotFoundError(f"No part of a document has the id {chunk_id[:40]!r}.")
        services, id_ = _only(found, "parts of documents", chunk_id)
        return services, services.store.documents.chunks([id_])[0]

    def memories_beginning(self, prefix: str) -> list[tuple[StoreServices, str]]:
        """The ids of memories that begin so, a few of them, each with its store."""
        wanted = prefix.strip().lower()
        return [
            (services, id_)
            for services in (self.all_services() if wanted else ())
            for id_ in self._ids(services, wanted)
        ]

    def exchanges_beginning(self, prefix: str) -> list[tuple[StoreServices, str]]:
        """The ids of exchanges that begin so, a few of them, each with its store.

        Only the id of a memory has hyphens.
        """
        wanted = prefix.strip().lower()
        if not wanted or "-" in wanted:
            return []
        return [
            (services, id_)
            for services in self.all_services(Scope.PROJECT)
            for id_ in services.store.exchanges.ids_beginning(wanted)
        ]

    def _ids(self, services: StoreServices, wanted: str) -> Sequence[str]:
        if len(wanted) == FULL_ID:
            return [memory.id for memory in services.store.memories.get([wanted])]
        return services.store.memories.ids_beginning(wanted)

    def degraded(self, event: Degradation) -> None:
        """Record a fall back in the project's store, or as soon as one is open."""
        if self._all_services:
            self._record(next(iter(self._all_services.values())), event)
        else:
            self._unrecorded.append(event)

    def works_again(self, component: str) -> None:
        """Note in the open stores that a part that failed does its work again."""
        for services in self._all_services.values():
            with suppress(PermissionsError):
                services.store.ledger.works_again(component)

    def _record(self, services: StoreServices, event: Degradation) -> None:
        with suppress(PermissionsError):  # a disk that is full keeps nothing, and answers all the same
            services.store.ledger.degrade(replace(event, failure=event.failure[:500]), self.clock())

    @property
    def unwritten(self) -> list[str]:
        """A line on each open store that cannot be written, so that nothing new is kept in it."""
        return [
            f"The store {services.store.shown} cannot be written: {why}. "
            "What is in it is told; nothing new is kept."
            for services in self._all_services.values()
            if (why := services.store.unwritable)
        ]

    def close(self) -> None:
        """Close every store."""
        if self.metered:
            self.metered.flush()
        for services in self._all_services.values():
            services.store.close()
        self._all_services.clear()


def _only(found: list[tuple[StoreServices, str]], what: str, wanted: str) -> tuple[StoreServices, str]:
    """The one thing whose id begins so.

    Raises:
        AmbiguousIdError: there are several.
    """
    if len(found) > 1:
        raise AmbiguousIdError(f"Several {what} have ids that begin with {wanted[:40]!r}.")
    return found[0]


class ChunkAnswers(Protocol):
    """What answers questions from a store's documents."""

    def recall(
        self,
        question: str,
        *,
        limit: int,
        now: datetime,
        meaning: Meaning,
        recipe: Recipe = "hybrid",
        only: MemoryQuery | None = None,
        floor: bool = True,
        task: bool = False,
    ) -> list[ChunkHit]:
        """The chunks that answer, best first, each by the lines that do; none where no document can."""

    def nearest(self, question: str, *, limit: int, now: datetime, meaning: Meaning) -> list[ChunkHit]:
        """The best chunks, however weak, with the probability of the store's answer as their scores."""

    def for_frame(
        self, task: str, *, now: datetime, meaning: Meaning, only: MemoryQuery
    ) -> tuple[int, Iterator[tuple[Chunk, float]]]:
        """How many chunks bear on a task; and these with their scores, best first."""

    def with_freshness(self, hits: Sequence[ChunkHit]) -> list[ChunkHit]:
        """The hits, each with whether its document still reads as it did."""

    def embedded(self, chunk: Chunk) -> tuple[str]:
        """The text of which a chunk's vector is made."""

    def alike(self, question: str, paths: Collection[str], behind: float) -> list[Alike]:
        """Those of some documents that are likest to a question, likest first; none without vectors."""


# -- A store with everything that works on it


class StoreServices(Struct, kw_only=True, eq=False, dict=True, weakref=True):
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
    def ingestion(self) -> ingestion_service.Ingestion:
        """Stores new and changed memories."""
        ids = {"new_id": self.new_id} if self.new_id else {}
        search, count = self.store.search, self.count_tokens
        return ingestion_service.Ingestion(self.store, search, count=count, **ids)

    @cached_property
    def embedding(self) -> normalisation.Embedding:
        """Gives memories their vectors."""
        return normalisation.Embedding(self.store, self.embedder, project=self.project)

    def catch_up(self, limit: int) -> None:
        """Embed at most `limit` memories that have no vector, such as those that a killed process left."""
        if self.embedder and self.store.has_vectors and (ids := self.store.vectors.pending(limit)):
            self.embedding.embed(self.store.memories.get(ids))

    @cached_property
    def retrieval(self) -> retrieval_service.Retrieval:
        """Answers questions."""
        embedder = self.embedder if self.store.has_vectors else None
        times = self.settings["recall.times"]
        return retrieval_service.Retrieval(
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
        pairs = self.store.memories.contradicting(ids)
        if not pairs:
            return []
        ends = self.store.memories.get(list({id_ for pair in pairs for id_ in pair}))
        known = {one.id: one for one in decay.faded(ends, self.store, to_micros(now))}
        return [(known[one], known[other]) for one, other in pairs if one in known and other in known]

    @cached_property
    def exchange_embedding(self) -> normalisation.RecordEmbedding[Exchange]:
        """Gives exchanges their vectors."""
        return normalisation.RecordEmbedding(
            self.store, self.store.exchange_vectors, exchange_service.embedded, self.embedder
        )

    @cached_property
    def chunk_embedding(self) -> normalisation.RecordEmbedding[Chunk]:
        """Gives chunks of documents their vectors."""
        embedded = self.chunk_retrieval.embedded
        return normalisation.RecordEmbedding(self.store, self.store.chunk_vectors, embedded, self.embedder)

    @cached_property
    def chunk_retrieval(self) -> ChunkAnswers:
        """Answers questions from documents."""
        answers: ChunkAnswers = plugins.load(plugins.capability("documents").answer)(self)
        return answers

    @cached_property
    def exchange_retrieval(self) -> exchange_service.ExchangeRetrieval:
        """Answers questions from what was said in sessions."""
        return exchange_service.ExchangeRetrieval(self.store.exchange_search, self.count_tokens)

    def retrieval_of(self, states: Sequence[Memory]) -> retrieval_service.Retrieval:
        """Answers questions from former states.

        They get an index of their own in memory: they are few, and the store's index holds current states.
        """
        store = self.store.empty_in_memory()
        with store.transaction():
            for state in states:
                store.memories.insert(state, indexing.search_text(state), actor=Actor.SYSTEM)
        normalisation.Embedding(store, self.embedder, project=self.project).embed(states)
        embedder = self.embedder if store.has_vectors else None
        return retrieval_service.Retrieval(
            store.search, embedder, historical=True, times=self.settings["recall.times"]
        )


# -- the project's code as it is


def open_code(
    facts: Path | None, tree: Path, *, parse: bool = True, make: bool = False
) -> current_code.CurrentCode | None:
    """The code of a working tree; None where it was never read, or its facts cannot be opened.

    Args:
        facts: the file of the project's facts.
        tree: the top folder.
        parse: whether what changed is read; otherwise it is not known.
        make: also where the code was never read.
    """
    if facts is None or not (make or facts.is_file()):
        return None
    try:
        return current_code.CurrentCode(tree, facts, parse=parse, hidden=holds_secret)
    except (OSError, UntrustedFileError, apsw.Error):
        return None


# -- tells apart the projects that share one store, for memories that follow a project's own files


PROJECT = "of"
"""Where the metadata of such a memory names its project, in a store that several may share."""
_MARK_LENGTH = 16


def mark_of(services: StoreServices) -> Mapping[str, str]:
    """What marks this project's memories; empty where the store is its own."""
    if services.scope is not None or services.location.remote:
        return {}
    return {PROJECT: blake3.blake3(str(services.root).encode("utf-8", "replace")).hexdigest()[:_MARK_LENGTH]}


def is_own(noted: Mapping[str, Any], mark: Mapping[str, str]) -> bool:
    """Whether what is noted of a file or commit is of the project with this mark."""
    return bool(noted.get(PROJECT, "") == mark.get(PROJECT, ""))
