"""Relations as they were known at a time."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from recortex.domain.relation import FormerRelation, Relation


def known_at(at: datetime, relations: Iterable[Relation], former: Iterable[FormerRelation]) -> list[Relation]:
    """The relations that were recorded at a time, as they were then.

    Args:
        at: a recording time.
        relations: as they are now.
        former: what they, and those that were taken away since, were.
    """
    held = {(one.source_id, one.target_id, one.type): one for one in relations if one.created_at <= at}
    # Of several states that ended since then, the one that ended first held at that time.
    for state in sorted(former, key=attrgetter("ended_at"), reverse=True):
        one = state.relation
        if one.created_at <= at < state.ended_at:
            held[one.source_id, one.target_id, one.type] = one
    return list(held.values())
