"""Every background job, declared once: what it does, when, how long, after which others, what it counts.

To add a job, write its function and a row in `JOBS`; one with `days` needs a `plan` as well. If it deletes
rows, add it to `MAKES_ROOM` in `lifecycle.py`. `cli/rendering/stores.py` has the words for its counts.

After a session, and after each answer, compaction and sub-agent of it, the process that learns from it (the
capture process, `capture.py`) goes on in this order:

1. the jobs of every session that have `before_brief`: embedding, changes, retold, renames, lifecycle;
2. the brief that the next session starts with, and the counts in `status.json`;
3. the other jobs of every session: the vector index, causes, symbols;
4. the jobs with `days` that are due, in the order of the rows, for a few seconds together.

Where a store on a server has a worker, the worker does 1, 3 and 4: each job of every session alone, and
those with `days` together. `recortex gc` does 4 at once; `recortex status` shows what the jobs counted.
"""

from __future__ import annotations

import math
import re
import time
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from recortex.app.changes import CHANGES_NAME, Changes, common_in, inferred_in_session, keep_inferred, unread
from recortex.app.jobs import Job, Outcome, Work, in_chunks, rest
from recortex.app.jobs import lifecycle as m
from recortex.app.jobs.lifecycle import follow_importance, plan_importance, run_lifecycle
from recortex.app.jobs.reembedding import PAUSE, SHARE, keep_vector_index, reembed
from recortex.app.jobs.validation import follow_renames, validate
from recortex.domain.memory import AuditEntry
from recortex.domain.vocabulary import Actor, Origin, RelationType, Status
from recortex.engines.maintenance import MONTH, QUARTER, WEEK
from recortex.engines.similarity import marked, query_terms
from recortex.engines.supersession.reading import LEAST_CHANCE
from recortex.plugins import capabilities, load
from recortex.text.words import negations, topic_stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from recortex.app.jobs.validation import Validated
    from recortex.domain.memory import Memory, Reach, Relation
    from recortex.settings import Settings


# -- validation every few hours: memories are compared with the working tree, those first that never were


HOURS = 4
"""Between two validations of a memory."""
SECONDS = 2.0
"""After which a run begins no further batch: other jobs have their turn."""
VALIDATING_BATCH = 1_000
"""Memories of one batch; what they cite is looked for together."""
_MANY = 2**62


def plan_validation(work: Work) -> Outcome:
    """Count the memories whose turn it is."""
    if why := _obstacle(work):
        return Outcome({}, why, "skipped")
    return Outcome({"memories": len(work.services.store.memories.unchecked(_before(work), _MANY))})


def do_validation(work: Work) -> Outcome:
    """Validate them; follow code to other files, and flag what is severe."""
    if why := _obstacle(work):
        return Outcome({}, why, "skipped")
    counts, ends = Counter[str](), time.monotonic() + SECONDS
    done: set[str] = set()
    while ids := set(work.services.store.memories.unchecked(_before(work), VALIDATING_BATCH)) - done:
        if work.left() <= 0 or time.monotonic() > ends:
            return Outcome(dict(counts), "the rest follows next time", "partly")
        for chunk in _validated(work, sorted(ids)):
            counts += _counted(chunk)
        done |= ids  # also what another process changed meanwhile: the next run sees to it
    return Outcome(dict(counts))


def _validated(work: Work, ids: list[str]) -> Iterator[list[Validated]]:
    """The batch, chunk by chunk; between two, other writers get their turn.

    Code that was not found before is not looked for again in every file.
    """
    memories = work.services.store.memories
    # Looking through every file for code that is gone takes longest, and it was done once.
    missed = {id_ for id_, found in memories.verdicts(ids).items() if "citation:" in found}
    batch = memories.get(ids)
    parts: dict[Reach, list[Memory]] = {
        "tree": [one for one in batch if one.id not in missed],
        "renames": [one for one in batch if one.id in missed],
    }
    for reach, part in parts.items():
        began = time.monotonic()
        for chunk in validate(work.services, part, work.now, mend="safe", reach=reach):
            yield chunk
            rest(began)
            began = time.monotonic()


def _counted(chunk: list[Validated]) -> Counter[str]:
    states = Counter(one.verdict.state for one in chunk)
    healed = sum(bool(one.healed.done) for one in chunk)
    named = {"memories": len(chunk), "stale": states["stale"], "flagged": states["flagged"]}
    return Counter(named | {"healed": healed})


def _before(work: Work) -> datetime:
    return work.earlier(timedelta(hours=HOURS))


def _obstacle(work: Work) -> str:
    """Why memories cannot be compared with code here: a worker on a server has no working tree."""
    project = work.services.location.project
    return "" if project is not None and project.root.is_dir() else "there is no working tree here"


# -- what led to what is inferred after a session; weak relations and old suggestions go


