"""Relations between memories, what a new statement does to a known one, and the history of both."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from recortex.domain.memory import Memory
from recortex.domain.vocabulary import Actor, RelationStatus, RelationType
from recortex.lean import NamedTuple, Value, field

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    Node = TypeVar("Node", bound=Hashable)
    Named = TypeVar("Named")


FORWARD = frozenset({RelationType.CAUSED, RelationType.ENABLED, RelationType.PREVENTED})
"""Relations whose source is the cause."""
BACKWARD = frozenset({RelationType.TRIGGERED_BY, RelationType.DERIVED_FROM})
"""Relations whose target is the cause.

Of the specification's eight causal types three are left out of the test. `contradicts` is symmetric. Two
memories may support each other, each being evidence for the other. And a memory that was superseded may be
restored and supersede its successor: both happened, and refusing the second would falsify the record.
"""
CAUSAL = FORWARD | BACKWARD

CONSENSUS = 3
"""Memories that support the same conclusion are a consensus from this many on."""

Ending = Literal["removed", "changed", "rejected", "pruned"]
"""Why a relation is no longer what it was; `rejected`: somebody took it away, so nothing infers it again."""

BOTH_HOLD = "a person said that both hold"
"""The evidence of a relation that was taken for a contradiction, and is none."""


class Relation(Value, frozen=True):
    """`source_id` is `type` of `target_id`.

    Attributes:
        strength: 0 to 1.
        evidence: why it is thought to hold, a sentence each.
        inferred: an engine found it; nobody stated it.
        bidirectional: it holds both ways.
    """

    source_id: str
    target_id: str
    type: RelationType
    created_at: datetime
    strength: float = 1.0
    evidence: tuple[str, ...] = ()
    inferred: bool = False
    status: RelationStatus = RelationStatus.ACTIVE
    bidirectional: bool = False

    @property
    def judged(self) -> bool:
        """Whether it says which of the two holds, or that both do, or waits for a person to say it."""
        judging = self.type in {RelationType.SUPERSEDES, RelationType.CONTRADICTS}
        return judging or BOTH_HOLD in self.evidence

    @property
    def doubted(self) -> bool:
        """Whether it is a cause that was only inferred, and waits for a person."""
        return self.status is RelationStatus.SUGGESTED and self.type in CAUSAL

    def other(self, memory_id: str) -> str:
        """The end that is not `memory_id`."""
        return self.target_id if memory_id == self.source_id else self.source_id


class FormerRelation(Value, frozen=True):
    """What a relation was from its `created_at` until `ended_at`, without its evidence."""

    relation: Relation
    ended_at: datetime
    reason: Ending


# -- causes

_SHORT = 8


def order(relation: Relation) -> tuple[str, str] | None:
    """Cause and effect of a relation, as ids; None if its type is not causal."""
    if relation.type in FORWARD:
        return relation.source_id, relation.target_id
    return (relation.target_id, relation.source_id) if relation.type in BACKWARD else None


def shortest(start: Node, goal: Node, arcs: Iterable[tuple[Node, Node, Named]]) -> list[Named]:
    """What the arcs are called that lead from one node to another by the fewest; empty where there is no way.

    Args:
        start: where the way begins.
        goal: where it ends.
        arcs: cause, effect, and what it is called.
    """
    after: dict[Node, list[tuple[Node, Named]]] = {}
    for cause, effect, name in arcs:
        after.setdefault(cause, []).append((effect, name))
    came: dict[Node, tuple[Node, Named]] = {}
    frontier = [start]
    # By breadth, so that the way that is found is a shortest one.
    while frontier and goal not in came:
        reached: list[Node] = []
        for near in frontier:
            for end, name in after.get(near, ()):
                if end not in came and end != start:
                    came[end] = near, name
                    reached.append(end)
        frontier = reached
    way: list[Named] = []
    while goal in came:
        goal, name = came[goal]
        way.append(name)
    return way[::-1]


def in_words(path: Sequence[Relation]) -> str:
    """A circle in words: `1a2b3c4d caused 5e6f7a8b, 5e6f7a8b caused 1a2b3c4d`."""
    return ", ".join(f"{one.source_id[:_SHORT]} {one.type} {one.target_id[:_SHORT]}" for one in path)


class Arc(NamedTuple):
    """A causal relation between memories by their keys.

    Attributes:
        strength: 0 to 1.
        type: of the relation, which names it together with its ends.
    """

    cause: int
    effect: int
    strength: float
    type: str


def untangled(arcs: Sequence[Arc]) -> tuple[list[int], list[Arc]]:
    """Memories in an order with each cause before its effects, and what had to be left out for one.

    Of each circle the weakest relation is left out. Of memories that may come next the smallest key does, so
    that the order is that of recording as far as it can be.
    """
    left, leaving = set(range(len(arcs))), defaultdict[int, list[int]](list)
    entering = defaultdict[int, set[int]](set)
    for place, arc in enumerate(arcs):
        leaving[arc.cause].append(place)
        entering[arc.effect].add(place)
    waiting = {end for arc in arcs for end in (arc.cause, arc.effect)}
    ready = [key for key in waiting if not entering[key]]
    heapify(ready)
    order, dropped = list[int](), list[Arc]()
    while waiting:
        while ready:
            order.append(key := heappop(ready))
            waiting.discard(key)
            for place in left.intersection(leaving[key]):
                _drop(place, arcs[place].effect, left, entering, ready)
        if waiting:
            weakest = min(
                _circle(min(waiting), arcs, entering), key=lambda place: (arcs[place][2], arcs[place])
            )
            dropped.append(arcs[weakest])
            _drop(weakest, arcs[weakest].effect, left, entering, ready)
    return order, dropped


def _drop(place: int, effect: int, left: set[int], entering: dict[int, set[int]], ready: list[int]) -> None:
    left.discard(place)
    entering[effect].discard(place)
    if not entering[effect]:
        heappush(ready, effect)


def _circle(start: int, arcs: Sequence[Arc], entering: dict[int, set[int]]) -> list[int]:
    """The places of arcs that make a circle, found by going back from a memory that each cause of has one."""
    way, seen = list[int](), dict[int, int]()
    while start not in seen:
        seen[start] = len(way)
        way.append(min(entering[start]))
        start = arcs[way[-1]].cause
    return way[seen[start] :]


# -- what happened to a memory: its former states, and who changed what


KEPT_VERSIONS = 10
"""How many states of a memory are kept: the current one and the nine before it."""
Gone = Literal["purge", "expiry", "move"]
"""Why a memory is gone from a store for good: purged by a person, expired after pruning, or moved."""


class Version(Value, frozen=True, kw_only=True):
    """A state of a memory and the recording interval in which it held.

    Attributes:
        recorded_from: inclusive.
        recorded_to: exclusive; None for the state that holds now.
        changed_by, reason: who made this state, and why.
    """

    memory: Memory
    version: int
    recorded_from: datetime
    recorded_to: datetime | None
    changed_by: Actor
    reason: str = ""


class AuditEntry(Value, frozen=True, kw_only=True):
    """One mutation of a memory. Details never hold a memory's text, so that a purge leaves nothing behind.

    Attributes:
        operation: create, update, archive, restore, link, unlink, supersede, merge, undo, purge, …
    """

    memory_id: str
    operation: str
    actor: Actor
    at: datetime
    details: dict[str, Any] = field(default_factory=dict)


class Tombstone(NamedTuple):
    """What stays of a memory that is gone for good."""

    at: datetime
    reason: Gone


# -- what a new statement does to a known one, as a model reads the two


class Chances(NamedTuple):
    """Probabilities that add up to 1.

    Attributes:
        stays: both can hold.
        part: a part of the known one ends, or it may have ended.
        ends: the known one no longer holds.
    """

    stays: float
    part: float
    ends: float


READER = "shipped-2"
"""What reads two statements: the shipped model, and what this version makes of its chances and of words.

Where either changes this does, and the pairs are read again."""


class Verdict(NamedTuple):
    """What was read in a known and a new memory.

    Attributes:
        reader: what read them.
        known_version, new_version: the versions of both that were read.
        outcome: nothing, contradicts or replaces.
        chance: that it is so, 0 to 1.
    """

    known_id: str
    new_id: str
    reader: str
    known_version: int
    new_version: int
    outcome: str
    chance: float
