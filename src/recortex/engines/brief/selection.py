"""Chooses the memories of the brief by category and rank, within a budget of tokens."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.vocabulary import Importance, lowest_priority_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from recortex.engines.brief.ranking import Ranked

LINES = {
    "architecture": 25,
    "decision": 25,
    "pattern": 25,
    "gotcha": 20,
    "progress": 30,
    "context": 15,
    "code_description": 10,
}
"""The most lines of each category, in the order of the headings. A category that is not here is never
shown."""

AIM, MOST = 400, 550
"""Tokens of the whole brief: the aim, and the limit that is never exceeded."""

NOTICE_TOKENS = 32
"""Kept free below the limit for the notice that a stale brief gets."""

HIGH = lowest_priority_of(Importance.HIGH)
"""From this priority on, a memory may use the tokens between the aim and the limit."""

_MOST_LOOKED_AT = 64
"""How many of each pass are looked at: a brief has room for thirty lines at most."""


class Passes(NamedTuple):
    """Memories within the lines of their categories, and the others; each in order of rank."""

    first: list[Ranked]
    second: list[Ranked]


class Costs(NamedTuple):
    """Costs in tokens: of the frame, of each heading, of a line."""

    frame: int
    heading: Callable[[str], int]
    line: Callable[[Ranked], int]


def passes(ranked: Iterable[Ranked]) -> Passes:
    """Separate the memories within the lines of their categories from the others."""
    used: Counter[str] = Counter()
    parted = Passes([], [])
    for one in ranked:
        within = used[one.category] < LINES[one.category]
        used[one.category] += 1
        side = parted.first if within else parted.second
        if len(side) < _MOST_LOOKED_AT:
            side.append(one)
    return parted


def choose(parted: Passes, costs: Costs) -> list[Ranked]:
    """The memories to show, highest rank first.

    The first pass fills the lines of each category up to the aim. The second gives the remaining lines to the
    other memories; those of high priority may also use the tokens up to the limit. What does not fit is
    skipped.
    """
    taken: list[Ranked] = []
    headings: set[str] = set()
    tokens = costs.frame

    def take(one: Ranked, most: int) -> bool:
        nonlocal tokens
        cost = costs.line(one) + (0 if one.category in headings else costs.heading(one.category))
        if tokens + cost > most:
            return False
        tokens += cost
        headings.add(one.category)
        taken.append(one)
        return True

    rest = [one for one in parted.first if not take(one, AIM)]
    for one in sorted((*rest, *parted.second), key=lambda one: -one.rank):
        if len(taken) < sum(LINES.values()):
            take(one, MOST - NOTICE_TOKENS if one.priority >= HIGH else AIM)
    return sorted(taken, key=lambda one: (-one.rank, one.store_index))


def by_category(chosen: Sequence[Ranked]) -> list[tuple[str, list[Ranked]]]:
    """The chosen ones under their headings, in the order of `LINES`; a category without any is left out."""
    groups = [(name, [one for one in chosen if one.category == name]) for name in LINES]
    return [(name, group) for name, group in groups if group]
