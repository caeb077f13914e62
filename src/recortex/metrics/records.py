"""What is counted, durations in buckets and questions, and how a store keeps it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.text import to_micros
from recortex.lean import Value
from recortex.storage.database import BY_NAME, Records, json, read, stored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


DAY = 86_400
BOUNDS = tuple(round(2 ** (step / 2) / 4, 3) for step in range(40))
"""Upper bounds of durations in milliseconds: a quarter of one to three minutes, each √2 times the one before.
A percentile lies in the bucket of the true one."""


class Key(NamedTuple):
    """What is counted: on which UTC day (since 1970), of what, with which label, in which bucket."""

    day: int
    name: str
    label: str
    bucket: int


class Histogram(NamedTuple):
    """What was counted of one thing.

    Attributes:
        buckets: how often, by bucket; the last one has what is above all bounds.
        total: the sum of all values.
    """

    buckets: Mapping[int, int]
    total: float

    @property
    def times(self) -> int:
        """How often anything was counted."""
        return sum(self.buckets.values())

    def at(self, share: float) -> float:
        """The duration that so large a share does not exceed, as far as the buckets tell; 0 for none."""
        wanted, below = share * self.times, 0
        for bucket, times in sorted(self.buckets.items()):
            if below + times >= wanted and times:
                low = BOUNDS[bucket - 1] if bucket else 0.0
                high = BOUNDS[bucket] if bucket < len(BOUNDS) else low
                # Between the bounds of a bucket, durations are taken as spread evenly.
                return low + (high - low) * (wanted - below) / times
            below += times
        return 0.0


def bucket_of(milliseconds: float) -> int:
    """The bucket of a duration."""
    # `bisect_left`, so that a duration equal to a bound belongs to its bucket.
    return bisect_left(BOUNDS, milliseconds)


class Asked(Value, frozen=True, kw_only=True):
    """A question without its words.

    Attributes:
        digest: of the words; the same question again has the same.
        length: in characters.
        results: memories, exchanges and parts of documents that answered; `tokens`: of all of them.
    """

    at: datetime
    digest: str
    operation: str
    intent: str
    recipe: str
    length: int
    milliseconds: int
    results: int
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KindCount:
    """The active memories of a kind, with their average confidence."""

    kind: str
    memories: int
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreMetrics:
    """A store's memories and size.

    Attributes:
        stale: active memories some of whose cited code is changed or gone.
        contradicted: active memories that another one contradicts.
    """

    scope: str
    kinds: tuple[KindCount, ...]
    active: int
    stale: int
    contradicted: int
    bytes: int


# -- what is counted


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
