"""Which maintenance jobs are due: every few hours, weekly, monthly or quarterly."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from recortex.domain.maintenance import AuditSummary
from recortex.domain.time import from_micros

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recortex.domain.maintenance import OldAuditEntry, SizeSample


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
