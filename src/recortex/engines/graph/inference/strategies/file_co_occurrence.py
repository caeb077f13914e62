"""Whether both cite the same file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.engines.graph.inference.facts import Pair


def file_co_occurrence(pair: Pair) -> float:
    """1 where they share a file."""
    mine, theirs = ({one.path for one in facts.memory.files} for facts in (pair.cause, pair.effect))
    return float(bool(mine & theirs))
