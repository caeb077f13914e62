"""When a memory's importance moves by a step: rules and safeguards."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.vocabulary import Actor, Importance, importance_of
from recortex.engines.maintenance.due import DAY, MONTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.statistics import Given, Standing


MOST_MONTHS = 3
"""No rule looks farther back."""


class Step(NamedTuple):
    """A step from one importance to the next: the score of each of the last `months` is beyond `limit`."""

    to: Importance
    limit: float
    months: int


UP = {
    Importance.LOW: Step(Importance.NORMAL, 0.7, 2),
    Importance.NORMAL: Step(Importance.HIGH, 0.85, 2),
    Importance.HIGH: Step(Importance.CRITICAL, 0.95, 3),
}
"""Where the scores are above the limit."""
DOWN = {
    Importance.CRITICAL: Step(Importance.HIGH, 0.5, 3),
    Importance.HIGH: Step(Importance.NORMAL, 0.3, 3),
    Importance.NORMAL: Step(Importance.LOW, 0.15, 3),
}
"""Where the scores are below the limit."""


def moved(standing: Standing, scores: Sequence[float | None], now: int) -> Importance | None:
    """The importance that a memory comes to; None where it keeps its own.

    Nothing moves twice within a month, or by months in which it was not there yet.

    Args:
        standing: the memory.
        scores: by month, the latest first; None for a month in which no session got anything.
        now: microseconds since 1970 UTC.
    """
    if standing.moved_at is not None and now - standing.moved_at < MONTH * DAY:
        return None
    importance = importance_of(standing.priority)
    age = (now - standing.recorded_at) // (MONTH * DAY)

    def holds(step: Step | None, sign: int) -> bool:
        if step is None or age < step.months:
            return False
        last = scores[: step.months]
        return len(last) == step.months and all(
            one is not None and sign * one > sign * step.limit for one in last
        )

    up, down = UP.get(importance), DOWN.get(importance)
    step = up if holds(up, 1) else down if holds(down, -1) else None
    return step.to if step else None


def set_by_person(versions: Sequence[tuple[int, Importance, Actor]]) -> bool:
    """Whether a memory's importance is not to be touched: a person changed it, or said that it is critical.

    A person who took a step back, or edited a memory, has decided as well.

    Args:
        versions: number, importance and who made it, the latest first. Where the first ones are not kept any
            more, nobody knows who set it, and what is critical counts as set by a person.
    """
    importance = versions[0][1]
    same = [*takewhile(lambda one: one[1] is importance, versions)]
    number, _, actor = same[-1]
    known = number == 1 or len(same) < len(versions)
    critical = importance is Importance.CRITICAL
    return (actor is Actor.USER and (number > 1 or critical)) if known else critical


# -- the five signals that tell how important a memory turned out to be


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
