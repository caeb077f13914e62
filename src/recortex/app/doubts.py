"""Active memories in doubt: those that a person, or a validation, should look at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.time import to_micros
from recortex.domain.vocabulary import RelationType
from recortex.engines.decay.present import remaining
from recortex.engines.reviewing.questions import Doubted, doubted

if TYPE_CHECKING:
    from datetime import datetime

    from recortex.app.store_services import StoreServices


def unresolved(services: StoreServices, most: int) -> dict[str, str]:
    """For the later memory of each contradiction that waits for a person the earlier one, by id."""
    store = services.store
    pairs = store.relations.suggested(RelationType.CONTRADICTS, most)
    ends = store.memories.get([id_ for one in pairs for id_ in (one.source_id, one.target_id)])
    known = {one.id: one for one in ends}
    found: dict[str, str] = {}
    for one in pairs:
        if one.source_id in known and one.target_id in known:
            both = (known[one.source_id], known[one.target_id])
            earlier, later = sorted(both, key=lambda end: end.valid_from)
            found[later.id] = earlier.id
    return found


def doubted_in(services: StoreServices, now: datetime, most: int) -> list[Doubted]:
    """The memories of a store in doubt, those that are used most and least sure first.

    Args:
        services: the store's.
        now: when.
        most: how many at most.
    """
    at = to_micros(now)
    rows = services.store.statistics.presentable(at)
    return list(doubted(((row, remaining(row, at)) for row in rows), unresolved(services, most), at))[:most]
