"""When it is time to look for what is said twice."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from recortex.domain.maintenance import Checkpoint
from recortex.domain.search import MemoryQuery

if TYPE_CHECKING:
    from recortex.app.application import StoreServices
    from recortex.ports.store import Store

CHECKPOINT = "consolidation"
"""The name of the checkpoint that says when somebody last looked."""
MOST_SESSIONS = 100
"""The latest sessions that are counted; the threshold is a tenth of it."""
MOST_EXTRACTIONS, MOST_MEMORIES = 10, 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What was learned since somebody last looked for duplicates.

    Attributes:
        since: when that was; None if never.
        extractions: sessions that were learned from since then.
        memories: active memories recorded since then.
        notice: «consolidation is due» with the reason and the command; empty while it is not.
    """

    since: datetime | None
    extractions: int
    memories: int
    notice: str = ""


def due(since: datetime | None, *, extractions: int, memories: int) -> Due:
    """Whether one of two thresholds is reached: 10 extractions, or 80 active memories."""
    if extractions >= MOST_EXTRACTIONS:
        reason = f"{extractions} sessions were learned from"
    elif memories >= MOST_MEMORIES:
        reason = f"{memories} memories were added"
    else:
        return Due(since=since, extractions=extractions, memories=memories)
    notice = (
        f"Consolidation is due: {reason} since the last one. `recortex consolidate` shows what may be said "
        f"twice."
    )
    return Due(since=since, extractions=extractions, memories=memories, notice=notice)


def pending(services: StoreServices) -> Due:
    """What was learned since duplicates were last listed; its `notice` says when to list them again."""
    store = services.store
    last = store.ledger.checkpoint(CHECKPOINT)
    since = last.extracted_at if last else None
    captured = [session.captured_at for session in store.sessions.recent(MOST_SESSIONS)]
    return due(
        since,
        extractions=sum(at is not None and (since is None or at > since) for at in captured),
        memories=store.memories.count(MemoryQuery(recorded_after=since)),
    )


def record_search(store: Store, now: datetime, found: int) -> None:
    """Record that somebody looked, and how much was found."""
    checkpoint = Checkpoint(
        path=CHECKPOINT, session_id="", client=CHECKPOINT, position=found, turns=0, extracted_at=now
    )
    with store.transaction():
        store.ledger.save_checkpoint(checkpoint)
