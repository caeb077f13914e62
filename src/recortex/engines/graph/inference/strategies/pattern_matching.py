"""Whether both are linked to the same pattern of the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.engines.graph.inference.facts import Pair


def pattern_matching(pair: Pair) -> float:
    """1 where they share a pattern."""
    mine, theirs = ({one.id for one in facts.memory.patterns} for facts in (pair.cause, pair.effect))
    return float(bool(mine & theirs))
