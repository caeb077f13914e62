"""What regular upkeep needs from a store: what is old, what it takes, and the means to make room."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime


EVERY_VERSION = 2**31
"""More than any memory has."""


class MaintenanceRun(NamedTuple):
    """When a chore was last done, and what came of it."""

    done_at: datetime
    outcome: Mapping[str, int]


class Sample(NamedTuple):
    """A store's size at a time, in microseconds."""

    at: int
    memories: int
    bytes: int


class OldEntry(NamedTuple):
    """An entry of the audit log that is to go; `at` in microseconds."""

    seq: int
    operation: str
    actor: str
    at: int


class Summary(NamedTuple):
    """What was done in a month, how often, by whom.

    Attributes:
        month: `2026-03`, in UTC.
        first_at, last_at: of the entries, in microseconds.
    """

    month: str
    operation: str
    actor: str
    entries: int
    first_at: int
    last_at: int


class Space(NamedTuple):
    """What a store takes, in bytes.

    Attributes:
        total: with the write-ahead log.
        vectors: of that, the vectors with their signs.
        keyword_index: of that, what words are found by.
        free: of that, pages that hold nothing.
    """

    total: int
    vectors: int
    keyword_index: int
    free: int


class Content(NamedTuple):
    """How much a store holds: what a copy of it must hold too, and what tells that something changed."""

    schema: int
    memories: int
    versions: int
    relations: int
    vectors: int
    tombstones: int
    newest_audit: int


class MaintenanceRecords(Protocol):
    """What was done when, and what is old enough to go. What removes does so in chunks, inside a transaction."""

    def all(self) -> dict[str, MaintenanceRun]:
        """Each chore that was ever done, by its name."""

    def note(self, name: str, at: datetime, outcome: Mapping[str, int]) -> None:
        """Note that a chore was done."""

    def sample(self, at: datetime, *, memories: int, size: int) -> None:
        """Note the store's size."""

    def samples(self, limit: int) -> list[Sample]:
        """The newest sizes, latest first."""

    def old_audit(self, before: datetime, limit: int) -> list[OldEntry]:
        """The oldest entries of the audit log before a time; the very last entry of the log is none of them."""

    def count_old_audit(self, before: datetime, *, more: bool = False) -> int:
        """How many there are; `more`: newer entries will follow before they go."""

    def rotate(self, entries: Sequence[OldEntry], summaries: Sequence[Summary]) -> None:
        """Put summaries in the place of entries."""

    def summaries(self) -> list[Summary]:
        """Every summary, the oldest month first."""

    def expired(self, before: datetime, limit: int) -> list[str]:
        """Ids of pruned memories that nobody used, changed, pinned or stands on since that time, oldest key first."""

    def count_expired(self, before: datetime) -> tuple[int, int]:
        """How many there are, and how many more stay because a living memory stands on them."""

    def surplus_versions(
        self, keep: int, limit: int, *, without: Sequence[str] = ()
    ) -> list[tuple[int, int]]:
        """Former states beyond the newest `keep` of a memory: (key of the memory, version).

        Args:
            keep: that stay of each memory.
            limit: how many are named at most.
            without: ids of memories that will be gone.
        """

    def drop_versions(self, versions: Sequence[tuple[int, int]]) -> None:
        """Delete former states."""

    def unused_vectors(
        self, limit: int, *, without: Sequence[str] = (), keep: int = EVERY_VERSION
    ) -> list[int]:
        """Keys of vectors that no memory and no version has; the newest vector is none of them.

        Args:
            limit: how many are named at most.
            without: ids of memories that will be gone.
            keep: former states of a memory that will stay.
        """

    def drop_vectors(self, keys: Sequence[int]) -> None:
        """Delete vectors, but for those that a memory has by now."""

    def vector_sharing(self) -> tuple[int, int, int]:
        """How many memories have a vector, how many vectors there are, and how many of those are there twice."""

    def old_degradations(self, before: datetime) -> int:
        """How many kinds of fall back were not seen since a time."""

    def forget_degradations(self, before: datetime) -> None:
        """Delete them."""

    def old_checkpoints(self, before: datetime) -> list[str]:
        """Transcripts that were last read before a time."""

    def forget_checkpoints(self, paths: Sequence[str]) -> None:
        """Forget how far transcripts were read."""

    def old_sessions(self, before: datetime) -> int:
        """How many sessions were last seen before a time."""

    def content(self) -> Content:
        """How much there is."""

    def archived(self) -> int:
        """How many memories are archived or pruned."""


class Compaction(Protocol):
    """Making room where the engine does not do so by itself."""

    def space(self) -> Space:
        """What the store takes."""

    def tidy(self, left: Callable[[], float]) -> dict[str, int]:
        """Give free pages back, merge the keyword index, bring statistics up to date; in steps, while seconds are left."""

    def waste(self) -> int:
        """Bytes that hold nothing and that a rewrite would give back, also within pages; takes longer than `space`."""

    def obstacle(self) -> str:
        """Why the store cannot be rewritten now; empty where it can."""

    def rewrite(self) -> None:
        """Write the store anew without what was deleted; others wait for as long as it takes."""
