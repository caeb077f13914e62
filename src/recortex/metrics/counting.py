"""Counts the lines in which operations, jobs and hooks say how long they took."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recortex.app.jobs.work import Job, Outcome
from recortex.errors import PermissionsError, UntrustedFileError
from recortex.filesystem import alone, read_own
from recortex.metrics.records import DAY, Asked, Key, MetricRecords, bucket_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from recortex.app.application import StoreServices
    from recortex.app.jobs.work import Work

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
