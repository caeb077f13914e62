"""Statistics of memories: the columns that ageing and ranking need, without the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.statistics import Generation, MemoryStatistics
from recortex.storage.records.rows import json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.statistics import Arc
    from recortex.storage.database import Database


class StatisticsRecords:
    """Reads the statistics of memories."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sql = database.queries("statistics")

    def fading(self, before: int) -> list[MemoryStatistics]:
        """Active memories, not pinned, whose state and last access are not after that instant."""
        return self._statistics("fading", before)

    def resting(self, before: int) -> list[MemoryStatistics]:
        """Archived memories, not pinned, whose state and last access are not after that instant."""
        return self._statistics("resting", before)

    def presentable(self, at: int) -> list[MemoryStatistics]:
        """Active memories of trusted or derived origin that are true in the world at that instant."""
        return self._statistics("presentable", at)

    def of(self, ids: Sequence[str]) -> list[MemoryStatistics]:
        """Those memories, whatever their status."""
        sql = f"{self._sql['columns']} {self._sql['named']}"
        return list(map(MemoryStatistics._make, self._database.rows(sql, (json(list(ids)),))))

    def arcs(self) -> list[Arc]:
        """Every active relation."""
        return self._database.rows(self._sql["arcs"])

    def generation(self) -> Generation:
        """What tells whether anything changed."""
        return Generation(*self._database.rows(self._sql["generation"])[0])

    def _statistics(self, condition: str, instant: int) -> list[MemoryStatistics]:
        sql = f"{self._sql['columns']} {self._sql[condition]}"
        return list(map(MemoryStatistics._make, self._database.rows(sql, (instant,))))
