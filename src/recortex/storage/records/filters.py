"""A `MemoryQuery` as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.domain.time import to_micros
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.domain.query import MemoryQuery

Clause = tuple[str, tuple[Any, ...]]
MOST_VALUES = 10_000
"""SQLite takes 32,766 variables in a statement, PostgreSQL 65,535; other parts of a statement need some
too."""

_ORDER = {
    "recorded": "m.recorded_at",
    "updated": "m.updated_at",
    "accessed": "coalesce(m.last_accessed_at, 0)",
    "importance": "m.priority",
    "confidence": "m.confidence",
}


def where(query: MemoryQuery) -> Clause:
    """The condition on `memories m`, with its bindings; `1 = 1` when everything passes.

    Raises:
        InvalidInputError: it has more values than an engine takes.
    """
    clauses = list(_clauses(query))
    text = " AND ".join(f"({clause})" for clause, _ in clauses) or "1 = 1"
    values = tuple(value for _, values in clauses for value in values)
    if len(values) > MOST_VALUES:
        raise InvalidInputError(
            f"The filters have {len(values):,} values; at most {MOST_VALUES:,} are looked for at once.",
            hint="Ask in several questions.",
        )
    return text, values


def order(query: MemoryQuery) -> str:
    """The ORDER BY, the insertion order breaking ties."""
    direction = "DESC" if query.descending else "ASC"
    return f"{_ORDER[query.order]} {direction}, m.key {direction}"


def _clauses(query: MemoryQuery) -> Iterator[Clause]:
    yield from _member("m.kind", query.kinds)
    yield from _member("m.status", query.statuses)
    yield from _member("m.domain", query.domains)
    yield from _member("m.origin", query.origins)
    if query.tags:
        marks = _marks(query.tags)
        yield f"EXISTS (SELECT 1 FROM json_each(m.tags) tag WHERE tag.value IN ({marks}))", tuple(query.tags)
    yield from _linked(query)
    yield from _scalars(query)
    yield from _times(query)


def _linked(query: MemoryQuery) -> Iterator[Clause]:
    if query.files:
        yield _files(query.files)
    for table, column, wanted in (
        ("memory_functions", "name", query.functions),
        ("memory_patterns", "pattern_id", query.patterns),
        ("memory_constraints", "constraint_id", query.constraints),
    ):
        if wanted:
            marks = _marks(wanted)
            yield (
                f"m.key IN (SELECT memory_key FROM {table} WHERE /*own*/ {column} IN ({marks}))",
                tuple(wanted),
            )


def _files(paths: tuple[str, ...]) -> Clause:
    exact = [path for path in paths if not path.endswith("/")]
    folders = [path for path in paths if path.endswith("/")]
    parts = [f"path IN ({_marks(exact)})"] if exact else []
    parts += ["(path >= ? AND path < ?)"] * len(folders)
    bounds = [bound for folder in folders for bound in (folder, folder[:-1] + "0")]  # "0" follows "/"
    return f"m.key IN (SELECT memory_key FROM memory_files WHERE /*own*/ ({' OR '.join(parts)}))", (
        *exact,
        *bounds,
    )


def _scalars(query: MemoryQuery) -> Iterator[Clause]:
    for clause, value in (
        ("m.scope = ?", query.scope and query.scope.value),
        ("m.session = ?", query.session or None),
        ("m.pinned = ?", None if query.pinned is None else int(query.pinned)),
        ("m.priority >= ?", query.min_priority),
        ("m.priority <= ?", query.max_priority),
        ("m.confidence >= ?", query.min_confidence),
        ("m.confidence <= ?", query.max_confidence),
    ):
        if value is not None:
            yield clause, (value,)


def _times(query: MemoryQuery) -> Iterator[Clause]:
    if query.recorded_after is not None:
        yield "m.recorded_at >= ?", (to_micros(query.recorded_after),)
    if query.recorded_before is not None:
        yield "m.recorded_at < ?", (to_micros(query.recorded_before),)
    if query.as_of is not None:
        yield "m.updated_at <= ?", (to_micros(query.as_of),)
    if query.valid_at is not None:
        at = to_micros(query.valid_at)
        yield "m.valid_from <= ? AND (m.valid_until IS NULL OR m.valid_until > ?)", (at, at)


def _member(column: str, wanted: Iterable[Any]) -> Iterator[Clause]:
    values = tuple(str(value) for value in wanted)
    if values:
        yield f"{column} IN ({_marks(values)})", values


def _marks(values: Iterable[Any]) -> str:
    return ", ".join("?" for _ in values)
