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


def doubted_in(services: StoreServices, now: datetime, most: int) -> list[Doubted]:
    """The memories of a store in doubt, those that are used most and least sure first.

    Args:
        services: the store's.
        now: when.
        most: how many at most.
    """
    at, store = to_micros(now), services.store
    pairs = store.relations.suggested(RelationType.CONTRADICTS, most)
    ends = {
        one.id: one
        for one in store.memories.get([id_ for one in pairs for id_ in (one.source_id, one.target_id)])
    }
    against: dict[str, str] = {}
    for one in pairs:
        if one.source_id in ends and one.target_id in ends:
            older, newer = sorted((ends[one.source_id], ends[one.target_id]), key=lambda end: end.valid_from)
            against[newer.id] = older.id
    rows = store.statistics.presentable(at)
    return list(doubted(((row, remaining(row, at)) for row in rows), against, at))[:most]
