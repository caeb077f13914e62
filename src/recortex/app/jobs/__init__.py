"""What a background job is, what it is given, and what it returns."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.domain.search import MemoryQuery
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor, Status
from recortex.engines.maintenance import CLOCK_SKEW as SKEW
from recortex.engines.maintenance import Believed, looked_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.app.application import StoreServices
    from recortex.domain.memory import Memory
    from recortex.settings import Settings


State = Literal["done", "partly", "skipped", "failed"]
SHORTEST_REST, LONGEST_REST = 0.005, 0.1
"""Seconds between two transactions: as long as the first one took, within these."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a job did, or would do: in counts, with a note where they do not say all.

    Attributes:
        record: what is kept of it for next time, where that is not the counts.
    """

    counts: dict[str, int] = field(default_factory=dict)
    note: str = ""
    state: State = "done"
    record: dict[str, int] | None = None


class Work(NamedTuple):
    """What a job works on.

    Attributes:
        now: when the run began.
        clock: gives the current time.
        left: seconds that it may still take.
        names: of all jobs of this run: the plan of a later one counts what an earlier one would free.
        full: write the file anew, however little that gives back.
        so_far: counts of what the jobs before it did or would do, by job.
    """

    services: StoreServices
    now: datetime
    clock: Callable[[], datetime]
    settings: Settings
    left: Callable[[], float]
    names: frozenset[str] = frozenset()
    full: bool = False
    so_far: Mapping[str, Mapping[str, int]] = MappingProxyType({})

    def some(self, counted: Mapping[str, Sequence[str]]) -> bool:
        """Whether one of these counts, by job, of the jobs before is above zero."""
        return any(self.so_far.get(name, {}).get(each) for name, counts in counted.items() for each in counts)

    def before(self, setting: str) -> datetime:
        """The time that lies as many days back as a setting says."""
        return self.earlier(timedelta(days=self.settings[setting]))

    def earlier(self, span: timedelta) -> datetime:
        """The time that lies so far back."""
        try:
            return self.now - span
        except OverflowError:  # a clock that is far off
            return datetime.min.replace(tzinfo=UTC)


def rest(began: float) -> None:
    """Let other writers get their turn after a chunk that began at a time of the monotonic clock."""
    time.sleep(min(max(time.monotonic() - began, SHORTEST_REST), LONGEST_REST))


def in_chunks(work: Work, name: str, chunk: Callable[[], int]) -> Outcome:
    """Work off chunk by chunk, each in its own transaction, while seconds are left.

    Between two it rests, so that other writers get their turn: on SQLite a waiting one only looks again after
    up to a tenth of a second, and would find the next chunk begun each time.
    """
    total = 0
    while work.left() > 0:
        began = time.monotonic()
        with work.services.store.transaction():
            done = chunk()
        total += done
        if not done:
            return Outcome({name: total})
        rest(began)
    return Outcome({name: total}, "the rest follows next time", "partly")


# -- looks at the clock before jobs by which memories and records age


NAME = "clock"
DOUBTED = (
    "the clock leapt, so nothing ages by it until a week with work on three days;"
    " `--trust-clock` says that it is right"
)
"""What a job says that waits for it."""
_PUT_AWAY = (Status.ARCHIVED, Status.PRUNED)
_MOST = 500


def is_believed(work: Work, *, trusted: bool = False) -> bool:
    """Whether anything may age by the present time; what aged by a time that never came is brought back.

    Args:
        work: gives the time.
        trusted: whether the person says that the clock is right; it is then believed from now on.
    """
    log = work.services.store.maintenance
    runs = log.all()
    noted = runs.get(NAME)
    now = to_micros(work.now)
    if noted is not None:
        known = Believed(**{name: noted.outcome.get(name, 0) for name in asdict(Believed())})
    else:
        # A store that was never looked at begins with its latest run, so that the first look has something
        # to compare with.
        known = Believed(at=max((to_micros(run.done_at) for run in runs.values()), default=_began(work)))
    after, believed = (Believed(at=now), True) if trusted else looked_at(known, now)
    # An unchanged record is not written again, as this runs after each session.
    if noted is None or after != known:
        log.note(NAME, work.now, asdict(after))
    if known.at and now < known.at - SKEW:
        # Restore what was put away for its age at a time that is yet to come.
        query = MemoryQuery(statuses=_PUT_AWAY, order="updated", limit=_MOST)
        for memory in work.services.store.memories.find(query):
            # They come in the order of change, so the first one of the past ends the search.
            if to_micros(memory.updated_at) <= to_micros(work.now) + SKEW:
                break
            before = _before_ageing(work, memory)
            if before is not None:
                work.services.ingestion.change(
                    memory,
                    replace(memory, status=before),
                    now=work.now,
                    actor=Actor.DECAY,
                    operation="restore",
                    reason="it was put away by a clock that was wrong",
                )
    return believed


def _began(work: Work) -> int:
    """When a store in which no job ever ran got its first memory; now, where it has none: nothing can age."""
    first = MemoryQuery(statuses=(), descending=False, limit=1)
    return min(
        (to_micros(one.recorded_at) for one in work.services.store.memories.find(first)),
        default=to_micros(work.now),
    )


def _before_ageing(work: Work, memory: Memory) -> Status | None:
    """The status before the store put a memory away for its age; None where something else did."""
    for version in work.services.store.memories.history(memory.id):
        # The latest version that ageing did not write has the status that ageing took away.
        if version.changed_by is not Actor.DECAY or version.memory.status not in _PUT_AWAY:
            before = version.memory.status
            # With the same status then, it was not ageing that put the memory away.
            return None if before is memory.status else before
    return None


# -- what a background job is


Days = Callable[["Settings"], float]


@dataclass(frozen=True, slots=True)
class Job:
    """A background job. It may be killed at any moment, and goes on the next time.

    Attributes:
        run: does it, as its docstring says.
        plan: only looks; what `gc --dry-run` shows. Every job with `days` has one.
        days: between two runs, by the settings; 0: never. None: after every session.
        after: jobs whose results it depends on: they stand before it in `JOBS`, which a test checks.
        seconds: after which a job of every session begins nothing more; those with `days` share one limit.
        counts: what it counts, by the names that `status` adds up.
        before_brief: whether the brief of the next session depends on it.
        ages: whether it puts away or deletes what is old: it waits while the clock is not believed
            (`engines/maintenance.py`).
    """

    name: str
    run: Callable[[Work], Outcome]
    plan: Callable[[Work], Outcome] | None = None
    days: Days | float | None = None
    after: tuple[str, ...] = ()
    seconds: float = math.inf
    counts: tuple[str, ...] = ()
    before_brief: bool = False
    ages: bool = False
