"""Work on a store that nobody waits for: behind a session on SQLite, by a worker on PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.app.aging import age
from recortex.app.reembedding import PAUSE, SHARE, reembed
from recortex.app.upkeep import upkeep
from recortex.app.vector_index import keep_vector_index
from recortex.domain.vocabulary import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from recortex.app.bank import Bank
    from recortex.settings import Settings

    Counts = Mapping[str, int]
    Job = Callable[[Bank, Callable[[], datetime], Settings], Counts]


def _embedding(bank: Bank, clock: Callable[[], datetime], settings: Settings) -> Counts:  # noqa: ARG001  as the others
    """Vectors that are missing, or of a former model."""
    return {"embedded": reembed(bank, now=clock, seconds=SHARE, pause=PAUSE).done}


def _lifecycle(bank: Bank, clock: Callable[[], datetime], settings: Settings) -> Counts:
    """What faded is archived, what rested unused is pruned."""
    aged = age(bank, clock(), settings)
    return {"archived": aged.count(Status.ARCHIVED), "pruned": aged.count(Status.PRUNED)}


def _compaction(bank: Bank, clock: Callable[[], datetime], settings: Settings) -> Counts:
    """Chores that are due: clean-up, rotation, backups, space."""
    return {"chores": sum(one.state == "done" for one in upkeep(bank, clock(), settings))}


def _vector_index(bank: Bank, clock: Callable[[], datetime], settings: Settings) -> Counts:  # noqa: ARG001
    """What makes the search of many vectors quick."""
    return {"indexed": keep_vector_index(bank)}


JOBS: dict[str, Job] = {
    "embedding": _embedding,
    "lifecycle": _lifecycle,
    "vector-index": _vector_index,
    "compaction": _compaction,
}
"""By name, in the order in which they are done. Each is bounded in time, may be killed, and goes on the next time."""
FIRST, REST = ("embedding", "lifecycle"), ("vector-index", "compaction")
"""Behind a session: those that the next brief depends on, and those that can follow it."""
