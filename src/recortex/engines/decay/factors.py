"""What slows decay down or holds confidence up: each factor is a number to multiply with.

None of them depends on the current time, so that confidence falls along one half-life (two, where a
validation runs out) and the instant at which it passes a threshold can be computed instead of noted.
"""

from __future__ import annotations

import math

from recortex.domain.vocabulary import Importance, importance_of

DAY = 86_400_000_000
"""Microseconds."""

MANY_ACCESSES = 10
HUB = 0.5
DOUBLED = 2.0
_MONTH = 30 * DAY
_PER_PATTERN, _MOST_LINKAGE = 0.1, 1.3
_USAGE_SLOPE, MOST_USAGE = 0.2, 1.5
_ANCHORS = {Importance.LOW: 0.8, Importance.NORMAL: 1.0, Importance.HIGH: 1.5, Importance.CRITICAL: 2.0}
ANCHOR_OF_PRIORITY = {priority: _ANCHORS[importance_of(priority)] for priority in range(1, 11)}
"""Boost of the confidence by priority."""

_LINKED_BOOST = 1.3
_LEAST_CITATION = 0.5
VALIDATED = 1.5
"""Boost of the half-life after a validation, for the time after which the kind is to be validated again."""


def frequency(access_count: int, first: int, last: int) -> float:
    """Boost by frequency of access, 1 to 2: ten accesses a month, from recording to last access, double."""
    months = max(last - first, _MONTH) / _MONTH
    return 1.0 + min(1.0, access_count / months / MANY_ACCESSES)


def linkage(patterns: int) -> float:
    """Boost by linkage, 1 to 1.3: a tenth for each pattern that the memory is linked to."""
    return min(_MOST_LINKAGE, 1.0 + _PER_PATTERN * patterns)


def doublings(access_count: int, centrality: float) -> float:
    """Doublings: twice the half-life above ten accesses, and again for a hub."""
    often = DOUBLED if access_count > MANY_ACCESSES else 1.0
    return often * (DOUBLED if centrality > HUB else 1.0)


def usage(access_count: int) -> float:
    """Boost by use: `min(1.5, 1 + log10(n + 1) × 0.2)`."""
    return min(MOST_USAGE, 1.0 + math.log10(access_count + 1) * _USAGE_SLOPE)


def pattern(patterns: int) -> float:
    """Boost by patterns: 1.3 where a pattern is linked."""
    return _LINKED_BOOST if patterns else 1.0


def citation(fresh: float) -> float:
    """Decay by citations, 0.5 to 1: `fresh` is the share of the linked files that did not change, 0 to 1."""
    return _LEAST_CITATION + (1.0 - _LEAST_CITATION) * min(1.0, max(0.0, fresh))
