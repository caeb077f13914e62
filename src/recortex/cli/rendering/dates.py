"""Times as people say them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

_NEAR = 14  # days within which people count them


def near(at: datetime, now: datetime) -> str:
    """The time of day of today and yesterday, the number of days of the last two weeks, else the date.

    In local time.
    """
    here, today = at.astimezone(), now.astimezone()
    days = (today.date() - here.date()).days
    if days == 0:
        return f"today {here:%H:%M}"
    if days == 1:
        return f"yesterday {here:%H:%M}"
    return f"{days} days ago" if 1 < days < _NEAR else f"{here:%Y-%m-%d}"
