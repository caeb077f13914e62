"""Which memories are asked for: every filter, in one value."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from recortex.domain.kinds import Kind
from recortex.domain.vocabulary import Domain, Origin, Scope, Status

Order = Literal["recorded", "updated", "accessed", "importance", "confidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryQuery:
    """Filters are joined by *and*; the items of one filter by *or*. An empty filter lets everything pass.

    Attributes:
        statuses: empty means every status.
        files: exact paths, or folders ending in a slash.
        patterns, constraints: ids or names.
        as_of: the states that were recorded at that time, instead of now.
        valid_at: only what was true in the world then.
        not_valid_at: only what was not.
        limit: at most so many; None means all.
    """

    kinds: tuple[Kind, ...] = ()
    statuses: tuple[Status, ...] = (Status.ACTIVE,)
    tags: tuple[str, ...] = ()
    domains: tuple[Domain, ...] = ()
    files: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()
    scope: Scope | None = None
    session: str = ""
    pinned: bool | None = None
    min_priority: int | None = None
    max_priority: int | None = None
    min_confidence: float | None = None
    max_confidence: float | None = None
    recorded_after: datetime | None = None
    recorded_before: datetime | None = None
    as_of: datetime | None = None
    valid_at: datetime | None = None
    not_valid_at: datetime | None = None
    order: Order = "recorded"
    descending: bool = True
    limit: int | None = None
    offset: int = 0
