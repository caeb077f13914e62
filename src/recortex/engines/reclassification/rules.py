"""When a memory's importance moves by a step: rules and safeguards."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.vocabulary import Actor, Importance, importance_of
from recortex.engines.maintenance.due import DAY, MONTH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.statistics import Standing

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
