"""What a new statement does to a known one, as a model reads the two."""

from __future__ import annotations

from typing import NamedTuple


class Chances(NamedTuple):
    """Probabilities that add up to 1.

    Attributes:
        stays: both can hold.
        part: a part of the known one ends, or it may have ended.
        ends: the known one no longer holds.
    """

    stays: float
    part: float
    ends: float
