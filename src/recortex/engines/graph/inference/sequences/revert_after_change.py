"""What was decided was taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.vocabulary import RelationType
from recortex.engines.graph.inference.roles import Course, is_decision, is_revert, same_matter

if TYPE_CHECKING:
    from recortex.engines.graph.inference.facts import Pair


def revert_after_change(pair: Pair) -> Course | None:
    """Words of taking back, after a decision on the same matter, also in a later session."""
    if is_decision(pair.cause.memory) and is_revert(pair.effect) and same_matter(pair):
        return Course(RelationType.TRIGGERED_BY, "It takes back what was decided.")
    return None
