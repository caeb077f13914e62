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
"""Weights of a rank; they are part of what is documented, not measured."""
_HIGHEST_PRIORITY = 10


class Presentable(NamedTuple):
    """The memories that the brief may show of one store, and their relations."""

    memories: Sequence[MemoryStatistics]
    arcs: Sequence[Arc]


class Ranked(NamedTuple):
    """A memory that may be shown.

    Attributes:
        store_index: the place of its store in the list of those that were ranked.
        rank: 0 to 1.
    """

    id: str
    store_index: int
    category: str
    rank: float
    priority: int
    content_hash: bytes


def rank(
    current_confidence: float, priority: int, central: float, access: float, *, same_branch: bool = False
) -> float:
    """0.5 confidence + 0.2 priority / 10 + 0.15 centrality + 0.15 access + 0.1 if on the branch; at most 1.

    Args:
        current_confidence: 0 to 1, after decay.
        priority: 1 to 10.
        central: the centrality, 0 to 1.
        access: log(accesses + 1) / the largest such logarithm, 0 to 1.
        same_branch: whether it was learned on the branch that is checked out.
    """
    total = (
        CONFIDENCE * current_confidence
        + PRIORITY * priority / _HIGHEST_PRIORITY
        + CENTRALITY * central
        + ACCESS * access
        + (BRANCH if same_branch else 0.0)
    )
    return min(1.0, max(0.0, total))


def ranked(stores: Sequence[Presentable], *, branch: str, now: int) -> list[Ranked]:
    """The brief's candidates of several stores, highest rank first, then by store; each text once.

    Args:
        stores: what each may show, the project's first.
        branch: the one that is checked out; empty where none is.
        now: microseconds since 1970 UTC.
    """
    most_accesses = max((memory.access_count for store in stores for memory in store.memories), default=0)
    found = [
        one
        for index, store in enumerate(stores)
        for one in _ranked(store, index, branch=branch, now=now, most_accesses=most_accesses)
    ]
    found.sort(key=lambda one: -one.rank)  # stable: the stores' order breaks ties
    once: dict[bytes, Ranked] = {}
    for one in found:
        once.setdefault(one.content_hash, one)
    return list(once.values())


def _ranked(store: Presentable, index: int, *, branch: str, now: int, most_accesses: int) -> Iterator[Ranked]:
    hubs = centrality(store.arcs)
    for memory in store.memories:
        content = KINDS.get(Kind(memory.kind))
        if content is None or not content.category:  # a kind of a newer program, or one that no brief shows
            continue
        central = hubs.get(memory.key, 0.0)
        value = rank(
            confidence(curve(memory, central), now),
            memory.priority,
            central,
            math.log(memory.access_count + 1) / math.log(most_accesses + 1) if most_accesses else 0.0,
            same_branch=bool(branch) and memory.branch == branch,
        )
        yield Ranked(memory.id, index, content.category, value, memory.priority, memory.content_hash)
