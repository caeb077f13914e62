"""Whether a memory passes a query: the meaning that every store's filters must have."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.query import MemoryQuery


def matches(query: MemoryQuery, memory: Memory) -> bool:
    """Whether the memory passes every filter of the query but `as_of`, which picks states, not memories."""
    any_of: tuple[tuple[Iterable[object], Sequence[object]], ...] = (
        ((memory.kind,), query.kinds),
        ((memory.status,), query.statuses),
        ((memory.domain,), query.domains),
        ((memory.origin,), query.origins),
        (memory.tags, query.tags),
        ((link.name for link in memory.functions), query.functions),
        ((link.id for link in memory.patterns), query.patterns),
        ((link.id for link in memory.constraints), query.constraints),
    )
    return (
        all(not wanted or any(value in wanted for value in values) for values, wanted in any_of)
        and query.scope in (None, memory.scope)
        and query.session in ("", memory.source.session)
        and query.pinned in (None, memory.pinned)
        and _within(memory.priority, query.min_priority, query.max_priority)
        and _within(memory.confidence, query.min_confidence, query.max_confidence)
        and (query.recorded_after is None or memory.recorded_at >= query.recorded_after)
        and (query.recorded_before is None or memory.recorded_at < query.recorded_before)
        and (query.valid_at is None or memory.was_valid_at(query.valid_at))
        and (not query.files or any(_covers(one, file.path) for one in query.files for file in memory.files))
    )


def _covers(wanted: str, path: str) -> bool:
    return path.startswith(wanted) if wanted.endswith("/") else path == wanted


def _within(value: float, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)
