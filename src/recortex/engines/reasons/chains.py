"""Follows relations from some memories: up to what led to them, down to what came of them, never back.

What stands beside (support, conflict) is told of the memories themselves alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.engines.graph.walks import DEPTH, NODES, STRENGTH
from recortex.engines.reasons.narrative import VERBS, Link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from recortex.domain.reasons import Section
    from recortex.domain.relation import Relation
    from recortex.engines.graph.walks import Along

    class Relations(Along, Protocol):
        """The part of a store's relations that is read."""

        def of(self, ids: Sequence[str]) -> Sequence[Relation]:
            """Every relation that begins or ends at one of some memories."""


_ONWARD: frozenset[Section] = frozenset(("origins", "effects"))


def links(
    starts: Sequence[str],
    relations_of: Callable[[Sequence[str]], Iterable[Relation]],
    *,
    depth: int = DEPTH,
    least: float = STRENGTH,
    most: int = NODES,
) -> list[Link]:
    """The relations that explain some memories, nearest first, then the strongest.

    Relations are read once a level.

    Args:
        starts: ids of the memories.
        relations_of: every relation that begins or ends at one of some memories.
        depth: relations one after the other.
        least: weaker relations are passed over.
        most: memories that are reached beside the starts.
    """
    paths: dict[str, tuple[Relation, ...]] = dict.fromkeys(starts, ())
    ways: dict[str, Section | None] = dict.fromkeys(starts)
    frontier, found = list(paths), list[Link]()
    while frontier and depth > 0:
        reached: list[str] = []
        for near, relation, section in _steps(frontier, ways, relations_of(frontier), least):
            far = relation.other(near)
            if far not in paths and len(paths) >= most + len(starts):
                continue
            path = (*paths[near], relation)
            found.append(Link(near, relation, path))
            if far not in paths:
                paths[far] = path
                if section in _ONWARD:
                    ways[far] = section
                    reached.append(far)
        frontier, depth = reached, depth - 1
    return found


def _steps(
    frontier: Sequence[str], ways: dict[str, Section | None], relations: Iterable[Relation], least: float
) -> Iterator[tuple[str, Relation, Section]]:
    at = frozenset(frontier)
    for one in sorted(relations, key=lambda one: (-one.strength, one.source_id, one.target_id, one.type)):
        verb = VERBS.get(one.type)
        if verb is None or one.strength < least:
            continue
        for near, section in ((one.source_id, verb.of_target), (one.target_id, verb.of_source)):
            if near in at and ways[near] in (None, section):
                yield near, one, section


def reading(relations: Relations, starts: Sequence[str]) -> Callable[[Sequence[str]], Iterable[Relation]]:
    """A `relations_of` for `links`: what is certain, and what may contradict the memories asked about.

    Of each level it reads no more than a walk can need, however many relations a memory has.
    """
    asked = frozenset(starts)

    def relations_of(ids: Sequence[str]) -> Iterable[Relation]:
        types, most = frozenset(VERBS), 2 * NODES + 2
        yield from relations.along(ids, types, types, min_strength=STRENGTH, most=most)
        if asked.intersection(ids):
            for one in relations.of([id_ for id_ in ids if id_ in asked]):
                if one.type is RelationType.CONTRADICTS and one.status is RelationStatus.SUGGESTED:
                    yield one

    return relations_of
