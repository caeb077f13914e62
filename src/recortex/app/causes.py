"""Infers in a store what probably led to what, and keeps it as suggestions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.domain.relation import CAUSAL
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import RelationStatus, Status
from recortex.engines.graph.inference import common_names, infer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from recortex.app.store_services import StoreServices
    from recortex.domain.memory import Memory
    from recortex.domain.relation import Relation

KNOWN = (Status.ACTIVE, Status.PROPOSED, Status.SUPERSEDED)
"""What was replaced is often what led to something."""
MOST = 300
"""Memories of a session that are compared with each other: the last ones."""
MOST_COMMON = 2_000
"""The latest memories, which tell the names that much of a project is about."""


def inferred_in_session(
    services: StoreServices, session: str, common: frozenset[str], now: datetime, *, also: Sequence[str] = ()
) -> list[Relation]:
    """What is inferred among the memories of a session, and others by their ids."""
    memories = (
        services.store.memories.find(MemoryQuery(statuses=KNOWN, session=session, descending=False))
        if session
        else []
    )
    known = {one.id: one for one in (*memories, *services.store.memories.get(list(also)))}
    memories = list(known.values())
    some = memories[-MOST:]
    return infer(some, cosines(services, some), now, common)


def common_in(services: StoreServices) -> frozenset[str]:
    """The names that much of a project is about: they connect nothing."""
    return common_names(services.store.memories.find(MemoryQuery(statuses=KNOWN, limit=MOST_COMMON)))


def new_ones(services: StoreServices, relations: Sequence[Relation]) -> list[Relation]:
    """Those of inferred relations that are to be kept.

    A pair that somebody took a causal relation from is left alone, and so is one that has one; but a relation
    that waits becomes active when other evidence for it is found.
    """
    store = services.store
    ids = sorted({id_ for one in relations for id_ in (one.source_id, one.target_id)})
    rejected = {
        _ends(one.relation)
        for one in store.relations.former(ids)
        if one.reason == "rejected" and one.relation.type in CAUSAL
    }
    known: dict[frozenset[str], list[Relation]] = {}
    for one in store.relations.of(ids):
        if one.type in CAUSAL:
            known.setdefault(_ends(one), []).append(one)
    found = (
        one if _ends(one) not in known else _corroborated(known[_ends(one)], one)
        for one in relations
        if _ends(one) not in rejected
    )
    return [one for one in found if one is not None]


def keep_inferred(services: StoreServices, relations: Sequence[Relation]) -> list[Relation]:
    """Keep those that are new; returns what was kept or corroborated."""
    with services.store.transaction():
        return [one for one in new_ones(services, relations) if services.store.relations.put_all([one])]


def _corroborated(known: Sequence[Relation], new: Relation) -> Relation | None:
    """The suggestion that stands, made active by evidence of another kind; None where there is no such."""
    for one in known:
        waits = one.inferred and one.status is RelationStatus.SUGGESTED and one.type is new.type
        if waits and {_course(each) for each in new.evidence[:1]} - {_course(each) for each in one.evidence}:
            evidence = (*one.evidence, *new.evidence[:1])
            strength = max(one.strength, new.strength)
            return replace(one, evidence=evidence, strength=strength, status=RelationStatus.ACTIVE)
    return None


def _course(evidence: str) -> str:
    """What a sentence of evidence says, without how many turns later."""
    return evidence.rstrip("0123456789 .turnslae").partition(",")[0]


def _ends(relation: Relation) -> frozenset[str]:
    return frozenset((relation.source_id, relation.target_id))


def cosines(services: StoreServices, memories: Sequence[Memory]) -> Callable[[str, str], float | None]:
    """The likeness of two of some memories by their vectors; None where one has none."""
    from recortex.engines.indexing.vectors import cosine

    model = services.embedding.wanted
    codes = services.store.vectors.codes_of([one.id for one in memories], model) if model else {}
    return lambda one, other: cosine(codes[one], codes[other]) if {one, other} <= codes.keys() else None
