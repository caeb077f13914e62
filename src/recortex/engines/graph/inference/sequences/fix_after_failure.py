"""Something failed, and what was done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.vocabulary import RelationType
from recortex.engines.graph.inference.roles import Course, is_correction, is_failure, is_remedy, later

if TYPE_CHECKING:
    from recortex.engines.graph.inference.facts import Pair

WITHIN, WITHIN_MORE, MORE = 10, 40, 2
"""Turns; more where both name at least two of the same things."""


def fix_after_failure(pair: Pair) -> Course | None:
    """A remedy, which tells of no failure itself, after a failure of the same matter."""
    when = later(pair, WITHIN_MORE if len(pair.shared) >= MORE else WITHIN)
    fixes = is_failure(pair.cause) and is_remedy(pair.effect) and not is_failure(pair.effect)
    if not (when and fixes and pair.shared) or is_correction(pair.cause.memory):
        return None
    return Course(RelationType.TRIGGERED_BY, f"It tells what to do about what failed, {when}.")
