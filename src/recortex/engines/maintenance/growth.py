"""How a store grows, and when it will reach a size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from recortex.engines.maintenance.due import DAY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.maintenance import SizeSample

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