CAUSES_NAME = "causes"
CAUSES_BATCH, CHUNK = 100, 200
WEAK = 0.2
"""The strength below which a causal relation is pruned: the specification's."""


def follow_causes(work: Work) -> Outcome:
    """Infer among the memories of sessions that have new ones, while seconds are left."""
    store = work.services.store
    done = store.maintenance.all().get(CAUSES_NAME)
    last, kept = done.outcome.get("key", 0) if done else 0, 0
    common: frozenset[str] | None = None
    while found := store.memories.added_after(last, CAUSES_BATCH):
        common = common_in(work.services) if common is None else common
        new = store.memories.get([memory_id for _, memory_id in found])
        for session in dict.fromkeys(one.source.session for one in new if one.source.session):
            inferred = inferred_in_session(work.services, session, common, work.now)
            kept += len(keep_inferred(work.services, inferred)) if inferred else 0
        last = found[-1][0]
        store.maintenance.note(CAUSES_NAME, work.now, {"key": last})
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


# -- what was kept without being read together with what is known is read now: from sessions, and in bulk


BATCH = 100
LATEST = 20
"""Where more wait, so many of the latest are read first: what was said just now is not to wait for them."""
MOST = 1_000


def follow_changes(work: Work) -> Outcome:
    """Compare the memories that were added since the last run with the others, while seconds are left."""
    store, changes = work.services.store, Changes(work.services)
    # Drop the contradictions that a former version kept though they were not likely.
    relations = work.services.store.relations
    for one in relations.suggested(RelationType.CONTRADICTS, MOST):
        if one.inferred and one.strength < LEAST_CHANCE:
            relations.remove(one.source_id, one.target_id, RelationType.CONTRADICTS)
    done = store.maintenance.all().get(CHANGES_NAME)
    last, newest = (done.outcome.get(name, 0) for name in ("key", "newest")) if done else (0, 0)
    waiting = unread(work.services)
    first = [one for one in waiting[-LATEST:] if one[0] > newest] if len(waiting) > LATEST else []
    replaced = marked = 0
    # Places below 1 are the latest ones, read first: the mark moves only with the others, in their order.
    for place, (key, memory_id) in enumerate([*first, *waiting], 1 - len(first)):
        for memory in store.memories.get([memory_id]):
            settled = changes.settle(memory, now=work.now, actor=Actor.VALIDATION)
            replaced, marked = replaced + settled.replaced, marked + settled.marked
        last, newest = (key, newest) if place > 0 else (last, key)
        stops = work.left() <= 0 or place == len(waiting)
        if stops or place % BATCH == 0:
            store.maintenance.note(CHANGES_NAME, work.now, {"key": last, "newest": newest})
        if stops and place < len(waiting):
            left = len(waiting) - max(place, 0)
            return Outcome({"replaced": replaced, "marked": marked}, f"{left:,} follow next time", "partly")
    return Outcome({"replaced": replaced, "marked": marked})


# -- what an agent wrote of the person's own words gives way to them, so that one thing is known once


RETOLD_NAME = "retold"
APART = timedelta(days=1)
"""The most between what the person said and what the agent wrote of it."""
COMMON, ADDED = 0.5, 0.3
"""The least share of the words of both that they have in common, and the most of the agent's words that the
person need not have said: more of them is something new."""
_NUMBER = re.compile(r"\d[\w.]*")


def fold_retold(work: Work) -> Outcome:
    """Look at the memories that were added since the last run, while seconds are left."""
    store, folded = work.services.store, 0
    done = store.maintenance.all().get(RETOLD_NAME)
    last = done.outcome.get("key", 0) if done else 0
    while found := store.memories.added_after(last, BATCH):
        for key, memory_id in found:
            for memory in store.memories.get([memory_id]):
                for said, retold in _retold(work, memory):
                    why = "the person's own words"
                    work.services.ingestion.supersede(
                        said, retold, now=work.now, actor=Actor.LEARNING, why=why, reworded=True
                    )
                    folded += 1
            last = key
            if work.left() <= 0:
                break
        store.maintenance.note(RETOLD_NAME, work.now, {"key": last})
        if work.left() <= 0:
            return Outcome({"retold": folded}, "the rest follows next time", "partly")
    return Outcome({"retold": folded})


def _retold(work: Work, memory: Memory) -> Iterator[tuple[Memory, Memory]]:
    """What the person said and what an agent wrote of it, of which one is that memory."""
    if memory.status is not Status.ACTIVE or memory.origin not in {Origin.USER, Origin.AGENT}:
        return
    store = work.services.store
    ids = [id_ for id_, _ in store.search.candidates(query_terms(memory.text)) if id_ != memory.id]
    for other in store.memories.get(ids):
        said, retold = (memory, other) if memory.origin is Origin.USER else (other, memory)
        if (
            (said.origin, retold.origin) == (Origin.USER, Origin.AGENT)
            and other.status is Status.ACTIVE
            and said.source.session  # what was entered by hand is no answer to a session
            and abs(retold.recorded_at - said.valid_from) <= APART
            and not (retold.pinned or retold.files)
            and says_no_more(said.text, retold.text)
        ):
            yield said, retold


