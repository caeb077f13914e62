"""Statistics of many memories at once: a few columns of each, never their texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.statistics import Arc, Generation, MemoryStatistics


class StatisticsReader(Protocol):
    """Reads the statistics of memories."""

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
