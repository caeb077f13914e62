"""Something was found or said, and decided upon."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.vocabulary import RelationType
from recortex.engines.graph.inference.roles import (
    Course,
    by_agent,
    is_correction,
    is_decision,
    later,
    same_matter,
)

if TYPE_CHECKING:
    from recortex.engines.graph.inference.facts import Pair

WITHIN, CORRECTED = 12, 4
"""Turns within which something is decided, and within which the agent acts on a correction."""
LEAST = 0.545
"""The score that a decision needs (bench/causal_edges.py)."""


def decision_after_discussion(pair: Pair) -> Course | None:
    """A decision after a statement on the same matter; or what the agent does after it was corrected."""
    if is_correction(pair.cause.memory):
        when = later(pair, CORRECTED)
        follows = when and by_agent(pair.effect.memory) and same_matter(pair, words=2)
        return Course(RelationType.CAUSED, f"It follows the correction, {when}.") if follows else None
    when = later(pair, WITHIN)
    if when and pair.shared and is_decision(pair.effect.memory):
        return Course(RelationType.CAUSED, f"It was decided {when}.", LEAST)
    return None
