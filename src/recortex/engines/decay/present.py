"""The current confidence of memories, for whatever shows or compares it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS
from recortex.engines.decay.confidence import confidence, curve
from recortex.lean import replace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.maintenance import MemoryStatistics
    from recortex.domain.memory import Memory
    from recortex.engines.decay.confidence import Fading
    from recortex.ports.store import KeptStore

MANY = 500
"""From so many memories on they are computed by column: NumPy takes longer to be loaded than fewer take."""


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
    standings = {one.id: one for one in store.statistics.find_by_ids([memory.id for memory in memories])}
    hubs = store.search.centralities([one.key for one in standings.values()])
    current = remaining_of_all(list(standings.values()), now, hubs)
    return [
        replace(memory, confidence=current[memory.id]) if memory.id in current else memory
        for memory in memories
    ]


def remaining_of_all(
    memories: Sequence[MemoryStatistics], now: int, hubs: Mapping[int, float]
) -> dict[str, float]:
    """The current confidence of memories, by id; `hubs` has the centrality of those above a half, by key."""
    known = [one for one in memories if one.kind in KINDS]
    others = {one.id: one.confidence for one in memories if one.kind not in KINDS}
    central = [hubs.get(one.key, 0.0) for one in known]
    if len(known) < MANY:
        each = [remaining(one, now, value) for one, value in zip(known, central, strict=True)]
    else:
        from recortex.engines.decay.many import confidences

        each = confidences(known, central, now)
    return others | {one.id: value for one, value in zip(known, each, strict=True)}
