"""What is counted, durations in buckets and questions, and how a store keeps it."""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.app.jobs import Job, Outcome
from recortex.domain.text import to_micros
from recortex.errors import PermissionsError, UntrustedFileError
from recortex.filesystem import alone, read_own
from recortex.lean import Value
from recortex.storage import database
from recortex.storage.database import BY_NAME, Records, read, stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recortex.app.application import StoreServices
    from recortex.app.jobs import Work


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
        return self._number("since_wrong", database.json(list(ids)))


# -- counts the lines in which operations, jobs and hooks say how long they took


MOST_BYTES = 4 * 1024 * 1024
MOST_RESULTS = 50
MOST_WORDS = 40
"""Characters of a label: names of operations, events and jobs are shorter."""


def count_timings(services: StoreServices) -> int:
    """Add the timings of a project to the counts of its store; returns how many lines there were.

    A line is counted once or, where the process is killed just then, not at all; where nothing can be
    written, as on a full disk, all wait.
    """
    timings = services.location.timings
    taken = timings.with_name(f"{timings.name}.taken")
    lock = services.location.place("locks") / "metrics.lock"
    lines: list[bytes] = []
    with suppress(OSError, UntrustedFileError, PermissionsError):
        lock.parent.mkdir(mode=0o700, exist_ok=True)
        # Two processes would count the same lines twice.
        with alone(lock) as free:
            if not free:
                return 0
            # What an earlier process took and could not count comes first.
            if not taken.exists():
                os.replace(timings, taken)  # noqa: PTH105  a process that has it open still writes to it
            lines = read_own(taken, MOST_BYTES).splitlines()
            counted, asked = counts(lines)
            with services.store.transaction():
                services.store.records(MetricRecords).add(counted, asked)
                taken.unlink()
    return len(lines)


def pending(services: StoreServices) -> tuple[dict[Key, tuple[int, float]], list[Asked]]:
    """What the timings of a project add up to that are not counted yet; nothing is written.

    Looking must not write: the first write to a store that lost its end hides that it did.
    """
    timings, lines = services.location.timings, list[bytes]()
    for path in (timings.with_name(f"{timings.name}.taken"), timings):
        with suppress(OSError, UntrustedFileError):
            lines += read_own(path, MOST_BYTES).splitlines()
    return counts(lines)


def counts(lines: Iterable[bytes]) -> tuple[dict[Key, tuple[int, float]], list[Asked]]:
    """What some lines add up to, and the questions among them; what cannot be read is left out."""
    found: defaultdict[Key, list[float]] = defaultdict(lambda: [0, 0.0])
    asked = []
    for line in lines:
        # Lines of another version, or half a line of a killed process, are left out.
        with suppress(ValueError, TypeError, AttributeError, KeyError, OverflowError, RecursionError):
            at, name, label, took, error, fields = json.loads(line)
            # By the day in UTC, so that the counts of machines in several zones add up.
            day, label = int(at) // DAY, str(label)[:MOST_WORDS]
            values = [(Key(day, str(name), label, bucket_of(took)), float(took))]
            if error:
                values.append((Key(day, f"{name}_failed", label, 0), 1.0))
            values += [(Key(day, what, label, bucket), value) for what, bucket, value in _measured(fields)]
            if "digest" in fields:
                asked.append(_asked(at, label, took, fields))
            for key, value in values:
                found[key][0] += 1
                found[key][1] += value
    return {key: (int(times), total) for key, (times, total) in found.items()}, asked


def _measured(fields: Mapping[str, Any]) -> Iterable[tuple[str, int, float]]:
    """What else a line counts: name, bucket, value."""
    if "results" in fields:
        results = int(fields["results"])
        yield "results", min(results, MOST_RESULTS), float(results)
        # Without a result there is nothing that could be like the question.
        if results and fields.get("similarity"):
            # Twenty buckets from 0 to 1.
            yield "similarity", round(20 * float(fields["similarity"])), float(fields["similarity"])
    if "tokens" in fields:
        yield "tokens", 0, float(fields["tokens"])
    if "said" in fields:
        yield "said", int(bool(fields["said"])), float(bool(fields["said"]))


def _asked(at: float, label: str, took: float, fields: Mapping[str, Any]) -> Asked:
    return Asked(
        at=datetime.fromtimestamp(at, UTC),
        digest=str(fields["digest"])[:MOST_WORDS],
        operation=label,
        intent=str(fields.get("intent", ""))[:MOST_WORDS],
        recipe=str(fields.get("recipe", ""))[:MOST_WORDS],
        length=int(fields["length"]),
        milliseconds=round(took),
        results=int(fields["results"]),
        tokens=int(fields["tokens"]),
    )


def _count(work: Work) -> Outcome:
    """Count how long operations, jobs and hooks took."""
    return Outcome({"counted": count_timings(work.services)})


def _forget(work: Work) -> Outcome:
    """Delete counts that are older than `metrics.keep_days`."""
    with work.services.store.transaction():
        work.services.store.records(MetricRecords).forget(work.before("metrics.keep_days"))
    return Outcome()


JOBS = (
    Job("metrics", _count, counts=("counted",)),
    Job("old-metrics", _forget, lambda _: Outcome(), days=7, ages=True),
)
