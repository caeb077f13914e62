"""What maintenance needs from a store: what is old, how much space it takes, and how to reclaim it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.maintenance import (
        AuditSummary,
        MaintenanceRun,
        OldAuditEntry,
        SizeSample,
        StoreContent,
        StoreSpace,
    )

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
