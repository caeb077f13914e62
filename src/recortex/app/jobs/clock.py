"""Looks at the clock before jobs by which memories and records age."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from recortex.domain.query import MemoryQuery
from recortex.domain.time import to_micros
from recortex.domain.vocabulary import Actor, Status
from recortex.engines.maintenance.clock import SKEW, Believed, looked_at

if TYPE_CHECKING:
    from recortex.app.jobs.work import Work
    from recortex.domain.memory import Memory

NAME = "clock"
DOUBTED = "the clock leapt; it is believed after a week with work on three days"
"""What a job says that waits for it."""
_PUT_AWAY = (Status.ARCHIVED, Status.PRUNED)
_MOST = 500


def is_believed(work: Work) -> bool:
    """Whether anything may age by the present time; what aged by a time that never came is brought back."""
    log = work.services.store.maintenance
    runs = log.all()
    noted = runs.get(NAME)
    now = to_micros(work.now)
    if noted is not None:
        known = Believed(**{name: noted.outcome.get(name, 0) for name in asdict(Believed())})
    else:
        known = Believed(at=max((to_micros(run.done_at) for run in runs.values()), default=_began(work)))
    after, believed = looked_at(known, now)
    if noted is None or after != known:
        log.note(NAME, work.now, asdict(after))
    if known.at and now < known.at - SKEW:
        _bring_back(work)
    return believed


def _began(work: Work) -> int:
    """When a store in which no job ever ran got its first memory; now, where it has none: nothing can age."""
    first = MemoryQuery(statuses=(), descending=False, limit=1)
    return min(
        (to_micros(one.recorded_at) for one in work.services.store.memories.find(first)),
        default=to_micros(work.now),
    )


def _bring_back(work: Work) -> None:
    """Restore what was put away for its age at a time that is yet to come."""
    query = MemoryQuery(statuses=_PUT_AWAY, order="updated", limit=_MOST)
    for memory in work.services.store.memories.find(query):
        if to_micros(memory.updated_at) <= to_micros(work.now) + SKEW:
            break
        before = _before_ageing(work, memory)
        if before is not None:
            work.services.ingestion.change(
                memory,
                replace(memory, status=before),
                now=work.now,
                actor=Actor.DECAY,
                operation="restore",
                reason="it was put away by a clock that was wrong",
            )


def _before_ageing(work: Work, memory: Memory) -> Status | None:
    """The status before the store put a memory away for its age; None where something else did."""
    for version in work.services.store.memories.history(memory.id):
        if version.changed_by is not Actor.DECAY or version.memory.status not in _PUT_AWAY:
            before = version.memory.status
            return None if before is memory.status else before
    return None
