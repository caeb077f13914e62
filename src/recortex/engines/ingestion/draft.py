"""What a caller wants to be remembered, before it is cleaned and completed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recortex.domain.kinds import Kind
from recortex.domain.memory import ConstraintLink, FileLink, FunctionLink, PatternLink, Source
from recortex.domain.vocabulary import Domain, Origin, Scope, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory to be made. Either `text` or `content` is needed; the rest is optional.

    Attributes:
        content: the kind's typed fields, as plain values.
        status: None means that the origin decides: untrusted text is quarantined, the rest is active.
        recorded_at: only for imports; None means now.
        supersedes: the id of the memory that this one replaces.
    """

    kind: Kind
    text: str = ""
    content: dict[str, Any] = field(default_factory=dict)
    summary: str = ""
    priority: int = 5
    confidence: float = 1.0
    pinned: bool = False
    tags: tuple[str, ...] = ()
    domain: Domain = Domain.GENERAL
    files: tuple[FileLink, ...] = ()
    functions: tuple[FunctionLink, ...] = ()
    patterns: tuple[PatternLink, ...] = ()
    constraints: tuple[ConstraintLink, ...] = ()
    source: Source = field(default_factory=Source)
    origin: Origin = Origin.USER
    status: Status | None = None
    scope: Scope = Scope.PROJECT
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    recorded_at: datetime | None = None
    supersedes: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
