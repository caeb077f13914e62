"""Walking along relations: what is near a memory, what led to it, what followed, and what rests on it.

Pure functions over `relations_of`, which gives every relation that begins or ends at one of some memories
and is asked once a level. It may leave out what a `Way` does not follow (`levels`).
"""

from __future__ import annotations

from collections import Counter
from operator import attrgetter, itemgetter
from statistics import fmean
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeVar

from recortex.domain.relation import BACKWARD, CAUSAL, FORWARD
from recortex.domain.vocabulary import RelationStatus, RelationType

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
    from datetime import datetime

    from recortex.domain.relation import FormerRelation, Relation

    class Along(Protocol):
        """The part of a store's relations that a walk reads."""

        def along(
            self,
            ids: Sequence[str],
            outgoing: Collection[RelationType],
            incoming: Collection[RelationType],
            *,
            min_strength: float,
            most: int,
        ) -> Sequence[Relation]:
            """Active relations from some memories on, the strongest to each memory that is reached."""

    RelationsOf = Callable[[Sequence[str]], Iterable[Relation]]
    Direction = Literal["both", "outgoing", "incoming"]
    Node = TypeVar("Node", bound=Hashable)
    Arc = tuple[Node, Node, int]

DEPTH, STRENGTH, NODES = 5, 0.3, 50
"""How far to go, the weakest relation to follow, and the most memories to reach: the specification's."""
WEAKEST, MEAN, KEPT_PER_STEP = 0.6, 0.4, 0.95
"""The shares of a chain's weakest relation and of their mean, and what each relation after the first leaves.

The specification gives the shares and asks for a penalty of long chains without naming one. With 5 % a chain
of five certain relations (0.81) still counts more than one that is rather certain (0.8), and less than two
certain ones (0.95).
"""
_BORNE = frozenset({RelationType.SUPPORTS, RelationType.AFFECTS, RelationType.SOURCE_OF, RelationType.BLOCKS})
"""Relations of which the target rests on the source or feels its change."""
_RESTING = frozenset(
    {
        RelationType.DEPENDS_ON,
        RelationType.REQUIRES,
        RelationType.REFINES,
        RelationType.EXEMPLIFIES,
        RelationType.LEARNED_FROM,
    }
)
"""Relations of which the source rests on the target."""


class Follow(Protocol):
    """Decides which relations are followed."""

    def follows(self, relation: Relation, start: str) -> bool:
        """Whether the relation is followed from the memory `start`, one of its two ends."""


class RelationFilter(NamedTuple):
    """Which relations to follow; causes that wait for a person are never followed.

    Attributes:
        types: only these; all if empty.
        direction: follow outgoing or incoming relations, or both; a bidirectional one always qualifies.
        min_strength: 0 to 1.
    """

    types: Collection[RelationType] = ()
    direction: Direction = "both"
    min_strength: float = 0.0

    def follows(self, relation: Relation, start: str) -> bool:
        """Whether the relation is followed from the memory `start`, one of its two ends."""
        if relation.strength < self.min_strength or (self.types and relation.type not in self.types):
            return False
        if relation.doubted:
            return False
        outgoing = relation.source_id == start
        return (
            self.direction == "both" or relation.bidirectional or outgoing == (self.direction == "outgoing")
        )


class Way(NamedTuple):
    """Which relations to follow, and from which end.

    Attributes:
        outgoing: types that are followed from source to target.
        incoming: types that are followed from target to source.
        min_strength: 0 to 1.
    """

    outgoing: Collection[RelationType]
    incoming: Collection[RelationType]
    min_strength: float = STRENGTH

    def only(self, types: Collection[RelationType]) -> Way:
        """The same with only some of the types."""
        return Way({*self.outgoing} & {*types}, {*self.incoming} & {*types}, self.min_strength)

    def follows(self, relation: Relation, start: str) -> bool:
        """Whether the relation, which is active, leads on from the memory `start`, one of its two ends."""
        if relation.status is not RelationStatus.ACTIVE or relation.strength < self.min_strength:
            return False
        types = self.outgoing if relation.source_id == start else self.incoming
        return relation.type in types or (
            relation.bidirectional and relation.type in {*self.outgoing, *self.incoming}
        )


def to_causes(min_strength: float = STRENGTH) -> Way:
    """From an effect to what led to it."""
    return Way(BACKWARD, FORWARD, min_strength)


def to_effects(min_strength: float = STRENGTH) -> Way:
    """From a cause to what followed."""
    return Way(FORWARD, BACKWARD, min_strength)


def to_dependents(min_strength: float = STRENGTH) -> Way:
    """From a memory to what rests on it, by cause or otherwise."""
    return Way(FORWARD | _BORNE, BACKWARD | _RESTING, min_strength)


def levels(relations: Along, way: Way, limit: int = NODES) -> RelationsOf:
    """A `relations_of` that reads of each level only what a walk along a way can need.

    A walk that reaches at most `limit` memories knows no more of them, and begins at one: of twice as many
    that are near, enough are new to it.
    """

    def relations_of(ids: Sequence[str]) -> Sequence[Relation]:
        most = 2 * limit + 2
        return relations.along(ids, way.outgoing, way.incoming, min_strength=way.min_strength, most=most)

    return relations_of


