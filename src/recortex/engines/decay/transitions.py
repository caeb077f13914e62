"""Changes the status of faded memories: active or only proposed to archived, archived to pruned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS, Kind
from recortex.domain.lasting import is_lasting
from recortex.domain.time import from_micros
from recortex.domain.vocabulary import Status
from recortex.engines.decay.confidence import DAY, below_since, confidence, curve

if TYPE_CHECKING:
    from recortex.domain.statistics import MemoryStatistics


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """When faded memories are archived and pruned.

    Attributes:
        archive_after_days: days below the kind's threshold.
        prune_after_days: days in the archive without an access.
        proposal_days: days after which a proposal that nothing has confirmed is archived; 0: never.
        hub: memories of higher centrality are never archived.
    """

    archive_after_days: int = 14
    prune_after_days: int = 30
    proposal_days: int = 60
    hub: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """A memory's next status, and a reason that does not quote its text."""

    id: str
    kind: str
    status: Status
    reason: str


def transition(one: MemoryStatistics, centrality: float, now: int, rules: Rules) -> Transition | None:
    """The transition that is due for a memory; None if there is none.

    What the person said that holds until it is ended never fades for want of use.
    Time below the threshold counts from the last change at the earliest: a memory that a person restored or
    corrected gets the full time again, as does one whose code went.
    """
    if one.pinned or one.kind not in KINDS:  # a kind of a newer program
        return None
    if one.status == Status.ACTIVE:
        return _archival(one, centrality, now, rules)
    if one.status == Status.PROPOSED:
        # The end of a proposal that was not said again, used, changed or approved for long.
        since = max(one.updated_at, one.last_accessed_at or 0)
        if not rules.proposal_days or now - since < rules.proposal_days * DAY:
            return None
        return _to(Status.ARCHIVED, one, f"proposed, and nothing confirmed it since {_day(since)}")
    return _pruning(one, now, rules) if one.status == Status.ARCHIVED else None


def _archival(one: MemoryStatistics, centrality: float, now: int, rules: Rules) -> Transition | None:
    if centrality > rules.hub or is_lasting(one.kind, one.trust):
        return None
    threshold = KINDS[Kind(one.kind)].archive_below
    fall = curve(one, centrality)
    since = below_since(fall, threshold)
    if since is None:
        return None
    since = max(since, one.updated_at, one.standing_since or 0)
    if now - since < rules.archive_after_days * DAY:
        return None
    reason = f"confidence {confidence(fall, now):.2f}, below {threshold:g} since "
    return _to(Status.ARCHIVED, one, reason + _day(int(since)))


def _pruning(one: MemoryStatistics, now: int, rules: Rules) -> Transition | None:
    unused_since = max(one.updated_at, one.last_accessed_at or 0)
    if now - unused_since < rules.prune_after_days * DAY:
        return None
    return _to(Status.PRUNED, one, f"in the archive, not used since {_day(unused_since)}")


def _to(status: Status, one: MemoryStatistics, reason: str) -> Transition:
    return Transition(id=one.id, kind=one.kind, status=status, reason=reason)


def _day(micros: int) -> str:
    return from_micros(micros).date().isoformat()
