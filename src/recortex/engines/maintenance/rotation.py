"""Old entries of the audit log as counts by month."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.maintenance import AuditSummary
from recortex.domain.time import from_micros

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.domain.maintenance import OldAuditEntry

_MONTH = len("2026-03")


def summaries(entries: Iterable[OldAuditEntry]) -> list[AuditSummary]:
    """The entries by month, operation and actor, in that order; their counts add up to the entries."""
    found: dict[tuple[str, str, str], AuditSummary] = {}
    for one in entries:
        place = (from_micros(one.at).isoformat()[:_MONTH], one.operation, one.actor)
        new = AuditSummary(*place, 1, one.at, one.at)
        found[place] = _joined(found[place], new) if place in found else new
    return [found[place] for place in sorted(found)]


def _joined(one: AuditSummary, other: AuditSummary) -> AuditSummary:
    return one._replace(
        entries=one.entries + other.entries,
        first_at=min(one.first_at, other.first_at),
        last_at=max(one.last_at, other.last_at),
    )
