"""When it is time to look for duplicates."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

CONSOLIDATION_EXTRACTION_THRESHOLD = 10
CONSOLIDATION_ACTIVE_THRESHOLD = 80


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
    if extractions >= CONSOLIDATION_EXTRACTION_THRESHOLD:
        reason = f"{extractions} sessions were learned from"
    elif memories >= CONSOLIDATION_ACTIVE_THRESHOLD:
        reason = f"{memories} memories were added"
    else:
        return Due(since=since, extractions=extractions, memories=memories)
    notice = (
        f"Consolidation is due: {reason} since the last one. `recortex consolidate` shows what may be said "
        f"twice."
    )
    return Due(since=since, extractions=extractions, memories=memories, notice=notice)
