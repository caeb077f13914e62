"""What inspection gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recortex.domain.session import Signal
from recortex.engines.consolidation.due import Due
from recortex.engines.sessions.efficiency import Efficiency


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreFigures:
    """One store in figures.

    Attributes:
        scope: project, global, or all for a store that holds both.
        without_vector: memories that wait for their vector; `recortex backfill` makes them.
        consolidation: what was learned since somebody last looked for duplicates.
    """

    scope: str
    path: str
    memories: int
    by_kind: dict[str, int]
    by_status: dict[str, int]
    relations: int
    without_vector: int
    consolidation: Due


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefCache:
    """The briefs that are kept for the next session starts.

    Attributes:
        stale: how many are older than a day, or than the last change of a store; they are made anew when
            needed.
        newest_at: when the newest was made.
    """

    files: int = 0
    stale: int = 0
    newest_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCosts:
    """What a language model was paid today; it is never called unless it is switched on."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    refused: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFigures:
    """A session on one line."""

    id: str
    client: str
    branch: str
    started_at: datetime
    seen_at: datetime
    ended_at: datetime | None
    end_reason: str
    captured_at: datetime | None
    efficiency: Efficiency


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A memory that was given in a session.

    Attributes:
        memory: its id; `kind` and `summary` are empty where it is gone.
        channel: surface (the brief), prompt, or file.
        subject: the touched file.
        context: counts compactions before it.
        used_as: quoted, file or command; empty where no use was seen.
    """

    memory: str
    kind: str
    summary: str
    channel: str
    subject: str
    context: int
    at: datetime
    score: float
    tokens: int
    used_as: str
    used_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionReceipts:
    """What was given in a session, what was seen of it, and what it was worth."""

    session: SessionFigures
    given: tuple[Given, ...]
    signals: tuple[Signal, ...] = ()
    seen: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """How the memory works.

    Attributes:
        captures: counts and times of the job that learns from sessions: its last run and all of them.
        receipts: of the session that was asked for.
        notices: what a person may want to do.
    """

    stores: tuple[StoreFigures, ...] = ()
    briefs: BriefCache = BriefCache()
    sessions: tuple[SessionFigures, ...] = ()
    captures: dict[str, Any] = field(default_factory=dict)
    model: ModelCosts = ModelCosts()
    receipts: SessionReceipts | None = None
    notices: tuple[str, ...] = ()
