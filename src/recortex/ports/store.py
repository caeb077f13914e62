"""What engines and operations need from a place where memories are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from recortex.domain.checkpoint import Checkpoint
    from recortex.domain.degradation import Degradation
    from recortex.domain.history import AuditEntry, Gone, Tombstone, Version
    from recortex.domain.memory import Memory
    from recortex.domain.query import MemoryQuery
    from recortex.domain.relation import Relation
    from recortex.domain.vocabulary import Actor, RelationType
    from recortex.ports.model import ModelCalls
    from recortex.ports.sessions import Sessions
    from recortex.ports.statistics import StatisticsReader


class SearchText(NamedTuple):
    """What a memory is found by beside its text, made when it is written.

    Attributes:
        terms: parts of identifiers and paths, CJK pairs.
        context: words of its neighbours in a dialogue.
        traits: what kind of text it is, as bits.
    """

    terms: str = ""
    context: str = ""
    traits: int = 0


class Turn(Protocol):
    """A turn of a dialogue near another one."""

    @property
    def turn(self) -> int:
        """Its position in the session."""

    @property
    def speaker(self) -> str:
        """Who said it."""

    @property
    def text(self) -> str:
        """What was said."""


class MemoryReader(Protocol):
    """Memories by id and by filter, now and at earlier recording times."""

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """The memories with these ids, in that order; an id without one is left out."""

    def ids_beginning(self, prefix: str) -> list[str]:
        """At most three ids that begin so."""

    def find(self, query: MemoryQuery) -> list[Memory]:
        """The memories that pass, ordered and cut as the query says."""

    def count(self, query: MemoryQuery) -> int:
        """How many pass or are there, the limit aside."""

    def counts(self) -> dict[str, dict[str, int]]:
        """How many memories there are by kind and status."""

    def same(self, *hashes: str) -> str | None:
        """The id of a living memory with one of these hashes, of which there are at most thirteen; the first one is preferred."""

    def neighbours(self, session: str, first: int, last: int) -> Sequence[Turn]:
        """The turns of a session from `first` to `last`, inclusive."""

    def history(self, memory_id: str) -> list[Version]:
        """The states of a memory, newest first."""

    def as_of(self, memory_id: str, at: datetime) -> Memory | None:
        """The state of a memory that was recorded at that time."""

    def former(self, query: MemoryQuery, at: datetime) -> list[Memory]:
        """The states that were recorded at that time, hold no longer, and pass the query."""


class Memories(MemoryReader, Protocol):
    """Memories read and written; writes happen inside a transaction of the store."""

    def insert(self, memory: Memory, search: SearchText, *, actor: Actor, reason: str = "") -> int:
        """Keep a new memory; returns its key."""

    def update(
        self, old: Memory, new: Memory, search: SearchText, *, actor: Actor, reason: str, keep_vector: bool
    ) -> Memory:
        """Put a new state in place of the old one, which becomes a version; returns the state as kept."""

    def insert_versions(self, memory_id: str, versions: Sequence[Version]) -> None:
        """Keep former states that came with an export."""

    def delete(self, memory_id: str) -> int:
        """Remove a memory with its versions and relations; returns the key that it had."""

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        """Count an access to each."""

    def add_evidence(self, memory_id: str, place: bytes) -> bool:
        """Note where a memory was learned; False when that place is known."""


class Relations(Protocol):
    """Relations between memories."""

    def put(self, relation: Relation) -> bool:
        """Keep one, or bring an equal one up to date."""

    def put_all(self, relations: Sequence[Relation]) -> int:
        """The same for many; returns how many have both ends."""

    def remove(self, source_id: str, target_id: str, type_: RelationType | None = None) -> list[RelationType]:
        """Remove the relations from one memory to another, of one type or of all."""

    def of(self, ids: Sequence[str]) -> list[Relation]:
        """Every relation that begins or ends at one of these memories."""

    def suggested(self, type_: RelationType, limit: int) -> list[Relation]:
        """Relations of a type between active memories that wait for a person, the latest first."""

    def all(self) -> list[Relation]:
        """Every relation, oldest first."""

    def count(self) -> int:
        """How many pass or are there, the limit aside."""


class DegradationRecord(Protocol):
    """A fall back, and when it happened."""

    @property
    def degradation(self) -> Degradation:
        """What failed, and what was used instead."""

    @property
    def first_at(self) -> datetime:
        """When it was first seen."""

    @property
    def last_at(self) -> datetime:
        """When it was last seen."""

    @property
    def times(self) -> int:
        """How often it was seen."""


class Ledger(Protocol):
    """The audit log, purged memories, degradations, extraction checkpoints."""

    def record(self, entries: Sequence[AuditEntry]) -> None:
        """Append audit entries; the memories must still be there."""

    def entries(self, memory_id: str) -> list[AuditEntry]:
        """What happened to a memory, oldest first; also of a purged one."""

    def recent(self, limit: int) -> list[AuditEntry]:
        """What happened last, newest first."""

    def bury(self, key: int, memory_id: str, at: datetime, *, reason: Gone = "purge") -> None:
        """Note that a memory was removed for good."""

    def buried(self, memory_id: str) -> Tombstone | None:
        """When and why a memory was removed for good, if it was."""

    def purged_at(self, memory_id: str) -> datetime | None:
        """When a memory was removed for good, if it was."""

    def degrade(self, event: Degradation, at: datetime) -> None:
        """Record a fall back; the same one again only counts."""

    def works_again(self, component: str) -> None:
        """Note that a part that failed does its work again."""

    def degradations(self) -> Sequence[DegradationRecord]:
        """Every kind of fall back seen, latest first."""

    def checkpoint(self, path: str) -> Checkpoint | None:
        """How far a transcript was read."""

    def save_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Note how far a transcript was read."""


