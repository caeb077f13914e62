"""A store of memories, as engines and operations use it, and its maintenance: checks, backups, purge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from recortex.ports.search import DocumentStore, ExchangeStore, SearchStore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from recortex.domain.maintenance import (
        AuditSummary,
        Checkpoint,
        Daily,
        Degradation,
        DegradationRecord,
        Erasure,
        Generation,
        Given,
        Integrity,
        MaintenanceRun,
        MemoryStatistics,
        OldAuditEntry,
        SizeSample,
        Standing,
        StoreContent,
        StoreSpace,
    )
    from recortex.domain.memory import (
        AuditEntry,
        Ending,
        FormerRelation,
        Gone,
        Memory,
        Relation,
        Role,
        SymbolLink,
        Tombstone,
        Verdict,
        Version,
    )
    from recortex.domain.reports import Check
    from recortex.domain.search import MemoryQuery, Neighbour, SearchText
    from recortex.domain.vocabulary import Actor, RelationType
    from recortex.ports.model import ModelCalls
    from recortex.ports.search import Sessions, Vectors


Opened = TypeVar("Opened")


class MemoryReader(Protocol):
    """Memories by id and by filter, now and at earlier recording times."""

    def get(self, ids: Sequence[str]) -> list[Memory]:
        """The memories with these ids, in that order; an id without one is left out."""

    def ids_beginning(self, prefix: str) -> list[str]:
        """At most three ids that begin with the prefix."""

    def find(self, query: MemoryQuery) -> list[Memory]:
        """The memories that pass, ordered and cut as the query says."""

    def any_untimely(self, at: datetime) -> bool:
        """Whether an active memory is not true in the world at a time."""

    def count(self, query: MemoryQuery) -> int:
        """How many memories pass the query; its limit is ignored."""

    def added_after(self, key: int, limit: int) -> list[tuple[int, str]]:
        """The memories that were added after the one with that key, with keys, in their order."""

    def counts(self) -> dict[str, dict[str, int]]:
        """How many memories there are by kind and status."""

    def same(self, *statements: Sequence[str]) -> list[str | None]:
        """The id of a living memory with one of the content hashes of each statement.

        The first is preferred.
        """

    def neighbours(self, session: str, first: int, last: int) -> list[Neighbour]:
        """The turns of a session from `first` to `last`, inclusive."""

    def history(self, memory_id: str) -> list[Version]:
        """All states of a memory, newest first."""

    def as_of(self, memory_id: str, at: datetime) -> Memory | None:
        """The state of a memory as it was recorded at that time; None where there was none."""

    def former(self, query: MemoryQuery, at: datetime) -> list[Memory]:
        """States that were recorded at that time, no longer hold, and pass the query."""


class Evidence(Protocol):
    """Where memories were learned."""

    def add_evidence(self, memory_id: str, place: bytes) -> bool:
        """Record where a memory was learned, as a hash of the place; False if that was recorded before."""

    def learned_at(self, place: bytes) -> list[str]:
        """The ids of the memories that were learned at a place."""

    def drop_evidence(self, memory_id: str, place: bytes) -> None:
        """Forget that a memory was learned at a place."""


class Memories(MemoryReader, Evidence, Protocol):
    """Memories read and written; writes happen inside a transaction of the store."""

    def insert(
        self, memory: Memory, search: SearchText, *, actor: Actor, reason: str = "", place: bytes = b""
    ) -> int:
        """Keep a new memory, and the hash of the place where it was learned; returns its key."""

    def insert_all(
        self, new: Sequence[tuple[Memory, SearchText, bytes]], *, actor: Actor, reason: str = ""
    ) -> list[int]:
        """The same for many, each with its search text and place; returns their keys in the same order."""

    def update(
        self, old: Memory, new: Memory, search: SearchText, *, actor: Actor, reason: str, keep_vector: bool
    ) -> Memory:
        """Replace a state, which becomes a version; returns the new state as kept.

        Args:
            old: the state that is replaced.
            new: the state that replaces it.
            search: what the new state is found by.
            actor: who changes it.
            reason: why.
            keep_vector: whether the memory's vector still fits.
        """

    def insert_versions(self, memory_id: str, versions: Sequence[Version]) -> None:
        """Keep former states that an import brings."""

    def delete(self, memory_id: str) -> int:
        """Remove a memory with its versions and relations; returns the key that it had."""

    def contradicting(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        """Pairs of active memories that contradict each other, at least one of each among these."""

    def sessions(self) -> list[str]:
        """The sessions that memories were learned in, the latest first."""

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        """Count an access to each."""

    def unchecked(self, before: datetime, limit: int) -> list[str]:
        """Ids of active memories that were not validated since, those that never were first."""

    def verdicts(self, ids: Sequence[str]) -> dict[str, str]:
        """What the last validation found, by id; those that never were validated are left out."""

    def check(self, checks: Sequence[Check], at: datetime) -> None:
        """Keep what a validation found; this is no new state of a memory."""


class Causes(Protocol):
    """What led to what, and what relations were."""

    def along(
        self,
        ids: Sequence[str],
        outgoing: Collection[RelationType],
        incoming: Collection[RelationType],
        *,
        min_strength: float,
        most: int,
    ) -> list[Relation]:
        """Active relations from some memories on, the strongest to each memory that is reached.

        Those types from source to target, these from target to source; at most so many, the strongest.
        """

    def former(self, ids: Sequence[str]) -> list[FormerRelation]:
        """What relations that begin or end at one of these memories were, without their evidence."""

    def prunable(self, weaker: float, before: datetime | None, limit: int) -> list[Relation]:
        """Causal relations that are weaker, and those that were inferred before a time and wait since."""

    def circular(self) -> list[Relation]:
        """A causal relation of each circle of a store that has no order of causes yet, the weakest."""

    def untangle(self, at: datetime) -> list[Relation]:
        """Let the weakest relation of each circle of causes wait for a person; returns these."""


class Relations(Causes, Protocol):
    """Relations between memories."""

    def put(self, relation: Relation, *, at: datetime | None = None) -> bool:
        """Keep a relation, or update the one of the same type between the same memories.

        What it was is kept where `at` says when it changes.

        Returns:
            Whether both memories exist.

        Raises:
            CausalCycleError: it would make a memory a cause of itself.
        """

    def put_all(self, relations: Sequence[Relation], refused: list[str] | None = None) -> int:
        """The same for many; returns how many were kept.

        Those that would make a memory a cause of itself are left out, and told to `refused`.
        """

    def remove(
        self,
        source_id: str,
        target_id: str,
        type_: RelationType | None = None,
        *,
        at: datetime | None = None,
        reason: Ending = "removed",
    ) -> list[RelationType]:
        """Remove the relations from one memory to another, of one type or of all.

        What they were is kept where `at` says when.
        """

    def find_touching(self, ids: Sequence[str]) -> list[Relation]:
        """Every relation that begins or ends at one of these memories."""

    def suggested(self, type_: RelationType, limit: int) -> list[Relation]:
        """Suggested relations of a type between active memories, waiting for a person, latest first."""

    def verdicts(self, memory_id: str) -> list[Verdict]:
        """What was read in the pairs of a memory, where neither of the two has changed since."""

    def judge(self, verdicts: Sequence[Verdict]) -> None:
        """Keep what was read in pairs, in place of what was read in them before."""

    def all(self) -> list[Relation]:
        """Every relation, oldest first."""

    def count(self) -> int:
        """How many relations there are."""


class Ledger(Protocol):
    """The audit log, tombstones, fallbacks and checkpoints of transcripts."""

    def record(self, entries: Sequence[AuditEntry]) -> None:
        """Append audit entries; the memories must still be there."""

    def entries(self, memory_id: str) -> list[AuditEntry]:
        """What happened to a memory, oldest first; also of a purged one."""

    def recent(self, limit: int) -> list[AuditEntry]:
        """What happened last, newest first."""

    def of_generation(self, generation: str) -> list[AuditEntry]:
        """Which memories were given to a generation of code, and whether its outcome was told, in order."""

    def bury(self, key: int, memory_id: str, at: datetime, *, reason: Gone = "purge") -> None:
        """Leave a tombstone of a memory that is deleted for good."""

    def buried(self, memory_id: str) -> Tombstone | None:
        """The tombstone of a memory, if it was deleted for good."""

    def degrade(self, event: Degradation, at: datetime) -> None:
        """Record a fallback; the same one again is only counted."""

    def works_again(self, component: str) -> None:
        """Record that a part that failed works again."""

    def degraded_since(self, at: datetime) -> Mapping[str, int]:
        """How often each part failed since a time."""

    def degradations(self) -> Sequence[DegradationRecord]:
        """Every kind of fallback seen, latest first."""

    def checkpoint(self, path: str) -> Checkpoint | None:
        """How far a transcript was read; None where it never was."""

    def save_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Record how far a transcript was read."""


