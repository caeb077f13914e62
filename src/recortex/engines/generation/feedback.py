"""How the outcome of what was written changes the confidence of what had influence.

A rejection says more than an acceptance: much is accepted that nobody checked against each memory. The
amounts are small, since one outcome is weak evidence for each of many memories.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.domain.generation import Outcome

CHANGES: dict[Outcome, float] = {"accepted": 0.02, "modified": -0.01, "rejected": -0.05}
LOWEST, HIGHEST = 0.1, 0.98
"""Outcomes alone make nothing certain, and nothing worthless."""


def adjusted(confidence: float, outcome: Outcome) -> float:
    """The confidence after an outcome; one that is beyond the bounds already is not moved towards them."""
    changed = confidence + CHANGES[outcome]
    if CHANGES[outcome] > 0:
        return max(confidence, min(changed, HIGHEST))
    return min(confidence, max(changed, LOWEST))
