"""Looking through: list, related."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from recortex.domain.memory import Memory
from recortex.domain.relation import Relation
from recortex.domain.search import MemoryQuery, Order
from recortex.domain.spelled import AnyDomain, AnyImportance, AnyOrigin, AnyRelation, AnyScope, AnyStatus
from recortex.domain.vocabulary import (
    Importance,
    RelationType,
    lowest_priority_of,
)
from recortex.engines.graph.walks import RelationFilter, walk
from recortex.engines.ingestion.output_redaction import all_output_redacted, output_redacted
from recortex.errors import InvalidInputError
from recortex.operations.base import MAX_DEPTH, MAX_OFFSET, Operations, bounded
from recortex.operations.inputs import memory_query
from recortex.operations.registry import operation

TOLD = (
    "kinds",
    "statuses",
    "tags",
    "files",
    "scope",
    "session",
    "recorded_after",
    "order",
    "limit",
    "offset",
)
"""The parameters of `list` that agents are told of; the others work too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Memories that pass the filters: this page, and how many there are in all."""

    memories: tuple[Memory, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A memory reached from another one."""

    memory: Memory
    relation: Relation
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """The memories related to one, nearest and strongest first."""

    memory: Memory
    neighbours: tuple[Neighbour, ...] = ()


class BrowseOperations(Operations):
    """list, related."""

    @operation(read_only=True, told=TOLD)
    def list(
        self,
        *,
        kinds: Sequence[str] = (),
        statuses: Sequence[AnyStatus] | None = None,
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        functions: Sequence[str] = (),
        patterns: Sequence[str] = (),
        constraints: Sequence[str] = (),
        domains: Sequence[AnyDomain] = (),
        origins: Sequence[AnyOrigin] = (),
        importance: AnyImportance | None = None,
        min_confidence: float | None = None,
        max_confidence: float | None = None,
        pinned: bool | None = None,
        scope: AnyScope | None = None,
        session: str = "",
        recorded_after: datetime | None = None,
        recorded_before: datetime | None = None,
        as_of: datetime | None = None,
        valid_at: datetime | None = None,
        order: Order = "recorded",
        descending: bool = True,
        limit: int = 50,
        offset: int = 0,
    ) -> Listing:
        """List memories, filtered and sorted.

        Args:
            kinds: only these kinds.
            statuses: only these statuses; by default active ones, and with `valid_at` also those superseded
                later.
            tags: only memories with one of these tags.
            files: only memories about one of these files, or folders ending in a slash.
            functions: only memories about one of these functions.
            patterns: only memories linked to one of these patterns.
            constraints: only memories linked to one of these constraints.
            domains: only these areas of the software.
            origins: only these origins.
            importance: only memories at least this important.
            min_confidence: only memories at least this certain now, from 0 to 1.
            max_confidence: only memories at most this certain now, from 0 to 1.
            pinned: only pinned memories, or only the others.
            scope: only the project's memories, or only the global ones.
            session: only what was learned in this session.
            recorded_after: only what was recorded since this time.
            recorded_before: only what was recorded before this time.
            as_of: what was known at that time, as it was known then.
            valid_at: what was true at that time.
            order: what to sort by.
            descending: highest or latest first.
            limit: maximum number of memories.
            offset: how many to skip at the beginning.
        """
        query = memory_query(
            kinds=kinds,
            statuses=statuses,
            tags=tags,
            files=files,
            functions=tuple(functions),
            patterns=tuple(patterns),
            constraints=tuple(constraints),
            domains=domains,
            origins=tuple(origins),
            pinned=pinned,
            scope=scope,
            session=session,
            min_priority=lowest_priority_of(Importance(importance)) if importance else None,
            min_confidence=min_confidence,
            max_confidence=max_confidence,
            recorded_after=recorded_after,
            recorded_before=recorded_before,
            as_of=as_of,
            valid_at=valid_at,
            order=order,
            descending=descending,
        )
        if not 0 <= offset <= MAX_OFFSET:
            raise InvalidInputError(f"The offset must be from 0 to {MAX_OFFSET:,}.")
        return self._page(query, bounded(limit), offset)

    @operation(read_only=True, told=("id", "depth", "limit"))
    def related(
        self,
        id: str,  # noqa: A002
        *,
        depth: int = 1,
        relations: Sequence[AnyRelation] = (),
        direction: Literal["both", "outgoing", "incoming"] = "both",
        min_strength: float = 0.0,
        limit: int = 20,
    ) -> Related:
        """Show what is related to a memory.

        Args:
            id: the memory's id, or its first characters.
            depth: how many relations to follow, from 1 to 10.
            relations: only these types of relation.
            direction: follow relations that begin here, that end here, or both.
            min_strength: only relations of at least this strength, 0 to 1.
            limit: maximum number of memories.
        """
        if not 1 <= depth <= MAX_DEPTH:
            raise InvalidInputError(f"The depth must be from 1 to {MAX_DEPTH}, not {depth}.")
        services, memory = self._app.locate(id)
        way = RelationFilter(
            types=frozenset(map(RelationType, relations)), direction=direction, min_strength=min_strength
        )
        steps = walk(memory.id, way, services.store.relations.of, depth=depth, limit=bounded(limit))
        near = services.store.memories.get([step.id for step in steps])
        first, *others = self._faded(services, [memory, *near])
        found = {one.id: output_redacted(one) for one in others}
        return Related(
            memory=output_redacted(first),
            neighbours=tuple(
                Neighbour(memory=found[step.id], relation=step.path[-1], depth=step.depth)
                for step in steps
                if step.id in found
            ),
        )

    def _page(self, query: MemoryQuery, limit: int, offset: int) -> Listing:
        """One page over the stores, the project's memories before the global ones."""
        if query.order == "confidence" or (query.min_confidence, query.max_confidence) != (None, None):
            # All that pass, chosen and sorted by what is left of their confidence: no index knows that.
            least, most = query.min_confidence or 0.0, query.max_confidence
            wide = replace(query, max_confidence=None)  # decay only lowers confidence, so more may pass now
            every = [
                memory
                for services in self._app.all_services(query.scope)
                for memory in self._faded(services, services.store.memories.find(wide))
                if least <= memory.confidence and (most is None or memory.confidence <= most)
            ]
            if query.order == "confidence":
                every.sort(key=lambda memory: memory.confidence, reverse=query.descending)
            return Listing(memories=all_output_redacted(every[offset : offset + limit]), total=len(every))
        found: list[Memory] = []
        total = 0
        for services in self._app.all_services(query.scope):
            skip = max(0, offset - total)
            total += services.store.memories.count(query)
            room = limit - len(found)
            if room:
                some = services.store.memories.find(replace(query, limit=room, offset=skip))
                found.extend(some if query.as_of else self._faded(services, some))
        return Listing(memories=all_output_redacted(found), total=total)