class Step(NamedTuple):
    """A memory that was reached, and the relations that lead to it, the first from the start."""

    id: str
    path: tuple[Relation, ...]

    @property
    def depth(self) -> int:
        """How many relations away it is."""
        return len(self.path)

    @property
    def confidence(self) -> float:
        """Of that chain, 0 to 1."""
        return confidence([relation.strength for relation in self.path])


def walk(
    start: str, follow: Follow, relations_of: RelationsOf, *, depth: int = DEPTH, limit: int = NODES
) -> list[Step]:
    """The memories within `depth` relations, nearest first, then by the strength of the last relation.

    Each memory is reached once, by a shortest path. Relations are read once per level.

    Args:
        start: id of the memory; it is not in the result.
        follow: which relations to follow.
        relations_of: every relation that begins or ends at one of some memories.
        depth: how many relations to follow; 0 reaches nothing.
        limit: the most memories to reach.
    """
    seen = {start}
    reached: list[Step] = []
    frontier = [Step(start, ())]
    while frontier and frontier[0].depth < depth and len(reached) < limit:
        frontier = list(_next(frontier, seen, follow, relations_of([step.id for step in frontier])))
        reached.extend(frontier)
    return reached[:limit]


def _next(
    frontier: Sequence[Step], seen: set[str], follow: Follow, relations: Iterable[Relation]
) -> Iterator[Step]:
    paths = {step.id: step.path for step in frontier}
    # Of several shortest paths to a memory, the one whose last relation is strongest is kept.
    strongest_first = sorted(
        relations, key=lambda one: (-one.strength, one.source_id, one.target_id, one.type)
    )
    for relation in strongest_first:
        for start in (relation.source_id, relation.target_id):
            end = relation.other(start)
            if start in paths and end not in seen and follow.follows(relation, start):
                seen.add(end)
                yield Step(end, (*paths[start], relation))


class Fallen(NamedTuple):
    """An effect of what is imagined away.

    Attributes:
        others: ids of causes that it would keep; without any it falls entirely.
        freed: it did not happen, since what is imagined away prevented it.
    """

    step: Step
    others: tuple[str, ...] = ()
    freed: bool = False


def counterfactual(
    start: str,
    relations_of: RelationsOf,
    every: RelationsOf | None = None,
    *,
    way: Way | None = None,
    depth: int = DEPTH,
    limit: int = NODES,
) -> list[Fallen]:
    """What would be missing without a memory, and which of that has other causes; a part of its effects.

    An effect falls with its last cause. One that has a cause which does not fall keeps that, and so do the
    effects of this one.

    Args:
        start: id of the memory.
        relations_of: as for a walk.
        every: the same, which leaves out nothing; `relations_of` where that leaves out nothing.
        way: how effects are followed.
        depth: how many relations to follow.
        limit: the most memories to reach.
    """
    way = way or to_effects()
    steps = walk(start, way, relations_of, depth=depth, limit=limit)
    ids = [step.id for step in steps]
    causes: dict[str, set[str]] = {id_: set() for id_ in ids}
    for one in (every or relations_of)(ids) if ids else ():
        if one.type in CAUSAL:
            for near in (one.source_id, one.target_id):
                if one.other(near) in causes and way.follows(one, near):
                    causes[one.other(near)].add(near)
    fallen = _fallen(start, causes)
    return [
        Fallen(
            step,
            tuple(sorted(causes[step.id] - fallen)),
            step.path[-1].type is RelationType.PREVENTED,
        )
        for step in steps
    ]


def _fallen(start: str, causes: dict[str, set[str]]) -> set[str]:
    """The start and what has no cause left without it."""
    fallen, before = {start}, 0
    while len(fallen) > before:
        before = len(fallen)
        fallen |= {id_ for id_, of in causes.items() if of <= fallen}
    return fallen


def confidence(strengths: Sequence[float]) -> float:
    """The confidence of a chain, 0 to 1; 1 for one without relations.

    Args:
        strengths: of its relations, 0 to 1 each.
    """
    if not strengths:
        return 1.0
    believed = WEAKEST * min(strengths) + MEAN * fmean(strengths)
    return round(believed * KEPT_PER_STEP ** (len(strengths) - 1), 4)


def known_at(at: datetime, relations: Iterable[Relation], former: Iterable[FormerRelation]) -> list[Relation]:
    """The relations that were recorded at a time, as they were then.

    Args:
        at: a recording time.
        relations: as they are now.
        former: what they, and those that were taken away since, were.
    """
    held = {(one.source_id, one.target_id, one.type): one for one in relations if one.created_at <= at}
    # Of several states that ended since then, the one that ended first held at that time.
    for state in sorted(former, key=attrgetter("ended_at"), reverse=True):
        one = state.relation
        if one.created_at <= at < state.ended_at:
            held[one.source_id, one.target_id, one.type] = one
    return list(held.values())


def centrality(arcs: Sequence[Arc[Node]]) -> dict[Node, float]:
    """The in-degree of each node as a part of the greatest, above 0 and at most 1; one without is left out.

    Args:
        arcs: (source, target, whether it holds both ways) of each active relation; both ways counts at both
            ends.
    """
    degrees: Counter[Node] = Counter(map(itemgetter(1), arcs))
    degrees.update(map(itemgetter(0), filter(itemgetter(2), arcs)))
    greatest = max(degrees.values(), default=0)
    return {node: degree / greatest for node, degree in degrees.items()}
