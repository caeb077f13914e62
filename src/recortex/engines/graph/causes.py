"""Following causes and effects: what led to a memory, what followed from it, and what rests on it.

Pure functions over `relations_of`, which gives every relation that begins or ends at one of some memories
and is asked once a level. It may leave out what a `Way` does not follow (`levels`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from recortex.domain.relation import BACKWARD, CAUSAL, FORWARD
from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.engines.graph.chains import confidence
from recortex.engines.graph.walk import WalkStep, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from recortex.domain.relation import Relation

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

DEPTH, STRENGTH, NODES = 5, 0.3, 50
"""How far to go, the weakest relation to follow, and the most memories to reach: the specification's."""


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


def levels(relations: Along, way: Way, limit: int = NODES) -> RelationsOf:
    """A `relations_of` that reads of each level only what a walk along a way can need.

    A walk that reaches at most `limit` memories knows no more of them, and begins at one: of twice as many
    that are near, enough are new to it.
    """

    def relations_of(ids: Sequence[str]) -> Sequence[Relation]:
        most = 2 * limit + 2
        return relations.along(ids, way.outgoing, way.incoming, min_strength=way.min_strength, most=most)

    return relations_of


def to_causes(min_strength: float = STRENGTH) -> Way:
    """From an effect to what led to it."""
    return Way(BACKWARD, FORWARD, min_strength)


def to_effects(min_strength: float = STRENGTH) -> Way:
    """From a cause to what followed."""
    return Way(FORWARD, BACKWARD, min_strength)


def to_dependents(min_strength: float = STRENGTH) -> Way:
    """From a memory to what rests on it, by cause or otherwise."""
    return Way(FORWARD | _BORNE, BACKWARD | _RESTING, min_strength)


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


class Step(NamedTuple):
    """A memory that was reached.

    Attributes:
        path: the relations that lead to it, the first from the start.
        confidence: of that chain, 0 to 1.
    """

    id: str
    path: tuple[Relation, ...]
    confidence: float

    @property
    def depth(self) -> int:
        """How many relations away it is."""
        return len(self.path)


def reached(
    start: str, way: Way, relations_of: RelationsOf, *, depth: int = DEPTH, limit: int = NODES
) -> list[Step]:
    """What is reached along a way within `depth` relations, nearest first; at most `limit` memories."""
    return [_step(one) for one in walk(start, depth, way, relations_of, limit=limit)]


def origins(start: str, relations_of: RelationsOf, *, depth: int = DEPTH, limit: int = NODES) -> list[Step]:
    """What led to a memory."""
    return reached(start, to_causes(), relations_of, depth=depth, limit=limit)


def effects(start: str, relations_of: RelationsOf, *, depth: int = DEPTH, limit: int = NODES) -> list[Step]:
    """What followed from a memory."""
    return reached(start, to_effects(), relations_of, depth=depth, limit=limit)


def both(start: str, relations_of: RelationsOf, *, depth: int = DEPTH, limit: int = NODES) -> list[Step]:
    """Its origins and its effects, nearest first: no memory is both."""
    found = [
        *origins(start, relations_of, depth=depth, limit=limit),
        *effects(start, relations_of, depth=depth, limit=limit),
    ]
    return sorted(found, key=lambda step: step.depth)[:limit]


def neighbours(start: str, relations_of: RelationsOf, *, limit: int = NODES) -> list[Step]:
    """Its immediate causes and effects."""
    return both(start, relations_of, depth=1, limit=limit)


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
    steps = reached(start, way, relations_of, depth=depth, limit=limit)
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


def _step(one: WalkStep) -> Step:
    return Step(one.id, one.path, confidence([relation.strength for relation in one.path]))