class StatisticsReader(Protocol):
    """Reads the statistics of memories."""

    def fading(self, before: int) -> Sequence[MemoryStatistics]:
        """Active memories, not pinned, whose state and last access are not after that instant."""

    def resting(self, before: int) -> Sequence[MemoryStatistics]:
        """Archived memories, not pinned, whose state and last access are not after that instant."""

    def unconfirmed(self, before: int) -> Sequence[MemoryStatistics]:
        """Proposed memories, not pinned, whose state and last access are not after that instant."""

    def presentable(self, at: int) -> Sequence[MemoryStatistics]:
        """Active memories of trusted or derived origin that are true in the world at that instant."""

    def foremost(
        self, at: int, *, about: Sequence[int], ids: Sequence[str], sessions: Sequence[str]
    ) -> Sequence[MemoryStatistics]:
        """Those of `presentable` that may come first in a brief: all, unless the store is large.

        Args:
            at: the instant.
            about: keys of memories about what is being worked on.
            ids: of memories that proved useful.
            sessions: in which what is at hand was worked on.
        """

    def find_by_ids(self, ids: Sequence[str]) -> Sequence[MemoryStatistics]:
        """Those memories, whatever their status; those that are gone are left out."""

    def paths(self) -> Sequence[str]:
        """Every path that a memory is linked to."""

    def about(self, paths: Sequence[str]) -> Sequence[int]:
        """The keys of memories that are linked to one of these paths, in their order."""

    def find_active(self) -> Sequence[Standing]:
        """What tells how important each active memory is that is not pinned, but for what was given of it."""

    def given(self, since: int, until: int) -> Mapping[str, Given]:
        """What sessions got of each memory from an instant to another (microseconds), by its id."""

    def daily(self, since: int) -> Daily:
        """What happened on each day; what was given only from an instant on."""

    def generation(self) -> Generation:
        """What tells whether anything changed."""


