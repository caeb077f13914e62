"""What maintenance measures, removes and finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path


class MaintenanceRun(NamedTuple):
    """When a job last ran, and what it counted."""

    done_at: datetime
    outcome: Mapping[str, int]


class SizeSample(NamedTuple):
    """A store's size at a time, in microseconds since 1970 UTC."""

    at: int
    memories: int
    bytes: int


class OldAuditEntry(NamedTuple):
    """An audit entry that is to be summarised and deleted; `at` in microseconds since 1970 UTC."""

    seq: int
    operation: str
    actor: str
    at: int


class AuditSummary(NamedTuple):
    """How often an actor did an operation in a month.

    Attributes:
        month: `2026-03`, in UTC.
        first_at, last_at: of the entries, in microseconds since 1970 UTC.
    """

    month: str
    operation: str
    actor: str
    entries: int
    first_at: int
    last_at: int


class StoreSpace(NamedTuple):
    """What a store takes, in bytes.

    Attributes:
        total: with the write-ahead log.
        vectors: of that, the vectors with their signs.
        keyword_index: of that, the keyword index.
        free: of that, pages that hold nothing.
    """

    total: int
    vectors: int
    keyword_index: int
    free: int


class StoreContent(NamedTuple):
    """How much a store holds. A copy must hold as much; a difference tells that something changed."""

    schema: int
    memories: int
    versions: int
    relations: int
    vectors: int
    tombstones: int
    newest_audit: int
    exchanges: int = 0
    chunks: int = 0


class Integrity(NamedTuple):
    """What a check of a store found.

    Attributes:
        problems: one sentence each.
        index_whole: whether the keyword index is undamaged.
    """

    problems: tuple[str, ...]
    index_whole: bool

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems and self.index_whole


class Erasure(NamedTuple):
    """What was done to remove a text from a store, and the proof.

    Attributes:
        searched_bytes: read afterwards, looking for the text.
        files: that were read.
        traces: files in which something of the text was found.
        backups: how many were cleaned too.
        exchanges: how many held a text and are gone.
        chunks: likewise, of documents.
    """

    searched_bytes: int
    files: tuple[Path, ...]
    traces: tuple[Path, ...]
    backups: int
    exchanges: int = 0
    chunks: int = 0


# -- what happened when a part failed and another took over


@dataclass(frozen=True, slots=True)
class Degradation:
    """One fallback. The time is added by whoever records it.

    Attributes:
        component: the part that failed, as `status` names it ("embedding model", "token counter").
        failure: what went wrong, in one sentence.
        fallback: what is used instead.
        recovered: True when the part works again.
    """

    component: str
    failure: str
    fallback: str
    recovered: bool = False


class DegradationRecord(NamedTuple):
    """A fallback with when it was first and last seen, and how often."""

    degradation: Degradation
    first_at: datetime
    last_at: datetime
    times: int
