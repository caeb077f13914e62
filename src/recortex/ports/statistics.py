"""What ageing, ranking and walking need of many memories at once: a few columns of each, never their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    Arc = tuple[int, int, int]


class MemoryStatistics(NamedTuple):
    """How a memory stands, read from its row without the text. Instants are microseconds since 1970 UTC.

    Attributes:
        key: of its row, which relations refer to.
        confidence: the stored base, 0 to 1; decay is computed from it.
        updated_at: since when this state holds.
        last_accessed_at: None where it was never recalled.
        patterns: how many code patterns it is linked to.
        content_hash: equal for equal memories, also of different stores.
        branch: that it was learned on; empty where none is known.
    """

    key: int
    id: str
    kind: str
    status: str
    confidence: float
    priority: int
    pinned: int
    recorded_at: int
    updated_at: int
    validated_at: int | None
    last_accessed_at: int | None
    access_count: int
    patterns: int
    content_hash: bytes = b""
    branch: str = ""


class Generation(NamedTuple):
    """Numbers of which at least one changes with every change of what is kept; accesses do not count."""

    audited: int
    memories: int
    purged: int


class StatisticsReader(Protocol):
    """How memories stand."""

    def fading(self, before: int) -> Sequence[MemoryStatistics]:
        """Active memories, not pinned, whose state and last access are not after that instant."""

    def resting(self, before: int) -> Sequence[MemoryStatistics]:
        """Archived memories, not pinned, whose state and last access are not after that instant."""

    def presentable(self, at: int) -> Sequence[MemoryStatistics]:
        """Active memories of trusted or derived origin that are true in the world at that instant."""

    def of(self, ids: Sequence[str]) -> Sequence[MemoryStatistics]:
        """Those memories, whatever their status; those that are gone are left out."""

    def arcs(self) -> Sequence[Arc]:
        """Every active relation: the keys of source and target, and whether it holds both ways."""

    def generation(self) -> Generation:
        """What tells whether anything changed."""
