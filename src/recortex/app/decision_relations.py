"""Relates the memories of decision records as the records say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.domain.relation import Relation
from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.engines.privacy import redact
from recortex.errors import CausalCycleError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from recortex.domain.memory import Memory
    from recortex.engines.decisions.collection import Collection as Records
    from recortex.engines.decisions.collection import Edge
    from recortex.ports.store import Relations

_Ends = tuple[str, str, RelationType]


def relate(
    relations: Relations,
    records: Records,
    memories: Mapping[str, Memory],
    touched: Collection[str],
    now: datetime,
) -> int:
    """Keep the relations of some records; what they say no more is taken back. Returns how many are new.

    Args:
        relations: of the store, in a transaction.
        records: all of them, as they were read together.
        memories: by the record's key.
        touched: keys of the records that are new or changed.
        now: the time.
    """
    wanted, new = set[_Ends](), 0
    for edge in records.edges:
        ends = memories.get(edge.source), memories.get(edge.target)
        if not {edge.source, edge.target} & set(touched) or None in ends:
            continue
        source, target = (one.id for one in ends if one)
        if source != target:
            wanted.add((source, target, edge.type))
            said = (redact(f"{edge.said_by}: {edge.sentence}").text,)
            status = _certainty(edge, records)
            new += _put(relations, Relation(source, target, edge.type, now, evidence=said, status=status))
    for key in touched:
        if key in memories:
            _take_back(relations, memories[key].id, f"{key}: ", wanted)
    return new


def _certainty(edge: Edge, records: Records) -> RelationStatus:
    """A record that is only proposed does not end another one yet."""
    holds = edge.type is not RelationType.SUPERSEDES or edge.target in records.successors
    return RelationStatus.ACTIVE if holds else RelationStatus.SUGGESTED


def _put(relations: Relations, relation: Relation) -> bool:
    """Keep a relation; one that is there with its evidence stays as it is."""
    for one in relations.of([relation.source_id]):
        if _ends(one) == _ends(relation):
            if one.evidence and one.status is relation.status:
                return False
            relation = replace(relation, strength=one.strength)
    try:
        return relations.put(relation)
    except CausalCycleError:  # two records that each say they follow from the other
        return False


def _take_back(relations: Relations, id_: str, begins: str, wanted: Collection[_Ends]) -> None:
    for one in relations.of([id_]):
        own = any(reason.startswith(begins) for reason in one.evidence)
        if own and one.type is not RelationType.SUPERSEDES and _ends(one) not in wanted:
            relations.remove(*_ends(one))


def _ends(relation: Relation) -> _Ends:
    return relation.source_id, relation.target_id, relation.type
