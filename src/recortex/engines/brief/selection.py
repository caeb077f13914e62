"""Chooses the memories of the brief by group and rank, within a budget of tokens."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.vocabulary import Importance, lowest_priority_of
from recortex.engines.brief.groups import DECISION, FACT, GROUPS, PROGRESS, RULE, WARNING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from recortex.engines.brief.ranking import Ranked

LINES = {RULE: 5, DECISION: 4, WARNING: 4, FACT: 3, PROGRESS: 1}
"""The lines of each group, in the order of the headings, before what room is left goes to all of them."""
MOST_LINES = 30
"""Of the whole brief."""
COMMANDS = 2
"""The most lines that name a command which worked again and again."""

AIM, MOST = 400, 550
"""Tokens of the whole brief: the aim, and the limit that is never exceeded."""

NOTICE_TOKENS = 32
"""Kept free below the limit for the notice that a stale brief gets."""

HIGH = lowest_priority_of(Importance.HIGH)
"""From this priority on, a memory may use the tokens between the aim and the limit."""

_ORDER = {name: place for place, name in enumerate(GROUPS)}
_MOST_LOOKED_AT = 64
"""How many of each group are looked at: a brief has room for a dozen lines or two."""


class Passes(NamedTuple):
    """Memories within the lines of their groups, and the others; in order of groups, then as ranked."""

    first: list[Ranked]
    second: list[Ranked]


class Costs(NamedTuple):
    """Costs in tokens: of the frame, of each heading, of a line."""

    frame: int
    heading: Callable[[str], int]
    line: Callable[[Ranked], int]


def foremost(ranked: Iterable[Ranked]) -> list[Ranked]:
    """The first of each group, as many as are looked at, in the order that is given."""
    used: Counter[str] = Counter()
    found = []
    for one in ranked:
        used[one.group] += 1
        if used[one.group] <= _MOST_LOOKED_AT:
            found.append(one)
    return found


def passes(ranked: Iterable[Ranked]) -> Passes:
    """Separate the memories within the lines of their groups from the others; commands beyond two go."""
    used: Counter[str] = Counter()
    parted = Passes([], [])
    commands = 0
    for one in sorted(ranked, key=lambda one: (_ORDER[one.group], one.place)):
        commands += one.command
        if one.command and commands > COMMANDS:
            continue
        used[one.group] += 1
        side = parted.first if used[one.group] <= LINES[one.group] else parted.second
        side.append(one)
    return parted


def choose(parted: Passes, costs: Costs) -> list[Ranked]:
    """The memories to show, highest rank first.

    The first pass fills the lines of each group up to the aim, group by group. The second gives the room that
    is left to the other memories by their ranks; those of high priority may also use the tokens up to the
    limit. What does not fit is skipped.
    """
    taken: list[Ranked] = []
    headings: set[str] = set()
    tokens = costs.frame

    def take(one: Ranked, most: int) -> bool:
        nonlocal tokens
        cost = costs.line(one) + (0 if one.group in headings else costs.heading(one.group))
        if tokens + cost > most:
            return False
        tokens += cost
        headings.add(one.group)
        taken.append(one)
        return True

    rest = [one for one in parted.first if not take(one, AIM)]
    for one in sorted((*rest, *parted.second), key=lambda one: one.place):
        if len(taken) < MOST_LINES:
            take(one, MOST - NOTICE_TOKENS if one.priority >= HIGH else AIM)
    return sorted(taken, key=lambda one: (one.place, one.store_index))


def by_group(chosen: Sequence[Ranked]) -> list[tuple[str, list[Ranked]]]:
    """The chosen ones under their headings, in the order of `LINES`; a group without any is left out."""
    groups = [(name, [one for one in chosen if one.group == name]) for name in LINES]
    return [(name, group) for name, group in groups if group]
