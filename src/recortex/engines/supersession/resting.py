"""What rests on a memory that ends becomes less sure; what several others support does not end that easily.

The amounts are those of the specification: a supersession takes 0.5, and each step away from it half of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.vocabulary import RelationStatus, RelationType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from recortex.domain.relation import Relation

ENDED, FACTOR, LEAST = 0.5, 0.5, 0.05
"""What a supersession takes, what is left of it a step further, and the least that is taken."""
MOST = 100
"""Memories that one supersession makes less sure at most."""
_SUPPORTING = frozenset({RelationType.SUPPORTS, RelationType.ENABLED})
"""Relations of which the target rests on the source."""
_RESTING = frozenset(
    {
        RelationType.DERIVED_FROM,
        RelationType.DEPENDS_ON,
        RelationType.REQUIRES,
        RelationType.REFINES,
        RelationType.EXEMPLIFIES,
    }
)
"""Relations of which the source rests on the target."""


def losses(ended: str, relations_of: Callable[[Sequence[str]], Iterable[Relation]]) -> dict[str, float]:
    """By how much the confidence of memories falls that rest on one that ended, by id, nearest first.

    Args:
        ended: its id.
        relations_of: every relation that begins or ends at one of some memories.
    """
    lost: dict[str, float] = {}
    reached, amount = [ended], ENDED * FACTOR
    while reached and amount >= LEAST and len(lost) < MOST:
        pairs = (pair for one in relations_of(reached) if (pair := _resting(one)))
        on = set(reached)
        reached = list(dict.fromkeys(rests for rests, base in pairs if base in on and rests != ended))
        reached = [id_ for id_ in reached if id_ not in lost][: MOST - len(lost)]
        lost |= dict.fromkeys(reached, amount)
        amount *= FACTOR
    return lost


def supporters(memory_id: str, relations: Iterable[Relation]) -> set[str]:
    """The ids of the memories that support one, as far as nobody doubts it."""
    return {
        one.source_id
        for one in relations
        if one.type is RelationType.SUPPORTS
        and one.target_id == memory_id
        and one.status is RelationStatus.ACTIVE
    }


def _resting(relation: Relation) -> tuple[str, str] | None:
    """Which end rests on which; none for other relations, and for those that wait for a person."""
    if relation.status is not RelationStatus.ACTIVE:
        return None
    if relation.type in _SUPPORTING:
        return relation.target_id, relation.source_id
    return (relation.source_id, relation.target_id) if relation.type in _RESTING else None


def reason_for(ended: str) -> str:
    """What the history of a memory says that became less sure."""
    return f"it rests on {ended}, which ended"