class Store(Protocol):
    """A store of memories."""

    @property
    def memories(self) -> Memories:
        """The memories."""

    @property
    def relations(self) -> Relations:
        """The relations."""

    @property
    def ledger(self) -> Ledger:
        """The audit log and the other logs."""

    @property
    def vectors(self) -> Vectors:
        """The vectors."""

    @property
    def has_vectors(self) -> bool:
        """Whether likeness can be searched at all."""

    @property
    def statistics(self) -> StatisticsReader:
        """Statistics of the memories."""

    @property
    def sessions(self) -> Sessions:
        """The agent's sessions."""

    @property
    def model_calls(self) -> ModelCalls:
        """The record of calls of a language model."""

    def transaction(self, *, patience: float | None = None) -> AbstractContextManager[None]:
        """Commit all writes inside together, or none of them.

        Args:
            patience: seconds to wait for other writers; None waits as long as usual.
        """

    def close(self) -> None:
        """Close files and connections."""


class Lookalikes(Protocol):
    """Finds near-duplicates of a new memory."""

    def candidates(self, words: Sequence[str], *, terms: bool = False) -> list[tuple[str, str]]:
        """A few living memories that share some of these words: (id, text), the most similar first.

        Args:
            words: what is looked for.
            terms: let the additional search words count as well, which hold the pairs of CJK text.
        """

    def candidates_of_all(self, asked: Sequence[Sequence[str]]) -> list[list[tuple[str, str]]]:
        """As `candidates`, for the words of each of many new memories."""


