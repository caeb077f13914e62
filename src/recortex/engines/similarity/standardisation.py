"""Makes values of different scales comparable."""

from __future__ import annotations

from math import exp, fsum, isfinite, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def standardised(values: Sequence[float], least_spread: float = 1e-9) -> list[float]:
    """Each value's distance from the mean in standard deviations; all zero where nothing differs.

    A spread below `least_spread` is taken as that, so that noise among near equals is not blown up.
    """
    if not values:
        return []
    mean = fsum(values) / len(values)
    spread = sqrt(fsum((value - mean) ** 2 for value in values) / len(values))
    spread = max(spread, least_spread)
    return [(value - mean) / spread for value in values]


def clamp(value: float) -> float:
    """The value within 0 to 1; what is no number is 0."""
    return min(1.0, max(0.0, value)) if isfinite(value) else 0.0


def logistic(value: float) -> float:
    """1 / (1 + e^-value), for any finite value."""
    return 1.0 / (1.0 + exp(-max(-60.0, min(60.0, value))))
