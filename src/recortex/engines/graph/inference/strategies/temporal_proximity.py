"""How soon the one followed the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.engines.graph.inference.facts import Pair

TURNS, DAYS = 20, 1.0
"""After so many turns, or days between sessions, half is left; of two sessions half to begin with."""


def temporal_proximity(pair: Pair) -> float:
    """Halved every 20 turns within a session, every day between sessions."""
    if pair.turns is not None:
        return float(0.5 ** (abs(pair.turns) / TURNS))
    apart = pair.effect.memory.valid_from - pair.cause.memory.valid_from
    return float(0.5 ** (1 + abs(apart.total_seconds()) / 86_400 / DAYS))
