"""The current confidence of many memories at once: the formulas of `confidence.py`, by column.

A property test holds both equal. NumPy is imported here alone, since hooks ask for a few memories only.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from recortex.domain.kinds import KINDS
from recortex.engines.decay import confidence as scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.engines.decay.confidence import Fading

    Numbers = np.ndarray[Any, np.dtype[np.float64]]
    Places = np.ndarray[Any, np.dtype[np.int64]]

NEVER = -1.0
_PLACES = {str(kind): place for place, kind in enumerate(KINDS)}
_DAYS = np.array([NEVER if one.half_life_days is None else one.half_life_days for one in KINDS.values()])
_CHECKED_EVERY = np.array([float(one.revalidate_days) for one in KINDS.values()])
_ANCHORS = np.array([0.0, *(scalar.ANCHOR_OF_PRIORITY[priority] for priority in range(1, 11))])


class _Columns:
    """The statistics of many memories by column; what is missing is not a number."""

    def __init__(self, memories: Sequence[Fading]) -> None:
        self._memories = memories

    def column(self, name: str) -> Numbers:
        """A column that is never empty."""
        return np.fromiter(map(attrgetter(name), self._memories), np.float64, len(self._memories))

    def maybe(self, name: str) -> Numbers:
        """One that may be."""
        found = [np.nan if one is None else one for one in map(attrgetter(name), self._memories)]
        return np.fromiter(found, np.float64, len(found))

    def places(self, name: str, table: dict[str, int]) -> Places:
        """A column of words as places in a table."""
        found = map(table.__getitem__, map(attrgetter(name), self._memories))
        return np.fromiter(found, np.int64, len(self._memories))


def confidences(memories: Sequence[Fading], centralities: Sequence[float], now: int) -> list[float]:
    """The current confidence of each, 0 to 1.

    Args:
        memories: their statistics, of kinds that this program knows.
        centralities: of each, 0 to 1.
        now: microseconds since 1970 UTC.
    """
    columns = _Columns(memories)
    base, pinned = columns.column("confidence"), columns.column("pinned") != 0
    kinds, patterns, count = (
        columns.places("kind", _PLACES),
        columns.column("patterns"),
        columns.column("access_count"),
    )
    recorded, standing = columns.column("recorded_at"), columns.maybe("standing")
    start = np.fmax(columns.maybe("last_accessed_at"), recorded)
    age = np.maximum(0.0, now - start)
    half_life = _half_lives(_DAYS[kinds], count, patterns, start - recorded, np.asarray(centralities))
    # Until when a validation slows the decay of each, by a person or by its code.
    by_code = np.where(standing == 1.0, columns.maybe("checked_at"), np.nan)
    validated = np.fmax(columns.maybe("validated_at"), by_code)
    slow = np.where(
        now < np.fmax(start, validated + _CHECKED_EVERY[kinds] * scalar.DAY),
        scalar.VALIDATED,
        1.0,
    )
    part = np.exp2(-age / (half_life * (scalar.DAY * slow)))
    part[pinned | (_DAYS[kinds] == NEVER)] = 1.0
    lift = (
        np.asarray(np.minimum(scalar.MOST_USAGE, 1.0 + np.log10(count + 1) * scalar.USAGE_SLOPE))
        * _ANCHORS[columns.column("priority").astype(np.int64)]
        * _links(patterns, standing)
    )
    lift[pinned] = 1.0
    found: list[float] = (base * np.minimum(1.0, lift * part)).tolist()
    return found


def _half_lives(
    days: Numbers, count: Numbers, patterns: Numbers, used_for: Numbers, central: Numbers
) -> Numbers:
    frequency = 1.0 + np.minimum(
        1.0, count * scalar.MONTH / np.maximum(used_for, scalar.MONTH) / scalar.MANY_ACCESSES
    )
    linkage = np.minimum(scalar.MOST_LINKAGE, 1.0 + scalar.PER_PATTERN * patterns)
    doubled = np.exp2((count > scalar.MANY_ACCESSES).astype(float) + (central > scalar.HUB))
    return np.asarray(np.abs(days) * frequency * linkage * doubled)


def _links(patterns: Numbers, standing: Numbers) -> Numbers:
    """The boost of patterns, times the factor of the code that is cited."""
    stands = np.clip(np.nan_to_num(standing, nan=1.0), 0.0, 1.0)
    citation = scalar.LEAST_CITATION + (1.0 - scalar.LEAST_CITATION) * stands
    return np.asarray(np.where(patterns > 0, scalar.LINKED_BOOST, 1.0) * citation)
