"""What engines and operations need from a place where memories are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from recortex.domain.checkpoint import Checkpoint
    from recortex.domain.degradation import Degradation
    from recortex.domain.history import AuditEntry, Version
    from recortex.domain.memory import Memory
    from recortex.domain.query import MemoryQuery
    from recortex.domain.relation import Relation
    from recortex.domain.vocabulary import Actor, RelationType


class SearchText(NamedTuple):
    """What a memory is found by beside its text, made when it is written.

    Attributes:
        terms: parts of identifiers and paths, CJK pairs.
        context: words of its neighbours in a dialogue.
    """

    terms: str = ""
    context: str = ""


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

    def get(self, ids: Sequence[str]) -> list[Memory]: ...
    def ids_beginning(self, prefix: str) -> list[str]: ...
    def find(self, query: MemoryQuery) -> list[Memory]: ...
    def count(self, query: MemoryQuery) -> int: ...
    def counts(self) -> dict[str, dict[str, int]]: ...
    def same(self, content_hash: str) -> str | None: ...
    def neighbours(self, session: str, first: int, last: int) -> Sequence[Turn]: ...
    def history(self, memory_id: str) -> list[Version]: ...
    def as_of(self, memory_id: str, at: datetime) -> Memory | None: ...


class Memories(MemoryReader, Protocol):
    """Memories read and written; writes happen inside a transaction of the store."""

    def insert(self, memory: Memory, search: SearchText, *, actor: Actor, reason: str = "") -> int: ...
    def update(
        self, old: Memory, new: Memory, search: SearchText, *, actor: Actor, reason: str, keep_vector: bool
    ) -> Memory: ...
    def delete(self, memory_id: str) -> int: ...
    def touch(self, ids: Sequence[str], at: datetime) -> None: ...
    def add_evidence(self, memory_id: str, place: bytes) -> bool: ...


class Relations(Protocol):
    """Relations between memories."""

    def put(self, relation: Relation) -> bool: ...
    def remove(
        self, source_id: str, target_id: str, type_: RelationType | None = None
    ) -> list[RelationType]: ...
    def of(self, ids: Sequence[str]) -> list[Relation]: ...
    def all(self) -> list[Relation]: ...
    def count(self) -> int: ...


class DegradationRecord(Protocol):
    """A fall back, and when it happened."""

    @property
    def degradation(self) -> Degradation: ...
    @property
    def first_at(self) -> datetime: ...
    @property
    def last_at(self) -> datetime: ...
    @property
    def times(self) -> int: ...


class Ledger(Protocol):
    """The audit log, purged memories, degradations, extraction checkpoints."""

    def record(self, entries: Sequence[AuditEntry]) -> None: ...
    def entries(self, memory_id: str) -> list[AuditEntry]: ...
    def recent(self, limit: int) -> list[AuditEntry]: ...
    def bury(self, key: int, memory_id: str, at: datetime) -> None: ...
    def purged_at(self, memory_id: str) -> datetime | None: ...
    def degrade(self, event: Degradation, at: datetime) -> None: ...
    def degradations(self) -> Sequence[DegradationRecord]: ...
    def checkpoint(self, path: str) -> Checkpoint | None: ...
    def save_checkpoint(self, checkpoint: Checkpoint) -> None: ...


class Pending(NamedTuple):
    """A memory that waits for its vector."""

    key: int
    memory: Memory
    around: Sequence[Turn]


class Vectors(Protocol):
    """Vectors by the hash of what was embedded, shared by memories that say the same."""

    @property
    def available(self) -> bool: ...
    def get_many(self, hashes: Sequence[bytes]) -> dict[bytes, bytes]: ...
    def put_many(self, vectors: dict[bytes, bytes]) -> None: ...
    def attach(self, keys: Sequence[tuple[int, bytes]]) -> None: ...
    def pending(self, limit: int) -> list[Pending]: ...
    def count_pending(self) -> int: ...


class Store(Protocol):
    """One place where memories are kept."""

    @property
    def memories(self) -> Memories: ...
    @property
    def relations(self) -> Relations: ...
    @property
    def ledger(self) -> Ledger: ...
    def transaction(self) -> AbstractContextManager[None]: ...
    def close(self) -> None: ...
