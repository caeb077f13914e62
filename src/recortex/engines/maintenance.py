"""Upkeep: which jobs are due, how a store grows, and which importance a memory has by its use."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.maintenance import AuditSummary
from recortex.domain.memory import importance_of
from recortex.domain.text import from_micros
from recortex.domain.vocabulary import Actor, Importance

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recortex.domain.maintenance import Given, OldAuditEntry, SizeSample, Standing


DAY = 86_400_000_000
"""Microseconds."""
WEEK, MONTH, QUARTER = 7, 30, 90
"""Days."""
SKEW = DAY
"""How far ahead another machine's clock may be. A later time was written by a wrong clock and does not
count."""


def due(done: Mapping[str, int], every: Mapping[str, float], now: int) -> list[str]:
    """The jobs that are due, in the order of `every`.

    Args:
        done: when each was last done, in microseconds; a missing one is due.
        every: days between two runs; 0 means never.
        now: in microseconds.
    """

    def recent(at: int | None, days: float) -> bool:
        return at is not None and -SKEW <= now - at < days * DAY

    return [name for name, days in every.items() if days and not recent(done.get(name), days)]


# -- whether a clock may be believed before anything ages by it


CLOCK_DAY = 86_400_000_000
"""Microseconds."""
LEAP = 30 * CLOCK_DAY
"""A longer time since the store was last worked with must be confirmed."""
CLOCK_SKEW = CLOCK_DAY
"""How far two clocks of one store may differ."""
CONFIRMED, SESSIONS = 7 * CLOCK_DAY, 3
"""For so long, and on so many days, a new time must have gone on."""


@dataclass(frozen=True, slots=True)
class Believed:
    """What is known of a store's time, in microseconds since 1970 UTC; 0 where there is none.

    Attributes:
        at: the last time that was believed.
        since: when a time began that is not believed yet.
        last: when that was last seen on another day.
        days: on how many days it was seen.
    """

    at: int = 0
    since: int = 0
    last: int = 0
    days: int = 0


def looked_at(known: Believed, now: int) -> tuple[Believed, bool]:
    """What is known after a look at the clock, and whether anything may age by it.

    A clock that goes back is believed at once: nothing ages by an earlier time.
    """
    if known.at and now < known.at - CLOCK_SKEW:
        return Believed(at=now), False
    if known.at and now - known.at <= LEAP:
        return Believed(at=max(now, known.at)), True
    # A clock that jumps again, or stops being seen, begins anew.
    goes_on = known.since and known.since <= now and now - known.last <= LEAP
    if not goes_on:
        return replace(known, since=now, last=now, days=1), False
    if now - known.last >= CLOCK_DAY:
        known = replace(known, last=now, days=known.days + 1)
    if known.days >= SESSIONS and now - known.since >= CONFIRMED:
        return Believed(at=now), True
    return known, False


# -- how a store grows, and when it will reach a size


LEAST_SPAN = 2 * DAY
"""Samples must span this long: on its first day a store may take in sessions of years."""
WINDOW = 90 * DAY
"""Older samples are ignored."""


def bytes_per_day(samples: Sequence[SizeSample]) -> float | None:
    """The least-squares slope through the samples of the last 90 days; None if there are too few.

    Args:
        samples: in any order.
    """
    # By the newest sample and not by the clock, so that a pause of months does not empty the window.
    newest = max((one.at for one in samples), default=0)
    recent = [one for one in samples if newest - one.at <= WINDOW]
    if not recent or newest - min(one.at for one in recent) < LEAST_SPAN:
        return None
    from statistics import linear_regression  # slow to import

    days = [(one.at - newest) / DAY for one in recent]
    return linear_regression(days, [one.bytes for one in recent]).slope


def days_until(size: int, threshold: int, per_day: float | None) -> float | None:
    """Days until a size is reached at a rate; 0 where it is already, None where it never will be."""
    if size >= threshold:
        return 0.0
    if per_day is None or per_day <= 0:
        return None
    days = (threshold - size) / per_day
    return days if math.isfinite(days) else None  # a rate of nearly nothing is a rounding error


def fragmentation(free: int, total: int) -> float:
    """The share of a file that holds nothing, from 0 to 1."""
    return min(max(free / total, 0.0), 1.0) if total > 0 else 0.0


# -- summarises old entries of the audit log as counts by month


_MONTH = len("2026-03")


def summaries(entries: Iterable[OldAuditEntry]) -> list[AuditSummary]:
    """The entries by month, operation and actor, in that order; their counts add up to the entries."""
    found: dict[tuple[str, str, str], AuditSummary] = {}
    for one in entries:
        place = (from_micros(one.at).isoformat()[:_MONTH], one.operation, one.actor)
        former = found.get(place, AuditSummary(*place, 0, one.at, one.at))
        first, last = min(former.first_at, one.at), max(former.last_at, one.at)
        found[place] = AuditSummary(*place, former.entries + 1, first, last)
    return [found[place] for place in sorted(found)]


# -- when a memory's importance moves by a step: rules and safeguards


MOST_MONTHS = 3
"""No rule looks farther back."""


class Step(NamedTuple):
    """A step from one importance to the next: the score of each of the last `months` is beyond `limit`."""

    to: Importance
    limit: float
    months: int


UP = {
    Importance.LOW: Step(Importance.NORMAL, 0.7, 2),
    Importance.NORMAL: Step(Importance.HIGH, 0.85, 2),
    Importance.HIGH: Step(Importance.CRITICAL, 0.95, 3),
}
"""Where the scores are above the limit."""
DOWN = {
    Importance.CRITICAL: Step(Importance.HIGH, 0.5, 3),
    Importance.HIGH: Step(Importance.NORMAL, 0.3, 3),
    Importance.NORMAL: Step(Importance.LOW, 0.15, 3),
}
"""Where the scores are below the limit."""


def moved(standing: Standing, scores: Sequence[float | None], now: int) -> Importance | None:
    """The importance that a memory comes to; None where it keeps its own.

    Nothing moves twice within a month, or by months in which it was not there yet.

    Args:
        standing: the memory.
        scores: by month, the latest first; None for a month in which no session got anything.
        now: microseconds since 1970 UTC.
    """
    if standing.moved_at is not None and now - standing.moved_at < MONTH * DAY:
        return None
    importance = importance_of(standing.priority)
    age = (now - standing.recorded_at) // (MONTH * DAY)

    def holds(step: Step | None, sign: int) -> bool:
        if step is None or age < step.months:
            return False
        last = scores[: step.months]
        # A month in which no session got anything tells nothing, neither for the memory nor against it.
        return len(last) == step.months and all(
            one is not None and sign * one > sign * step.limit for one in last
        )

    up, down = UP.get(importance), DOWN.get(importance)
    step = up if holds(up, 1) else down if holds(down, -1) else None
    return step.to if step else None


def set_by_person(versions: Sequence[tuple[int, Importance, Actor]]) -> bool:
    """Whether a memory's importance is not to be touched: a person changed it, or said that it is critical.

    A person who took a step back, or edited a memory, has decided as well.

    Args:
        versions: number, importance and who made it, the latest first. Where the first ones are not kept any
            more, nobody knows who set it, and what is critical counts as set by a person.
    """
    importance = versions[0][1]
    same = [*takewhile(lambda one: one[1] is importance, versions)]
    number, _, actor = same[-1]
    known = number == 1 or len(same) < len(versions)
    critical = importance is Importance.CRITICAL
    return (actor is Actor.USER and (number > 1 or critical)) if known else critical


# -- the five signals that tell how important a memory turned out to be


WEIGHTS = {"given": 0.35, "rank": 0.25, "links": 0.15, "won": 0.10, "confirmed": 0.15}
"""Of each signal in the score."""
OFTEN = 20
"""Sessions a month that get a memory, to count in full."""
FIRST = 5
"""Places of an answer that count in full."""
LINKED = 3
"""Links that make a memory important to others."""


def signals(standing: Standing, given: Given) -> dict[str, float]:
    """Each signal by name, from 0 to 1; what nothing is known of is 0."""
    disputes = standing.won + standing.contested
    return {
        "given": min(1.0, given.times / OFTEN),
        # The fifth place divided by the mean place: 1 for what usually stands among the first five.
        "rank": min(1.0, FIRST * given.times / given.places) if given.places else 0.0,
        "links": min(1.0, standing.links / LINKED),
        "won": standing.won / disputes if disputes else 0.0,
        "confirmed": float(bool(standing.confirmed)),
    }


def score(found: dict[str, float]) -> float:
    """The weighted sum of all signals, from 0 to 1."""
    return sum(weight * found[name] for name, weight in WEIGHTS.items())
