"""Which maintenance jobs are due: every few hours, weekly, monthly or quarterly."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

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
