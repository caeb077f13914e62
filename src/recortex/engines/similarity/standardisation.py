"""Makes values of different scales comparable."""

from __future__ import annotations

from math import exp, fsum, isfinite, sqrt
from operator import mul
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
    distances = [value - mean for value in values]
    spread = max(sqrt(fsum(map(mul, distances, distances)) / len(values)), least_spread)
    return [distance / spread for distance in distances]


def clamp(value: float) -> float:
    """The value within 0 to 1; what is no number is 0."""
    return min(1.0, max(0.0, value)) if isfinite(value) else 0.0


def logistic(value: float) -> float:
    """1 / (1 + e^-value), for any finite value."""
    return 1.0 / (1.0 + exp(-max(-60.0, min(60.0, value))))
