"""Walking from a memory along its relations, breadth first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from recortex.domain.relation import Relation
    from recortex.domain.vocabulary import RelationType

    Direction = Literal["both", "outgoing", "incoming"]


class Way(NamedTuple):
    """Which relations to follow.

    Attributes:
        types: only these; all where there are none.
        direction: relations that begin where one stands, end there, or both; one that holds both ways always
            fits.
        min_strength: 0 to 1.
    """

    types: Collection[RelationType] = ()
    direction: Direction = "both"
    min_strength: float = 0.0

    def leads(self, relation: Relation, near: str) -> bool:
        """Whether the relation is followed from its end `near`."""
        if relation.strength < self.min_strength or (self.types and relation.type not in self.types):
            return False
        outgoing = relation.source_id == near
        return (
            self.direction == "both" or relation.bidirectional or outgoing == (self.direction == "outgoing")
        )


class WalkStep(NamedTuple):
    """A memory that was reached, and the relations that lead to it, the first from the start."""

    id: str
    path: tuple[Relation, ...]

    @property
    def depth(self) -> int:
        """How many relations away it is."""
        return len(self.path)


def walk(
    start: str,
    depth: int,
    way: Way,
    relations_of: Callable[[Sequence[str]], Iterable[Relation]],
    *,
    limit: int,
) -> list[WalkStep]:
    """The memories within `depth` relations, nearest first, then by the strength of the last relation.

    Each memory is reached once, by a shortest path and never by way of itself. Relations are asked for once
    per level.

    Args:
        start: id of the memory; it is not in the result.
        depth: how many relations to follow; 0 reaches nothing.
        way: which relations to follow.
        relations_of: every relation that begins or ends at one of some memories.
        limit: at most so many are reached.
    """
    seen = {start}
    reached: list[WalkStep] = []
    edge = [WalkStep(start, ())]
    while edge and len(edge[0].path) < depth and len(reached) < limit:
        edge = list(_next(edge, seen, way, relations_of([step.id for step in edge])))
        reached.extend(edge)
    return reached[:limit]


def _next(
    edge: Sequence[WalkStep], seen: set[str], way: Way, relations: Iterable[Relation]
) -> Iterator[WalkStep]:
    paths = {step.id: step.path for step in edge}
    strongest_first = sorted(
        relations, key=lambda one: (-one.strength, one.source_id, one.target_id, one.type)
    )
    for relation in strongest_first:
        for near in (relation.source_id, relation.target_id):
            far = relation.other(near)
            if near in paths and far not in seen and way.leads(relation, near):
                seen.add(far)
                yield WalkStep(far, (*paths[near], relation))
