"""Whether a memory passes a query: the meaning that every store's filters must have."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from recortex.domain.memory import Memory
    from recortex.domain.query import MemoryQuery


def matches(query: MemoryQuery, memory: Memory) -> bool:
    """Whether the memory passes every filter of the query but `as_of`, which picks states, not memories."""
    return (
        _words_match(query, memory)
        and _links_match(query, memory)
        and _numbers_match(query, memory)
        and _times_match(query, memory)
    )


def _words_match(query: MemoryQuery, memory: Memory) -> bool:
    return (
        _among(memory.kind, query.kinds)
        and _among(memory.status, query.statuses)
        and _among(memory.domain, query.domains)
        and _among(memory.origin, query.origins)
        and _any_among(memory.tags, query.tags)
        and query.scope in (None, memory.scope)
        and query.session in ("", memory.source.session)
        and query.pinned in (None, memory.pinned)
    )


def _links_match(query: MemoryQuery, memory: Memory) -> bool:
    return (
        (
            not query.files
            or any(_covers(wanted, file.path) for wanted in query.files for file in memory.files)
        )
        and _any_among((link.name for link in memory.functions), query.functions)
        and _any_among((link.id for link in memory.patterns), query.patterns)
        and _any_among((link.id for link in memory.constraints), query.constraints)
    )


def _numbers_match(query: MemoryQuery, memory: Memory) -> bool:
    return _within(memory.priority, query.min_priority, query.max_priority) and _within(
        memory.confidence, query.min_confidence, query.max_confidence
    )


def _times_match(query: MemoryQuery, memory: Memory) -> bool:
    return _recorded_within(memory.recorded_at, query) and (
        query.valid_at is None or memory.was_valid_at(query.valid_at)
    )


def _recorded_within(at: datetime, query: MemoryQuery) -> bool:
    return (query.recorded_after is None or at >= query.recorded_after) and (
        query.recorded_before is None or at < query.recorded_before
    )


def _covers(wanted: str, path: str) -> bool:
    return path.startswith(wanted) if wanted.endswith("/") else path == wanted


def _among(value: object, wanted: tuple[object, ...]) -> bool:
    return not wanted or value in wanted


def _any_among(values: Iterable[str], wanted: tuple[str, ...]) -> bool:
    return not wanted or any(value in wanted for value in values)


def _within(value: float, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)
