"""Counts and questions in a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.time import to_micros
from recortex.metrics.figures import DAY, Asked, Histogram
from recortex.storage.database import Records, json, read, stored
from recortex.storage.tables import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from recortex.metrics.figures import Key


class Shares(NamedTuple):
    """The active memories of a store.

    Attributes:
        stale: of them, some of whose cited code is changed or gone.
        contradicted: of them, that another one contradicts.
        added: of them, recorded since a time.
    """

    active: int
    stale: int
    added: int
    contradicted: int


class MetricRecords(Records):
    """The counts of a store, and the questions that it was asked."""

    topic = "metrics"

    def add(self, counted: Mapping[Key, tuple[int, float]], asked: Sequence[Asked]) -> None:
        """Add to the counts, inside a transaction."""
        self._each("add", [(*key, *sums) for key, sums in counted.items()])
        self._each("ask", [stored(one, BY_NAME["questions"].names) for one in asked])

    def totals(self, since: datetime) -> dict[tuple[str, str], Histogram]:
        """What was counted from the day of a time on, by name and label."""
        found: dict[tuple[str, str], Histogram] = {}
        for name, label, bucket, times, total in self._rows("totals", int(since.timestamp()) // DAY):
            known = found.get((name, label), Histogram({}, 0.0))
            buckets = {**known.buckets, bucket: int(times)}
            found[name, label] = Histogram(buckets, known.total + total)
        return found

    def questions(self, since: datetime, limit: int) -> list[Asked]:
        """The last questions since a time, latest first."""
        rows = self._rows("questions", to_micros(since), limit)
        return [read(Asked, BY_NAME["questions"].names, row) for row in rows]

    def forget(self, before: datetime) -> None:
        """Delete what was counted before the day of a time, inside a transaction."""
        self._rows("forget", int(before.timestamp()) // DAY)
        self._rows("forget_questions", to_micros(before))

    # -- what memories tell by themselves

    def kinds(self) -> dict[str, tuple[int, float]]:
        """How many active memories of each kind, and their average confidence."""
        return {kind: (times, float(mean)) for kind, times, mean in self._rows("kinds")}

    def shares(self, since: datetime) -> Shares:
        """How the active memories stand."""
        active, stale, added = map(int, self._rows("standing", to_micros(since))[0])
        return Shares(active, stale, added, self._number("contradicted"))

    def waiting(self) -> int:
        """How many memories wait for the person's approval."""
        return self._number("waiting")

    def since_wrong(self, ids: Sequence[str]) -> int:
        """How many of these memories were replaced, or are contradicted."""
        return self._number("since_wrong", json(list(ids)))
