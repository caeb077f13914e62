"""The five signals that tell how important a memory turned out to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.domain.statistics import Given, Standing

WEIGHTS = {"given": 0.35, "rank": 0.25, "links": 0.15, "won": 0.10, "confirmed": 0.15}
"""Of each signal in the score."""
OFTEN = 20
"""Sessions a month that get a memory, to count in full."""
FIRST = 5
"""Places of an answer that count in full."""
LINKED = 3
"""Links that make a memory important to others."""


def signals(standing: Standing, given: Given) -> dict[str, float]:
    """Each signal by name, from 0 to 1; what nothing is known of is 0."""
    disputes = standing.won + standing.contested
    return {
        "given": min(1.0, given.times / OFTEN),
        "rank": min(1.0, FIRST * given.times / given.places) if given.places else 0.0,
        "links": min(1.0, standing.links / LINKED),
        "won": standing.won / disputes if disputes else 0.0,
        "confirmed": float(bool(standing.confirmed)),
    }


def score(found: dict[str, float]) -> float:
    """The weighted sum of all signals, from 0 to 1."""
    return sum(weight * found[name] for name, weight in WEIGHTS.items())
