"""What led to what is inferred after a session; weak relations and old suggestions go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.app.causes import common_in, inferred_in_session, keep_inferred
from recortex.app.jobs.work import Outcome, in_chunks
from recortex.domain.history import AuditEntry
from recortex.domain.vocabulary import Actor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.jobs.work import Work
    from recortex.domain.relation import Relation

NAME = "causes"
BATCH, CHUNK = 100, 200
WEAK = 0.2
"""The strength below which a causal relation is pruned: the specification's."""


def follow_causes(work: Work) -> Outcome:
    """Infer among the memories of sessions that have new ones, while seconds are left."""
    store = work.services.store
    done = store.maintenance.all().get(NAME)
    last, kept = done.outcome.get("key", 0) if done else 0, 0
    common: frozenset[str] | None = None
    while found := store.memories.added_after(last, BATCH):
        common = common_in(work.services) if common is None else common
        new = store.memories.get([memory_id for _, memory_id in found])
        for session in dict.fromkeys(one.source.session for one in new if one.source.session):
            inferred = inferred_in_session(work.services, session, common, work.now)
            kept += len(keep_inferred(work.services, inferred)) if inferred else 0
        last = found[-1][0]
        store.maintenance.note(NAME, work.now, {"key": last})
        if work.left() <= 0:
            return Outcome({"inferred": kept}, "the rest follows next time", "partly")
    return Outcome({"inferred": kept})


def do_pruning(work: Work) -> Outcome:
    """Take away causal relations that are weak, or were inferred long ago and never validated."""
    relations = work.services.store.relations
    doubted = len(relations.untangle(work.now)) if relations.circular() else 0
    done = in_chunks(work, "relations", lambda: _prune(work, _due(work, CHUNK)))
    return replace(done, counts=done.counts | ({"doubted": doubted} if doubted else {}))


def plan_pruning(work: Work) -> Outcome:
    """How many it would take away."""
    return Outcome({"relations": len(_due(work, CHUNK**2))})


def _due(work: Work, limit: int) -> Sequence[Relation]:
    days = work.settings["graph.suggestion_days"]
    before = work.before("graph.suggestion_days") if days else None
    return work.services.store.relations.prunable(WEAK, before, limit)


def _prune(work: Work, relations: Sequence[Relation]) -> int:
    """Each is noted in the audit log, and kept among the former ones."""
    store = work.services.store
    for one in relations:
        store.relations.remove(one.source_id, one.target_id, one.type, at=work.now, reason="pruned")
    entries = [
        AuditEntry(
            memory_id=one.source_id,
            operation="unlink",
            actor=Actor.DECAY,
            at=work.now,
            details={"relations": [one.type.value], "target": one.target_id, "strength": one.strength},
        )
        for one in relations
    ]
    store.ledger.record(entries)
    return len(relations)