# -- what the layers above need to keep of the symbols that memories hang on


class Symbols(Protocol):
    """Links of memories to symbols of code."""

    def find_links(self, ids: Sequence[str]) -> Mapping[str, Sequence[SymbolLink]]:
        """The links of memories, by the ids of those that have some."""

    def put(self, memory: Memory, links: Sequence[SymbolLink], role: Role = "about") -> None:
        """Put these links of one role in place of those that a memory has."""

    def looked(self, memory: Memory, said: str) -> None:
        """Note that a memory was looked at as it is; `said`: a hash of what it says of code."""

    def find_hashes(self, ids: Sequence[str]) -> Mapping[str, str]:
        """What memories said of code when they were looked at, as hashes, by their ids."""

    def unlinked(self, limit: int) -> Sequence[str]:
        """Ids of active and proposed memories that were not looked at as they are, the newest first."""

    def linked(self, limit: int) -> Sequence[str]:
        """Ids of active and proposed memories that hang on a symbol."""

    def hanging(self, path: str, names: Collection[str]) -> Sequence[tuple[str, Role, str]]:
        """The active memories on symbols of a file with plain names: id, role, qualified name."""


# -- A store with its maintenance: checks, backups, compaction and purge


class Copies(Protocol):
    """The backups of one store."""

    def make(self, now: datetime, *, reason: str = "manual", path: Path | None = None) -> Path:
        """Copy the store into a new file that its owner alone can read.

        Delete the oldest beyond the number to keep.

        Raises:
            PermissionsError: the folder cannot be written.
        """

    def all(self) -> list[Path]:
        """Every backup, oldest first."""

    def erase(
        self, ids: Sequence[str], texts: Sequence[str], *, text: str = "", exchanges: Sequence[str] = ()
    ) -> int:
        """Take memories and exchanges out of every backup, with what else holds the texts.

        Returns:
            How many backups there are.
        """


class Findable(SearchStore, Lookalikes, Protocol):
    """A store's search index."""


class Placed(Protocol):
    """Where a store is, and whether it can be worked with."""

    @property
    def shown(self) -> str:
        """Where it is, as shown to people, without a password."""

    @property
    def unwritable(self) -> str:
        """Why nothing can be written now; empty where nothing is known to be in the way."""

    @property
    def schema(self) -> int:
        """The newest migration applied."""


class KeptStore(Placed, Store, ExchangeStore, DocumentStore, Protocol):
    """A store with its exchanges, documents and symbols, and its maintenance."""

    @property
    def search(self) -> Findable:
        """Its search index."""

    def records(self, kind: Callable[[Any], Opened]) -> Opened:
        """What a capability keeps in tables of its own; `kind` opens it with the store's database."""

    @property
    def symbols(self) -> Symbols:
        """The symbols that memories hang on."""

    @property
    def backups(self) -> Copies:
        """Its backups."""

    @property
    def maintenance(self) -> MaintenanceRecords:
        """Which maintenance ran when, and what is old enough to delete."""

    @property
    def compaction(self) -> Compaction:
        """Gives unused space back."""

    def bytes(self) -> int:
        """Its size in bytes."""

    def check(self) -> Integrity:
        """Look for damage."""

    def holding(self, text: str) -> list[str]:
        """Ids of the memories with a text in their current state or in a former version."""

    def exchanges_to_erase(self, texts: Sequence[str], text: str = "") -> list[str]:
        """Ids of the exchanges that erasing these texts takes along.

        A short text is no proof that an exchange speaks of it, unless it is `text`, which was asked for.
        """

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
        """Delete memories everywhere, with the exchanges that hold the texts, and look for these afterwards.

        Args:
            ids: of the memories.
            texts: that must not be found afterwards.
            text: the text that was asked for, if any: it is removed from relations and older backups too.
            exchanges: ids of exchanges that go too.
            places: that nothing is imported from any more, as hashes.
            files: lists the files to search afterwards.
            now: the time on the tombstones that stay.
        """

    def empty_in_memory(self) -> KeptStore:
        """A new store in memory, gone when it is no longer used."""


# -- what maintenance needs from a store: what is old, how much space it takes, and how to reclaim it


