"""Walking from a memory along its relations, breadth first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from recortex.domain.relation import Relation
    from recortex.domain.vocabulary import RelationType

    Direction = Literal["both", "outgoing", "incoming"]


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


class WalkStep(NamedTuple):
    """A memory that was reached, and the path of relations that leads to it from the start."""

    id: str
    path: tuple[Relation, ...]

    @property
    def depth(self) -> int:
        """How many relations away it is."""
        return len(self.path)


def walk(
    start: str,
    depth: int,
    follow: Follow,
    relations_of: Callable[[Sequence[str]], Iterable[Relation]],
    *,
    limit: int,
) -> list[WalkStep]:
    """The memories within `depth` relations, nearest first, then by the strength of the last relation.

    Each memory is reached once, by a shortest path. Relations are read once per level.

    Args:
        start: id of the memory; it is not in the result.
        depth: how many relations to follow; 0 reaches nothing.
        follow: which relations to follow.
        relations_of: every relation that begins or ends at one of some memories.
        limit: the most memories to reach.
    """
    seen = {start}
    reached: list[WalkStep] = []
    frontier = [WalkStep(start, ())]
    while frontier and frontier[0].depth < depth and len(reached) < limit:
        frontier = list(_next(frontier, seen, follow, relations_of([step.id for step in frontier])))
        reached.extend(frontier)
    return reached[:limit]


def _next(
    frontier: Sequence[WalkStep], seen: set[str], follow: Follow, relations: Iterable[Relation]
) -> Iterator[WalkStep]:
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
                yield WalkStep(end, (*paths[start], relation))
