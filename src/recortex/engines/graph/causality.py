"""Keeps relations of cause and effect free of cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.vocabulary import RelationType
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from recortex.domain.relation import Relation

    RelationsOf = Callable[[Sequence[str]], Iterable[Relation]]

_FORWARD = frozenset({RelationType.CAUSED, RelationType.ENABLED, RelationType.PREVENTED})
_BACKWARD = frozenset({RelationType.TRIGGERED_BY, RelationType.DERIVED_FROM})
"""Relations whose target is the cause. `supports` and `contradicts` hold both ways, and a superseded memory
may be restored and supersede others in turn, so those may form cycles."""

_SHORT = 8


def order(relation: Relation) -> tuple[str, str] | None:
    """Cause and effect of a relation; None if its type is not causal."""
    if relation.type in _FORWARD:
        return relation.source_id, relation.target_id
    return (relation.target_id, relation.source_id) if relation.type in _BACKWARD else None


def cycle(relation: Relation, relations_of: RelationsOf) -> list[Relation]:
    """The relations from a new one's effect back to its cause, itself first; empty if there is no cycle.

    Args:
        relation: the one that is to be added.
        relations_of: returns every relation that begins or ends at one of the given memories.
    """
    ends = order(relation)
    if ends is None:
        return []
    cause, effect = ends
    if relation.bidirectional or cause == effect:
        return [relation]
    paths: dict[str, list[Relation]] = {effect: [relation]}
    frontier = [effect]
    while frontier and cause not in paths:
        frontier = list(_next(frontier, paths, relations_of(frontier)))
    return paths.get(cause, [])


def _next(
    frontier: Sequence[str], paths: dict[str, list[Relation]], relations: Iterable[Relation]
) -> Iterator[str]:
    for one in relations:
        ends = order(one)
        if ends and ends[0] in frontier and ends[1] not in paths:
            paths[ends[1]] = [*paths[ends[0]], one]
            yield ends[1]


def in_words(path: Sequence[Relation]) -> str:
    """A cycle in words: `1a2b3c4d caused 5e6f7a8b, 5e6f7a8b caused 1a2b3c4d`."""
    return ", ".join(f"{one.source_id[:_SHORT]} {one.type} {one.target_id[:_SHORT]}" for one in path)


def refuse_cycle(relation: Relation, relations_of: RelationsOf) -> None:
    """Check that a relation closes no cycle. Call it in the transaction that writes the relation.

    Raises:
        InvalidInputError: it would make a memory a cause of itself; the message names the cycle.
    """
    if path := cycle(relation, relations_of):
        both = " in both directions" if relation.bidirectional else ""
        raise InvalidInputError(
            f"A memory would be a cause of itself{both}: {in_words(path)}.",
            hint="Remove the relation of these that is wrong with `recortex unlink`, or choose another one.",
        )
