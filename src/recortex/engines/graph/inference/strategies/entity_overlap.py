"""Whether both name the same files, functions and other names of code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.engines.graph.inference.facts import Pair


def entity_overlap(pair: Pair) -> float:
    """The share of the names in common among those of the one that has fewer."""
    fewest = min(len(pair.cause.names), len(pair.effect.names))
    return len(pair.shared) / fewest if fewest else 0.0