class Reembedding(Protocol):
    """A change of the embedding model, or what is done of it; times in microseconds since 1970 UTC."""

    @property
    def started_at(self) -> int:
        """When it began."""

    @property
    def finished_at(self) -> int | None:
        """When the last memory had its vector; None while some are left."""

    @property
    def done(self) -> int:
        """Memories brought to it."""

    @property
    def milliseconds(self) -> int:
        """That it took, pauses included."""


class IndexState(NamedTuple):
    """How far an approximate index of the vectors goes, and what is wrong with it or missing; empty where nothing is."""

    vectors: int
    indexed: int
    problem: str = ""
    todo: str = ""


class Vectors(Protocol):
    """Vectors by the hash of what was embedded, shared by memories that say the same."""

    @property
    def available(self) -> bool:
        """Whether likeness can be searched at all."""

    def agrees(self) -> bool:
        """Whether every vector has its signs."""

    def keys_of(self, hashes: Sequence[bytes]) -> dict[bytes, int]:
        """The keys of those vectors that are kept already."""

    def put(self, model: str, codes: Mapping[bytes, bytes]) -> dict[bytes, int]:
        """Keep one, or bring an equal one up to date."""

    def attach(self, pairs: Sequence[tuple[str, int, bytes]], *, first: bool = False) -> None:
        """Give memories their vectors: (id, key of the vector, content hash that it was made for).

        Args:
            pairs: of memories and vectors; a memory whose text has changed since is left as it is.
            first: leave a memory as it is that has a vector.
        """

    def codes_of(self, ids: Sequence[str], model: str) -> dict[str, bytes]:
        """The vectors of memories by one embedder, as int8 codes."""

    def pending(self, limit: int, *, best_first: bool = False) -> list[str]:
        """Ids of memories that have no vector; the most important and most used first, which reads all of them."""

    def others(self, model: str) -> Mapping[int, str]:
        """Embedders besides that one of which there are vectors: their names by their keys."""

    def outdated(self, models: Collection[int], limit: int) -> list[str]:
        """Ids of memories with a vector by one of these embedders, the most important and most used first."""

    def count_outdated(self, models: Collection[int]) -> int:
        """How many memories have a vector by one of these embedders."""

    def made(self, model: str) -> int:
        """How many vectors of an embedder are kept: about as many as memories that have one."""

    def forget(self, model: str) -> int:
        """Delete an embedder's vectors, and how long they are; memories are left without them. Returns how many went."""

    def dimensions(self, model: str) -> int | None:
        """How long an embedder's vectors are; None where there are none."""

    def claimed(self) -> AbstractContextManager[bool]:
        """Hold the right to re-embed this store while inside, against other machines; False where one has it."""

    def reembedding(self, model: str) -> Reembedding | None:
        """How the last change to that embedder went; None where memories never had to be brought to it."""

    def reembedded(self, model: str, at: int, *, done: int, milliseconds: int) -> None:
        """Record that so many memories were brought to an embedder at a time, in microseconds since 1970 UTC."""

    def finish_reembedding(self, model: str, at: int) -> None:
        """Record that every memory has its vector of an embedder."""

    def drop_left_behind(self, models: Collection[int]) -> int:
        """Delete those vectors of embedders that no memory has, in short transactions; returns how many."""

    def count_pending(self) -> int:
        """How many memories have no vector."""

    def keep_index(self, *, threads: int = 1) -> int:
        """Make or extend what makes the search of many vectors quick; returns how many vectors were put in."""

    def index_state(self, *, thorough: bool = True) -> IndexState | None:
        """How the approximate index stands; None where the engine keeps it by itself, or too few vectors need none.

        Args:
            thorough: look at all of its content, half a second for a million vectors.
        """


class Store(Protocol):
    """One place where memories are kept."""

    @property
    def memories(self) -> Memories:
        """The memories."""

    @property
    def relations(self) -> Relations:
        """The relations."""

    @property
    def ledger(self) -> Ledger:
        """The logs."""

    @property
    def vectors(self) -> Vectors:
        """The vectors."""

    @property
    def standing(self) -> StatisticsReader:
        """How the memories stand."""

    @property
    def sessions(self) -> Sessions:
        """The agent's sessions."""

    @property
    def model_calls(self) -> ModelCalls:
        """What a language model was asked and paid."""

    def transaction(self, *, patience: float | None = None) -> AbstractContextManager[None]:
        """All writes inside are kept as a whole or not at all.

        Args:
            patience: seconds to wait for other writers, for what is not worth a long wait.
        """

    def close(self) -> None:
        """Give everything back to the system."""


class Lookalikes(Protocol):
    """Finds known memories that may say the same as a new one."""

    def candidates(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """A few living memories that share some of these words: (id, text), the most alike first."""
