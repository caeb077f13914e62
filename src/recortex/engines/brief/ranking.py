"""How much a memory matters at the start of a session."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.kinds import KINDS, Kind
from recortex.engines.decay.confidence import confidence, curve
from recortex.engines.graph.centrality import centrality

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.domain.statistics import Arc, MemoryStatistics

CONFIDENCE, PRIORITY, CENTRALITY, ACCESS, BRANCH = 0.5, 0.2, 0.15, 0.15, 0.1
_HIGHEST_PRIORITY = 10


class Shelf(NamedTuple):
    """The memories that one store may show, and their relations."""

    standings: Sequence[MemoryStatistics]
    arcs: Sequence[Arc]


class Ranked(NamedTuple):
    """A memory that may be shown.

    Attributes:
        store: place of its store among those that were ranked.
        rank: 0 to 1.
    """

    id: str
    store: int
    category: str
    rank: float
    priority: int
    content_hash: bytes


def rank(sure: float, priority: int, central: float, access: float, *, same_branch: bool = False) -> float:
    """0.5 confidence + 0.2 priority / 10 + 0.15 centrality + 0.15 access + 0.1 on its branch; at most 1.

    Args:
        sure: the confidence as it is now, 0 to 1.
        priority: 1 to 10.
        central: 0 to 1.
        access: log(accesses + 1) as a part of the greatest such logarithm, 0 to 1.
        same_branch: whether it was learned on the branch that is checked out.
    """
    total = (
        CONFIDENCE * sure
        + PRIORITY * priority / _HIGHEST_PRIORITY
        + CENTRALITY * central
        + ACCESS * access
        + (BRANCH if same_branch else 0.0)
    )
    return min(1.0, max(0.0, total))


def ranked(shelves: Sequence[Shelf], *, branch: str, now: int) -> list[Ranked]:
    """The brief's candidates of several stores, highest rank first, then by store; each text once.

    Args:
        shelves: the stores, the project's first.
        branch: that is checked out; empty where none is.
        now: microseconds since 1970 UTC.
    """
    most = max((one.access_count for shelf in shelves for one in shelf.standings), default=0)
    found = [
        one
        for place, shelf in enumerate(shelves)
        for one in _of(shelf, place, branch=branch, now=now, most=math.log(most + 1))
    ]
    found.sort(key=lambda one: -one.rank)  # stable: the stores' order breaks ties
    once: dict[bytes, Ranked] = {}
    for one in found:
        once.setdefault(one.content_hash, one)
    return list(once.values())


def _of(shelf: Shelf, place: int, *, branch: str, now: int, most: float) -> Iterator[Ranked]:
    hubs = centrality(shelf.arcs)
    for one in shelf.standings:
        content = KINDS.get(Kind(one.kind))
        if content is None or not content.category:
            continue
        central = hubs.get(one.key, 0.0)
        value = rank(
            confidence(curve(one, central), now),
            one.priority,
            central,
            math.log(one.access_count + 1) / most if most else 0.0,
            same_branch=bool(branch) and one.branch == branch,
        )
        yield Ranked(one.id, place, content.category, value, one.priority, one.content_hash)
