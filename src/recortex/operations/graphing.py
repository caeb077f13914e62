"""Walking along relations: traverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from recortex.domain.memory import Memory
from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RelationType
from recortex.engines.graph.walk import RelationFilter, walk
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.errors import InvalidInputError
from recortex.operations.base import MAX_DEPTH, Operations, bounded
from recortex.operations.registry import operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A memory that was reached.

    Attributes:
        depth: how many relations away it is.
        path: those relations, the first from the memory that the walk began at.
    """

    memory: Memory
    depth: int
    path: tuple[Relation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traversal:
    """What is reached from a memory, nearest first.

    Attributes:
        more: the limit was met; there may be more.
    """

    memory: Memory
    reached: tuple[Reached, ...] = ()
    more: bool = False


class GraphOperations(Operations):
    """traverse."""

    @operation(read_only=True)
    def traverse(
        self,
        id: str,  # noqa: A002  the contract's name
        *,
        depth: int = 2,
        relations: Sequence[RelationType] = (),
        direction: Literal["both", "outgoing", "incoming"] = "both",
        min_strength: float = 0.0,
        limit: int = 100,
    ) -> Traversal:
        """Walk from a memory along its relations, and show what is reached by which path.

        Args:
            id: of the memory, or its first characters.
            depth: how many relations to follow, 0 to 10.
            relations: only these types.
            direction: relations that begin where the walk stands, end there, or both.
            min_strength: only relations at least so strong, 0 to 1.
            limit: at most so many memories.
        """
        if not 0 <= depth <= MAX_DEPTH:
            raise InvalidInputError(f"The depth must be from 0 to {MAX_DEPTH}, not {depth}.")
        way = RelationFilter(
            types=frozenset(relations), direction=direction, min_strength=fraction(min_strength)
        )
        most = bounded(limit)
        services, memory = self._app.locate(id)
        steps = walk(memory.id, depth, way, services.store.relations.of, limit=most + 1)
        near = services.store.memories.get([step.id for step in steps[:most]])
        first, *others = self._faded(services, [memory, *near])
        found = {one.id: output_redacted(one) for one in others}
        return Traversal(
            memory=output_redacted(first),
            reached=tuple(
                Reached(memory=found[step.id], depth=step.depth, path=step.path)
                for step in steps[:most]
                if step.id in found  # another process may have purged it meanwhile
            ),
            more=len(steps) > most,
        )


def fraction(strength: float) -> float:
    """A strength that can be.

    Raises:
        InvalidInputError: it is not from 0 to 1.
    """
    if not 0.0 <= strength <= 1.0:
        raise InvalidInputError(f"The strength must be from 0 to 1, not {strength}.")
    return strength
