"""Memories with their confidence as it is now: the one place for all that shows or compares it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.engines.decay.confidence import confidence, curve
from recortex.engines.graph.centrality import centrality

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.memory import Memory
    from recortex.ports.store import Store


def faded(memories: Sequence[Memory], store: Store, now: int) -> list[Memory]:
    """The memories with the confidence that is left of the stored one.

    Args:
        memories: of that store.
        store: tells how they stand and what hangs on them.
        now: microseconds since 1970 UTC.
    """
    if not memories:
        return []
    ids = [memory.id for memory in memories]
    standings = {one.id: one for one in store.standing.of(ids)}
    # Who has no relation is no hub, and what hangs together in the whole store need not be read.
    hubs = centrality(store.standing.arcs()) if store.relations.of(ids) else {}
    return [
        replace(memory, confidence=confidence(curve(one, hubs.get(one.key, 0.0)), now))
        if (one := standings.get(memory.id))
        else memory
        for memory in memories
    ]
