"""What a background job is given, and what it returns."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from recortex.app.store_services import StoreServices
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
