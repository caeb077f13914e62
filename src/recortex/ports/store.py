"""What engines and operations need from a place where memories are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from recortex.domain.checkpoint import Checkpoint
    from recortex.domain.degradation import Degradation
    from recortex.domain.history import AuditEntry, Version
    from recortex.domain.memory import Memory
    from recortex.domain.query import MemoryQuery
    from recortex.domain.relation import Relation
    from recortex.domain.vocabulary import Actor, RelationType
    from recortex.ports.model import ModelCalls
    from recortex.ports.sessions import Sessions
    from recortex.ports.standing import Standings


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

    def same(self, content_hash: str) -> str | None:
        """The id of a living memory with that hash."""

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

    def bury(self, key: int, memory_id: str, at: datetime) -> None:
        """Note that a memory was purged."""

    def purged_at(self, memory_id: str) -> datetime | None:
        """When a memory was purged, if it was."""

    def degrade(self, event: Degradation, at: datetime) -> None:
        """Record a fall back; the same one again only counts."""

    def degradations(self) -> Sequence[DegradationRecord]:
        """Every kind of fall back seen, latest first."""

    def checkpoint(self, path: str) -> Checkpoint | None:
        """How far a transcript was read."""

    def save_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Note how far a transcript was read."""


class Vectors(Protocol):
    """Vectors by the hash of what was embedded, shared by memories that say the same."""

    @property
    def available(self) -> bool:
        """Whether likeness can be searched at all."""

    def keys_of(self, hashes: Sequence[bytes]) -> dict[bytes, int]:
        """The keys of those vectors that are kept already."""

    def put(self, model: str, codes: Mapping[bytes, bytes]) -> dict[bytes, int]:
        """Keep one, or bring an equal one up to date."""

    def attach(self, pairs: Sequence[tuple[str, int, bytes]]) -> None:
        """Give memories their vectors: (id, key of the vector, content hash that it was made for)."""

    def codes_of(self, ids: Sequence[str], model: str) -> dict[str, bytes]:
        """The vectors of memories by one embedder, as int8 codes."""

    def pending(self, model: str, limit: int) -> list[str]:
        """Ids of memories that wait for a vector of that embedder."""

    def count_pending(self) -> int:
        """How many memories have no vector."""


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
    def standing(self) -> Standings:
        """How the memories stand."""

    @property
    def sessions(self) -> Sessions:
        """The agent's sessions."""

    @property
    def model_calls(self) -> ModelCalls:
        """What a language model was asked and paid."""

    def transaction(self) -> AbstractContextManager[None]:
        """All writes inside are kept as a whole or not at all."""

    def close(self) -> None:
        """Give everything back to the system."""


class Lookalikes(Protocol):
    """Finds known memories that may say the same as a new one."""

    def candidates(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """A few living memories that share some of these words: (id, text), the most alike first."""
