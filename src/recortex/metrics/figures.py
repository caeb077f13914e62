"""What is counted: durations in buckets, by which percentiles are known; questions; memories."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from recortex.lean import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

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
                return low + (high - low) * (wanted - below) / times
            below += times
        return 0.0


def bucket_of(milliseconds: float) -> int:
    """The bucket of a duration."""
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
