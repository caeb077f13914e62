"""How much a memory matters at the start of a session."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.lasting import is_rule
from recortex.domain.session import Outcome
from recortex.domain.vocabulary import Origin
from recortex.engines.brief.groups import COMMAND, Bearing, group_of, is_work_branch
from recortex.engines.decay.confidence import confidence, curve
from recortex.engines.graph.walks import centrality
from recortex.engines.sessions.usefulness import usefulness

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recortex.domain.statistics import Arc, MemoryStatistics

CONFIDENCE, PRIORITY, CENTRALITY, ACCESS, BRANCH, FILES = 0.5, 0.2, 0.15, 0.15, 0.1, 0.1
"""Weights of a rank; they are part of what is documented, not measured."""
NEAR = 0.5
"""How much of the weight of files those have that belong with them (bench/neighbours.py --brief)."""
_HIGHEST_PRIORITY = 10


class Presentable(NamedTuple):
    """The memories that the brief may show of one store, and their relations.

    Attributes:
        touched: keys of memories about files that are being worked on.
        near: keys of those about files that belong with these.
        outcomes: in how many sessions each was given and used, by id; of those that ever were.
    """

    memories: Sequence[MemoryStatistics]
    arcs: Sequence[Arc]
    touched: frozenset[int] = frozenset()
    near: frozenset[int] = frozenset()
    outcomes: Mapping[str, Outcome] = {}


class Ranked(NamedTuple):
    """A memory that may be shown.

    Attributes:
        store_index: the place of its store in the list of those that were ranked.
        group: that it is shown under.
        rank: 0 to 1.
        command: whether it names a command that worked again and again.
        repository: whether it is the repository's word, which stands below what others said.
    """

    id: str
    store_index: int
    group: str
    rank: float
    priority: int
    content_hash: bytes
    command: bool = False
    repository: bool = False

    @property
    def place(self) -> tuple[bool, float]:
        """Sorts what is told first to the front."""
        return self.repository, -self.rank


def rank(
    current_confidence: float,
    priority: int,
    central: float,
    access: float,
    *,
    same_branch: bool = False,
    files: float = 0.0,
    use: float = 1.0,
) -> float:
    """The sum of what speaks for a memory, times its use; from 0 to 1.

    0.5 confidence + 0.2 priority / 10 + 0.15 centrality + 0.15 access + 0.1 if on the branch + 0.1 if about
    files that are being worked on, half of that if about files that belong with these.

    Args:
        current_confidence: 0 to 1, after decay.
        priority: 1 to 10.
        central: the centrality, 0 to 1.
        access: log(accesses + 1) / the largest such logarithm, 0 to 1.
        same_branch: whether it was learned on the branch that is checked out.
        files: 1 if it is about a file that is being worked on, a half about one that belongs with such a one.
        use: how much likelier it is to be used than one that was never given (`engines/sessions/usefulness`);
            above 1 it counts as its square root.
    """
    total = (
        CONFIDENCE * current_confidence
        + PRIORITY * priority / _HIGHEST_PRIORITY
        + CENTRALITY * central
        + ACCESS * access
        + (BRANCH if same_branch else 0.0)
        + FILES * files
    )
    return min(1.0, max(0.0, total * (use if use < 1.0 else math.sqrt(use))))


def ranked(stores: Sequence[Presentable], *, branch: str, now: int) -> list[Ranked]:
    """The brief's candidates of several stores, each text once.

    The repository's word comes after all others; then highest rank first, then by store.

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
    found.sort(key=lambda one: one.place)  # stable: the stores' order breaks ties
    once: dict[bytes, Ranked] = {}
    for one in found:
        once.setdefault(one.content_hash, one)
    return list(once.values())


def _ranked(store: Presentable, index: int, *, branch: str, now: int, most_accesses: int) -> Iterator[Ranked]:
    hubs = centrality(store.arcs)
    for memory in store.memories:
        here = bool(branch) and memory.branch == branch
        outcome = store.outcomes.get(memory.id, Outcome())
        bearing = Bearing(memory.key in store.touched, here and is_work_branch(branch), outcome)
        group = group_of(memory, bearing, now)
        if not group:
            continue
        central = hubs.get(memory.key, 0.0)
        value = rank(
            _confidence(memory, central, now),
            memory.priority,
            central,
            math.log(memory.access_count + 1) / math.log(most_accesses + 1) if most_accesses else 0.0,
            same_branch=here,
            files=1.0 if bearing.files else NEAR * (memory.key in store.near),
            use=max(usefulness(outcome), 1.0 if is_rule(memory.kind, memory.trust, memory.rule) else 0.0),
        )
        command = memory.rule == COMMAND
        repositorys = memory.origin == Origin.REPOSITORY
        yield Ranked(
            memory.id, index, group, value, memory.priority, memory.content_hash, command, repositorys
        )


def _confidence(memory: MemoryStatistics, central: float, now: int) -> float:
    """What time has left of the confidence: since it was said, not since it was imported."""
    if is_rule(memory.kind, memory.trust, memory.rule):
        return memory.confidence
    said = memory._replace(recorded_at=min(memory.recorded_at, memory.valid_from or memory.recorded_at))
    return confidence(curve(said, central), now)
