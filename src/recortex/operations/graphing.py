"""Walking along relations: traverse."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, cast

from recortex.domain.memory import Memory
from recortex.domain.relation import Relation
from recortex.domain.spelled import AnyRelation
from recortex.domain.time import as_utc
from recortex.domain.vocabulary import RelationType
from recortex.engines.graph.walks import RelationFilter, known_at, to_causes, to_effects, walk
from recortex.engines.ingestion.output_redaction import output_redacted
from recortex.errors import InvalidInputError, MemoryNotFoundError
from recortex.operations.base import MAX_DEPTH, Operations, bounded
from recortex.operations.registry import operation

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.app.store_services import StoreServices
    from recortex.engines.graph.walks import Direction, Follow


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A memory that was reached.

    Attributes:
        depth: how many relations away it is.
        path: those relations, the first from the memory that the walk began at.
        confidence: of that chain, 0 to 1: 60 % its weakest relation, 40 % their mean, less for a long one.
    """

    memory: Memory
    depth: int
    path: tuple[Relation, ...]
    confidence: float = 1.0


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

    @operation(read_only=True, told=("id", "depth", "relations", "direction", "min_strength", "limit"))
    def traverse(
        self,
        id: str,  # noqa: A002  the contract's name
        *,
        depth: int = 2,
        relations: Sequence[AnyRelation] = (),
        direction: Literal["both", "outgoing", "incoming", "origins", "effects"] = "both",
        min_strength: float = 0.0,
        limit: int = 100,
        as_of: datetime | None = None,
    ) -> Traversal:
        """Follow a memory's relations, and show what is reached by which path.

        Args:
            id: the memory's id, or its first characters.
            depth: how many relations to follow, from 0 to 10.
            relations: only these types of relation.
            direction: follow relations that begin at each memory, that end there, or both; or only causes, or
                effects.
            min_strength: only relations of at least this strength, 0 to 1.
            limit: maximum number of memories.
            as_of: what was known at that time, as it was known then.
        """
        check_depth(depth)
        types, least = frozenset(map(RelationType, relations)), fraction(min_strength)
        way: Follow
        if direction in {"origins", "effects"}:
            along = to_causes(least) if direction == "origins" else to_effects(least)
            way = along.only(types) if types else along
        else:
            way = RelationFilter(types, cast("Direction", direction), least)
        most, at = bounded(limit), as_utc(as_of) if as_of else None
        services, memory = self._app.locate(id)
        relations_of = known_then(services, at) if at else services.store.relations.of
        steps = walk(memory.id, way, relations_of, depth=depth, limit=most + 1)
        ids = [memory.id, *(step.id for step in steps[:most])]
        if at:
            found = {one.id: one for id_ in ids if (one := services.store.memories.as_of(id_, at))}
            if memory.id not in found:
                raise MemoryNotFoundError(f"The memory {memory.id} was not known at {at:%Y-%m-%d %H:%M}.")
        else:
            found = {one.id: one for one in self._faded(services, services.store.memories.get(ids))}
        shown = {id_: output_redacted(one) for id_, one in found.items()}
        return Traversal(
            memory=shown.get(memory.id) or output_redacted(memory),
            reached=tuple(
                Reached(
                    memory=shown[step.id],
                    depth=step.depth,
                    path=step.path,
                    confidence=step.confidence,
                )
                for step in steps[:most]
                if step.id in shown  # another process may have purged it meanwhile
            ),
            more=len(steps) > most,
        )


def check_depth(depth: int) -> None:
    """Check how many relations are to be followed.

    Raises:
        InvalidInputError: it is below 0 or above 10.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise InvalidInputError(f"The depth must be from 0 to {MAX_DEPTH}, not {depth}.")


def known_then(services: StoreServices, at: datetime) -> Callable[[Sequence[str]], Sequence[Relation]]:
    """A `relations_of` of what was recorded at a time: relations, and the memories at both their ends."""
    store = services.store

    def relations_of(ids: Sequence[str]) -> Sequence[Relation]:
        found = known_at(at, store.relations.of(ids), store.relations.former(ids))
        ends = sorted({id_ for one in found for id_ in (one.source_id, one.target_id)})
        there = {one.id for one in store.memories.get(ends) if one.recorded_at <= at}
        return [one for one in found if {one.source_id, one.target_id} <= there]

    return relations_of


def fraction(strength: float) -> float:
    """A strength that can be.

    Raises:
        InvalidInputError: it is not from 0 to 1.
    """
    if not 0.0 <= strength <= 1.0:
        raise InvalidInputError(f"The strength must be from 0 to 1, not {strength}.")
    return strength
