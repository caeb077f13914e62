"""Infers in a store what probably led to what."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import Status
from recortex.engines.graph.inference.facts import common_names
from recortex.engines.graph.inference.scorer import infer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from recortex.app.store_services import StoreServices
    from recortex.domain.memory import Memory
    from recortex.domain.relation import Relation

KNOWN = (Status.ACTIVE, Status.PROPOSED, Status.SUPERSEDED)
"""What was replaced is often what led to something."""
MOST = 300
"""Memories of a session that are compared with each other: the last ones."""


def inferred_in(services: StoreServices, now: datetime) -> Iterator[Relation]:
    """What is inferred among the active memories of each session of a store, session by session."""
    every = services.store.memories.find(MemoryQuery(statuses=KNOWN, descending=False))
    common = common_names(every)
    memories = sorted((one for one in every if one.source.session), key=lambda one: one.source.session)
    for _, together in groupby(memories, key=lambda one: one.source.session):
        some = list(together)[-MOST:]
        yield from infer(some, cosines(services, some), now, common)


def cosines(services: StoreServices, memories: Sequence[Memory]) -> Callable[[str, str], float | None]:
    """The likeness of two of some memories by their vectors; None where one has none."""
    from recortex.engines.indexing.vectors import cosine

    model = services.embedding.wanted
    codes = services.store.vectors.codes_of([one.id for one in memories], model) if model else {}
    return lambda one, other: cosine(codes[one], codes[other]) if {one, other} <= codes.keys() else None
