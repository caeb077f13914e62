"""Statistics of memories: the columns that ageing and ranking need, without the texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.statistics import Generation, Given, MemoryStatistics, Standing
from recortex.storage.database import Records
from recortex.storage.records.values import json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.statistics import Arc


class StatisticsRecords(Records):
    """Reads the statistics of memories."""

    topic = "statistics"

    def fading(self, before: int) -> list[MemoryStatistics]:
        """Active memories, not pinned, whose state and last access are not after that instant.

        What the project's own files say is none of them: it holds while it stands there.
        """
        return self._statistics("fading", before)

    def resting(self, before: int) -> list[MemoryStatistics]:
        """Archived memories, not pinned, whose state and last access are not after that instant."""
        return self._statistics("resting", before)

    def unconfirmed(self, before: int) -> list[MemoryStatistics]:
        """Proposed memories, not pinned, whose state and last access are not after that instant."""
        return self._statistics("unconfirmed", before)

    def presentable(self, at: int) -> list[MemoryStatistics]:
        """Active memories that are true in the world at that instant.

        Of untrusted origin only those that the project's own instruction files say.
        """
        return self._statistics("presentable", at)

    def of(self, ids: Sequence[str]) -> list[MemoryStatistics]:
        """Those memories, whatever their status."""
        return self._statistics("named", json(list(ids)))

    def arcs(self) -> list[Arc]:
        """Every active relation."""
        return self._rows("arcs")

    def cited(self) -> list[tuple[str, int]]:
        """Every path that an active memory is linked to, with the memory's key."""
        return [(path, key) for path, key in self._rows("cited")]

    def standing(self) -> list[Standing]:
        """What tells how important each active memory is that is not pinned, but for what was given of it."""
        return [Standing(*row) for row in self._rows("standing")]

    def given(self, since: int, until: int) -> dict[str, Given]:
        """What sessions got of each memory from an instant to another, by its id."""
        return {id_: Given(times, int(places)) for id_, times, places in self._rows("given", since, until)}

    def generation(self) -> Generation:
        """What tells whether anything changed."""
        return Generation(*self._rows("generation")[0])

    def _statistics(self, condition: str, value: int | str) -> list[MemoryStatistics]:
        sql = f"{self._sql['columns']} {self._sql[condition]}"
        return list(map(MemoryStatistics._make, self._database.rows(sql, (value,))))