EVERY_VERSION = 2**31
"""More versions than any memory has."""


class Expiry(Protocol):
    """Memories, versions and vectors that nobody needs, and old audit entries, which summaries replace.

    Deleting takes place inside a transaction.
    """

    def expired(self, before: datetime, limit: int) -> list[str]:
        """Ids of pruned memories that have not been used, changed or pinned since, oldest key first.

        Those that a living memory depends on are left out.
        """

    def count_expired(self, before: datetime) -> tuple[int, int]:
        """How many there are, and how many more stay because a living memory depends on them."""

    def surplus_versions(
        self, keep: int, limit: int, *, without: Sequence[str] = ()
    ) -> list[tuple[int, int]]:
        """Former states beyond the newest `keep` of a memory: (key of the memory, version).

        Args:
            keep: how many stay of each memory.
            limit: the most to return.
            without: ids of memories that will be deleted anyway.
        """

    def drop_versions(self, versions: Sequence[tuple[int, int]]) -> None:
        """Delete former states."""

    def unused_vectors(
        self, limit: int, *, without: Sequence[str] = (), keep: int = EVERY_VERSION
    ) -> list[int]:
        """Keys of vectors that no memory and no version has; never the newest vector.

        Args:
            limit: the most to return.
            without: ids of memories that will be deleted anyway.
            keep: former states of a memory that will stay.
        """

    def drop_vectors(self, keys: Sequence[int]) -> None:
        """Delete vectors, except those that a memory has by now."""

    def vector_sharing(self) -> tuple[int, int, int]:
        """Numbers of memories with a vector, of vectors, and of vectors that are kept twice."""

    def old_audit(self, before: datetime, limit: int) -> list[OldAuditEntry]:
        """The oldest entries before a time; never the log's very last entry."""

    def count_old_audit(self, before: datetime, *, more: bool = False) -> int:
        """How many there are.

        Args:
            before: as in `old_audit`.
            more: newer entries will follow before they are deleted.
        """

    def rotate(self, entries: Sequence[OldAuditEntry], summaries: Sequence[AuditSummary]) -> None:
        """Replace entries by summaries; inside a transaction."""

    def summaries(self) -> list[AuditSummary]:
        """Every summary, the oldest month first."""


class MaintenanceRecords(Expiry, Protocol):
    """When jobs ran, how the store grew, and all that maintenance deletes, inside a transaction."""

    def all(self) -> dict[str, MaintenanceRun]:
        """The last run of each job that ever ran, by the job's name."""

    def note(self, name: str, at: datetime, outcome: Mapping[str, int]) -> None:
        """Record that a job ran."""

    def sample(self, at: datetime, *, memories: int, size: int) -> None:
        """Record the store's size in bytes."""

    def samples(self, limit: int) -> list[SizeSample]:
        """The latest recorded sizes, newest first."""

    def content(self) -> StoreContent:
        """How much the store holds."""

    def archived(self) -> int:
        """How many memories are archived or pruned."""

    def old_degradations(self, before: datetime) -> int:
        """How many kinds of fallback were not seen since a time."""

    def forget_degradations(self, before: datetime) -> None:
        """Delete them."""

    def old_checkpoints(self, before: datetime) -> list[str]:
        """Transcripts that were last read before a time."""

    def forget_checkpoints(self, paths: Sequence[str]) -> None:
        """Delete the checkpoints of transcripts."""

    def old_sessions(self, before: datetime) -> int:
        """How many sessions were last seen before a time."""


class Compaction(Protocol):
    """Gives unused space back where the engine does not do so by itself."""

    def space(self) -> StoreSpace:
        """What the store takes."""

    def tidy(self, left: Callable[[], float]) -> dict[str, int]:
        """Return free pages, merge the keyword index, fold the log in; in steps, while seconds are left."""

    def waste(self) -> int:
        """Unused bytes that a rewrite would give back, also within pages; slower than `space`."""

    def obstacle(self) -> str:
        """Why the store cannot be rewritten now; empty where it can."""

    def rewrite(self) -> None:
        """Write the whole store anew without what was deleted; other writers wait for it."""
