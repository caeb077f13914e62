"""The current confidence of memories, for whatever shows or compares it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS
from recortex.engines.decay.confidence import confidence, curve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.memory import Memory
    from recortex.engines.decay.confidence import Fading
    from recortex.ports.kept_store import KeptStore


def remaining(one: Fading, now: int, central: float = 0.0) -> float:
    """The current, decayed confidence of a memory.

    Args:
        one: the memory's statistics; one of a kind that only a newer program knows does not decay.
        now: microseconds since 1970 UTC.
        central: its centrality, 0 to 1.
    """
    return confidence(curve(one, central), now) if one.kind in KINDS else one.confidence


def faded(memories: Sequence[Memory], store: KeptStore, now: int) -> list[Memory]:
    """The memories with their current confidence.

    Args:
        memories: of that store.
        store: holds their statistics and relations.
        now: microseconds since 1970 UTC.
    """
    if not memories:
        return []
    standings = {one.id: one for one in store.statistics.of([memory.id for memory in memories])}
    hubs = store.search.hubs([one.key for one in standings.values()])
    return [
        replace(memory, confidence=remaining(one, now, hubs.get(one.key, 0.0)))
        if (one := standings.get(memory.id))
        else memory
        for memory in memories
    ]
