"""What was kept without being read together with what is known is read now: from sessions, and in bulk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.app.changes import Changes
from recortex.app.jobs.work import Outcome
from recortex.domain.vocabulary import Actor, RelationType
from recortex.engines.supersession.detection import LEAST_CHANCE

if TYPE_CHECKING:
    from recortex.app.jobs.work import Work

NAME = "changes"
BATCH = 100
MOST = 1_000


def follow_changes(work: Work) -> Outcome:
    """Compare the memories that were added since the last run with the others, while seconds are left."""
    store, changes = work.services.store, Changes.of(work.services)
    if changes is None:
        return Outcome({"replaced": 0, "marked": 0})
    _forget_unlikely(work)
    done = store.maintenance.all().get(NAME)
    last = done.outcome.get("key", 0) if done else 0
    replaced = marked = 0
    while found := store.memories.added_after(last, BATCH):
        for key, memory_id in found:
            for memory in store.memories.get([memory_id]):
                settled = changes.settle(memory, now=work.now, actor=Actor.VALIDATION)
                replaced, marked = replaced + settled.replaced, marked + settled.marked
            last = key
            if work.left() <= 0:
                break
        store.maintenance.note(NAME, work.now, {"key": last})
        if work.left() <= 0:
            return Outcome({"replaced": replaced, "marked": marked}, "the rest follows next time", "partly")
    return Outcome({"replaced": replaced, "marked": marked})


def _forget_unlikely(work: Work) -> None:
    """Drop the contradictions that a former version kept though they were not likely."""
    relations = work.services.store.relations
    for one in relations.suggested(RelationType.CONTRADICTS, MOST):
        if one.inferred and one.strength < LEAST_CHANCE:
            relations.remove(one.source_id, one.target_id, RelationType.CONTRADICTS)
