"""Old entries of the audit log as counts by month (A, «Audit Log»: «entries > 1 year compressed into monthly summaries»)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.time import from_micros
from recortex.ports.maintenance import Summary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.ports.maintenance import OldEntry

_MONTH = len("2026-03")


def summaries(entries: Iterable[OldEntry]) -> list[Summary]:
    """The entries by month, operation and actor, in that order; their counts add up to the entries."""
    found: dict[tuple[str, str, str], Summary] = {}
    for one in entries:
        place = (from_micros(one.at).isoformat()[:_MONTH], one.operation, one.actor)
        new = Summary(*place, 1, one.at, one.at)
        found[place] = _joined(found[place], new) if place in found else new
    return [found[place] for place in sorted(found)]


def _joined(one: Summary, other: Summary) -> Summary:
    return one._replace(
        entries=one.entries + other.entries,
        first_at=min(one.first_at, other.first_at),
        last_at=max(one.last_at, other.last_at),
    )
