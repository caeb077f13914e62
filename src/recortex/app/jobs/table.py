"""Every background job, declared once: what it does, when, how long, after which others, what it counts.

The job behind a session, `recortex worker`, `recortex gc` and `recortex status` read these rows. To add a
job, write its function and a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.app.jobs import maintenance as m
from recortex.app.jobs.lifecycle import run_lifecycle
from recortex.app.jobs.reembedding import PAUSE, SHARE, reembed
from recortex.app.jobs.work import Outcome, Work
from recortex.app.vector_index import keep_vector_index
from recortex.domain.vocabulary import Status
from recortex.engines.maintenance.due import MONTH, QUARTER, WEEK

if TYPE_CHECKING:
    from recortex.settings import Settings


Days = Callable[["Settings"], int]


@dataclass(frozen=True, slots=True)
class Job:
    """A background job. It is bounded in time, may be killed at any moment, and goes on the next time.

    Attributes:
        does: what it does, in a line.
        run: does it.
        plan: only looks; what `gc --dry-run` shows. Every job with `days` has one.
        days: between two runs, by the settings; 0: never. None: behind every session.
        seconds: how long it may take behind a session.
        counts: what it counts, by the names that `status` adds up.
        after: jobs that it follows where both run.
        before_brief: whether the brief of the next session depends on it.
    """

    name: str
    does: str
    run: Callable[[Work], Outcome]
    plan: Callable[[Work], Outcome] | None = None
    days: Days | int | None = None
    after: tuple[str, ...] = ()
    seconds: float = math.inf
    counts: tuple[str, ...] = ()
    before_brief: bool = False


def _embed(work: Work) -> Outcome:
    seconds = 0.0 if work.left() == math.inf else work.left()
    return Outcome({"embedded": reembed(work.services, now=work.clock, seconds=seconds, pause=PAUSE).done})


def _age(work: Work) -> Outcome:
    aged = run_lifecycle(work.services, work.now, work.settings)
    return Outcome({"archived": aged.count(Status.ARCHIVED), "pruned": aged.count(Status.PRUNED)})


JOBS = (
    Job(
        "embedding",
        "make vectors that are missing or of a former model",
        _embed,
        seconds=SHARE,
        counts=("embedded",),
        before_brief=True,
    ),
    Job(
        "lifecycle",
        "archive what faded, prune what rested unused",
        _age,
        counts=("archived", "pruned"),
        before_brief=True,
    ),
    Job(
        "vector-index",
        "extend the approximate index of many vectors",
        lambda work: Outcome({"indexed": keep_vector_index(work.services)}),
        counts=("indexed",),
        after=("embedding",),
    ),
    Job("sessions", "forget what is noted of old sessions", m.do_sessions, m.plan_sessions, 1),
    Job(
        "leftovers",
        "delete half-written files, old briefs, records of old fallbacks",
        m.do_leftovers,
        m.plan_leftovers,
        WEEK,
    ),
    Job(
        "expiry",
        "delete memories that were pruned long ago",
        m.do_expiry,
        m.plan_expiry,
        lambda settings: MONTH if settings["lifecycle.delete_after_days"] else 0,
    ),
    Job("versions", "delete the oldest former states", m.do_versions, m.plan_versions, MONTH, ("expiry",)),
    Job(
        "audit",
        "turn old entries of the audit log into counts by month",
        m.do_audit,
        m.plan_audit,
        MONTH,
        ("expiry",),
    ),
    Job(
        "vectors",
        "delete vectors that nothing uses",
        m.do_vectors,
        m.plan_vectors,
        MONTH,
        ("expiry", "versions"),
    ),
    Job(
        "compaction",
        "give free pages back, merge the keyword index, bring statistics up to date",
        m.do_compaction,
        m.plan_compaction,
        WEEK,
        ("sessions", "leftovers", "expiry", "versions", "audit", "vectors"),
    ),
    Job(
        "rewrite",
        "write the file anew where much of it holds nothing",
        m.do_rewrite,
        m.plan_rewrite,
        QUARTER,
        ("compaction",),
    ),
    Job("growth", "note the size of the store", m.do_growth, m.plan_growth, 1, ("rewrite",)),
    Job(
        "backup",
        "copy the store and check the copy",
        m.do_backup,
        m.plan_backup,
        lambda settings: int(settings["backups.every_days"]),
        ("rewrite",),
    ),
)
"""In the order in which they run: what makes room comes before what measures it."""
BEHIND_SESSION = tuple(job for job in JOBS if job.days is None)
MAINTENANCE = "maintenance"
"""The name under which a worker's queue has all jobs with `days` together."""
QUEUED = (*(job.name for job in BEHIND_SESSION), MAINTENANCE)