def says_no_more(said: str, retold: str) -> bool:
    """Whether an agent's sentence says what the person said, and nothing besides.

    Args:
        said: the person's sentence.
        retold: the agent's.
    """
    # A number, a path or a negation changes what is said, however many words are the same.
    exact = {*_NUMBER.findall(retold), *marked(retold)} - {*_NUMBER.findall(said), *marked(said)}
    if exact or bool(negations(said)) != bool(negations(retold)):
        return False
    theirs, own = topic_stems(said), topic_stems(retold)
    shared = len(theirs & own)
    return shared >= max(1, COMMON * len(theirs | own), (1 - ADDED) * len(own))


# -- every background job, declared once: what it does, when, how long, after which others, what it counts


def _embed(work: Work) -> Outcome:
    """Make vectors that are missing or of a former model: of memories, then of exchanges, then of chunks."""
    seconds = 0.0 if work.left() == math.inf else work.left()  # to `reembed`, 0 means without a limit
    run = reembed(work.services, now=work.clock, seconds=seconds, pause=PAUSE)
    return Outcome({"embedded": run.done, "exchanges": run.exchanges, "chunks": run.chunks})


def _age(work: Work) -> Outcome:
    """Archive what faded, prune what rested unused."""
    aged = run_lifecycle(work.services, work.now, work.settings)
    return Outcome({"archived": aged.count(Status.ARCHIVED), "pruned": aged.count(Status.PRUNED)})


def _index(work: Work) -> Outcome:
    """Extend the approximate index of many vectors."""
    return Outcome({"indexed": keep_vector_index(work.services)})


def _expiry_days(settings: Settings) -> int:
    return MONTH if settings["lifecycle.delete_after_days"] else 0


def _exchange_days(settings: Settings) -> int:
    return int(bool(settings["exchanges.keep_days"] or settings["exchanges.most_mb"]))


def _backup_days(settings: Settings) -> int:
    return int(settings["backups.every_days"])


RENAMES = Job("renames", follow_renames, seconds=SHARE, counts=("renamed",), before_brief=True)
CHANGES = Job(
    CHANGES_NAME,
    follow_changes,
    after=("embedding",),
    seconds=SHARE,
    counts=("replaced", "marked"),
    before_brief=True,
)
CAUSES = Job("causes", follow_causes, after=("embedding",), seconds=SHARE, counts=("inferred",))
JOBS = (
    Job("embedding", _embed, seconds=SHARE, counts=("embedded", "exchanges", "chunks"), before_brief=True),
    CHANGES,
    Job(RETOLD_NAME, fold_retold, seconds=SHARE, counts=("retold",), before_brief=True),
    RENAMES,
    Job("lifecycle", _age, counts=("archived", "pruned"), before_brief=True, ages=True),
    Job("vector-index", _index, after=("embedding",), counts=("indexed",)),
    CAUSES,
    *(job for one in capabilities() for name in one.jobs for job in load(name)),
    Job("sessions", m.do_sessions, m.plan_sessions, days=1, ages=True),
    Job("leftovers", m.do_leftovers, m.plan_leftovers, days=WEEK, ages=True),
    Job("exchanges", m.do_exchanges, m.plan_exchanges, days=_exchange_days, ages=True),
    Job("importance", follow_importance, plan_importance, days=MONTH, ages=True),
    Job("relations", do_pruning, plan_pruning, days=WEEK),
    Job("expiry", m.do_expiry, m.plan_expiry, days=_expiry_days, ages=True),
    Job("versions", m.do_versions, m.plan_versions, days=MONTH, after=("expiry",)),
    Job("audit", m.do_audit, m.plan_audit, days=MONTH, after=("expiry",), ages=True),
    Job("vectors", m.do_vectors, m.plan_vectors, days=MONTH, after=("expiry", "versions")),
    Job("compaction", m.do_compaction, m.plan_compaction, days=WEEK, after=tuple(m.MAKES_ROOM)),
    Job("rewrite", m.do_rewrite, m.plan_rewrite, days=QUARTER, after=("compaction",)),
    Job("growth", m.do_growth, m.plan_growth, days=1, after=("rewrite",)),
    Job("validation", do_validation, plan_validation, days=HOURS / 24, counts=("healed", "flagged")),
    Job("backup", m.do_backup, m.plan_backup, days=_backup_days, after=("rewrite",)),
)
"""In the order in which they run (see above): what makes room comes before what measures it."""
AFTER_SESSION = tuple(job for job in JOBS if job.days is None)
MAINTENANCE = "maintenance"
"""The name under which a worker's queue has all jobs with `days` together."""
QUEUED = (*(job.name for job in AFTER_SESSION), MAINTENANCE)
"""The tasks of a worker's queue."""
