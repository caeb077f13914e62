"""Follows relations from some memories: up to what led to them, down to what came of them, never back.

What stands beside (support, conflict) is told of the memories themselves alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.reasons.narrative import VERBS, Link

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from recortex.domain.reasons import Section
    from recortex.domain.relation import Relation

DEPTH, LEAST_STRENGTH, MOST_NODES = 5, 0.3, 50
"""Relations one after the other, the weakest that is followed, and memories that are reached; as the
specification of the traversal gives them."""
_ONWARD: frozenset[Section] = frozenset(("origins", "effects"))


def links(
    starts: Sequence[str],
    relations_of: Callable[[Sequence[str]], Iterable[Relation]],
    *,
    depth: int = DEPTH,
    least: float = LEAST_STRENGTH,
    most: int = MOST_NODES,
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
