"""Whether a clock may be believed before anything ages by it.

A clock that was wrong for one session would archive what a person decided, and delete old sessions. A leap
looks the same whether the clock is wrong or nobody worked for long, so it is believed only after it has gone
on for a week, on several days of work. Till then nothing ages: what waits a week longer is no loss.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

DAY = 86_400_000_000
"""Microseconds."""
LEAP = 30 * DAY
"""A longer time since the store was last worked with must be confirmed."""
SKEW = DAY
"""How far two clocks of one store may differ."""
CONFIRMED, SESSIONS = 7 * DAY, 3
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
    if known.at and now < known.at - SKEW:
        return Believed(at=now), False
    if known.at and now - known.at <= LEAP:
        return Believed(at=max(now, known.at)), True
    goes_on = known.since and known.since <= now and now - known.last <= LEAP
    if not goes_on:
        return replace(known, since=now, last=now, days=1), False
    if now - known.last >= DAY:
        known = replace(known, last=now, days=known.days + 1)
    if known.days >= SESSIONS and now - known.since >= CONFIRMED:
        return Believed(at=now), True
    return known, False
