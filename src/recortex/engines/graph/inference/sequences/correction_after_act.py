"""The person corrected what the agent had said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.vocabulary import RelationType
from recortex.engines.graph.inference.roles import LEAST, Course, by_agent, is_correction, later, same_matter

if TYPE_CHECKING:
    from recortex.engines.graph.inference.facts import Pair

WITHIN, WITHIN_QUOTED, QUOTED = 3, 8, 0.5
"""Turns; where the correction quotes the statement, which has at least half of the quoted words, more."""


def correction_after_act(pair: Pair) -> Course | None:
    """A correction soon after a statement of the agent on the same matter, or one that quotes it."""
    if not (by_agent(pair.cause.memory) and is_correction(pair.effect.memory)):
        return None
    quoted = pair.effect.quoted
    quotes = bool(quoted) and len(quoted & pair.cause.words) / len(quoted) >= QUOTED
    when = later(pair, WITHIN_QUOTED if quotes else WITHIN)
    if not when or not (quotes or same_matter(pair)):
        return None
    return Course(RelationType.TRIGGERED_BY, f"The person corrected it {when}.", 0.0 if quotes else LEAST)
