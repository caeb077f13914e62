"""What a language model says of memories whose words alone left open how they relate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.relation import Relation
from recortex.engines.graph.causality import circle
from recortex.engines.similarity.vector_verdict import open_to_question

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from recortex.app.store_services import StoreServices
    from recortex.domain.memory import Memory
    from recortex.engines.prompting.edges import Edge
    from recortex.engines.prompting.service import Adviser

EVIDENCE = "language model"


def classify_edges(
    services: StoreServices, adviser: Adviser, new: Sequence[Memory], *, now: datetime, session: str
) -> int:
    """Ask how new memories relate to the known ones that resemble them; returns how many relations it gave.

    What it says stands beside what words and vectors found; where it sees nothing, that stays as it was.
    """
    open_ = [
        one for one in services.store.relations.of([memory.id for memory in new]) if open_to_question(one)
    ]
    pairs = [pair for one in open_ if (pair := _pair(services, one)) is not None]
    if not pairs:
        return 0
    edges = adviser.edges(pairs, session=session).edges
    with services.store.transaction():
        made = (_relation(edge, now) for edge in edges)
        return sum(
            services.store.relations.put(one) for one in made if not circle(one, services.store.relations.of)
        )


def _pair(services: StoreServices, relation: Relation) -> tuple[Memory, Memory] | None:
    found = services.store.memories.get([relation.source_id, relation.target_id])
    return (found[0], found[1]) if len(found) > 1 else None


def _relation(edge: Edge, now: datetime) -> Relation:
    return Relation(
        edge.source_id,
        edge.target_id,
        edge.type,
        now,
        strength=edge.strength,
        evidence=(f"{EVIDENCE}: {edge.reason}",),
        inferred=True,
        status=edge.status,
    )
