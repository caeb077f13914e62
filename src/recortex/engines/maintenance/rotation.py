"""Summarises old entries of the audit log as counts by month."""

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
        former = found.get(place, AuditSummary(*place, 0, one.at, one.at))
        first, last = min(former.first_at, one.at), max(former.last_at, one.at)
        found[place] = AuditSummary(*place, former.entries + 1, first, last)
    return [found[place] for place in sorted(found)]
