"""Confidence as it is now: computed from the stored base and the time since the last access, never written.

`base × 0.5 ** (age / half-life) × boosts`, within 0 and the base. Decay never raises confidence: boosts
delay the fall and lift nothing above the base.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.kinds import KINDS, Kind
from recortex.engines.decay import factors
from recortex.engines.decay.factors import DAY

if TYPE_CHECKING:
    from recortex.domain.search import Facts
    from recortex.domain.statistics import MemoryStatistics

    Fading = MemoryStatistics | Facts


class Curve(NamedTuple):
    """How one memory's confidence falls.

    Attributes:
        base: the stored confidence; nothing is above it.
        start: microseconds since 1970 at which the fall begins: the last access, or the recording.
        lift: the product of the boosts.
        half_life: microseconds; None where the memory never fades.
        slowed_until: until then a recent validation makes the half-life half as long again.
    """

    base: float
    start: int
    lift: float
    half_life: float | None
    slowed_until: int


def half_life_days(one: Fading, centrality: float) -> float | None:
    """The kind's half-life in days, longer by frequency, linkage and doublings. None: it never fades."""
    days = KINDS[Kind(one.kind)].half_life_days
    if one.pinned or days is None:
        return None
    last = one.recorded_at if one.last_accessed_at is None else one.last_accessed_at
    return (
        days
        * factors.frequency(one.access_count, one.recorded_at, last)
        * factors.linkage(one.patterns)
        * factors.doublings(one.access_count, centrality)
    )


def curve(one: Fading, centrality: float, *, fresh: float = 1.0) -> Curve:
    """The curve of a memory.

    Args:
        one: how it stands.
        centrality: 0 to 1.
        fresh: the part of its cited files that still read as they did; 1 where they were not looked at.
    """
    days = half_life_days(one, centrality)
    start = one.recorded_at if one.last_accessed_at is None else max(one.last_accessed_at, one.recorded_at)
    if one.pinned:
        return Curve(one.confidence, start, 1.0, None, start)
    lift = (
        factors.usage(one.access_count)
        * factors.ANCHOR_OF_PRIORITY[one.priority]
        * factors.pattern(one.patterns)
        * factors.citation(fresh)
    )
    return Curve(one.confidence, start, lift, None if days is None else days * DAY, _slowed_until(one, start))


def _slowed_until(one: Fading, start: int) -> int:
    """The end of the time in which the last validation counts as recent."""
    if one.validated_at is None:
        return start
    return max(start, one.validated_at + KINDS[Kind(one.kind)].revalidate_days * DAY)


def confidence(fall: Curve, now: int) -> float:
    """The confidence at an instant; before the fall begins it is what it is then.

    Never rises with time, never above the base; where a validation runs out, the usual half-life holds for
    the whole age again.
    """
    if fall.half_life is None:
        return fall.base * min(1.0, fall.lift)
    half_life = fall.half_life * (factors.VALIDATED if now < fall.slowed_until else 1.0)
    part = math.exp2(-max(0, now - fall.start) / half_life)
    return fall.base * min(1.0, fall.lift * part)


def below_since(fall: Curve, threshold: float) -> float | None:
    """The instant from which on the confidence is below a threshold; None where it never will be.

    It is the exact inverse of `confidence`, so that "below the threshold for 14 days" needs nothing written
    on the way.
    """
    if fall.base * min(1.0, fall.lift) < threshold:
        return fall.start
    if fall.half_life is None or threshold <= 0.0:
        return None
    age = fall.half_life * math.log2(fall.base * fall.lift / threshold)
    slow = fall.start + age * factors.VALIDATED
    return slow if slow < fall.slowed_until else max(fall.start + age, fall.slowed_until)
