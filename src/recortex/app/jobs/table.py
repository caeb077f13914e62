"""Every background job, declared once: what it does, when, for how long, after which others, and what it counts.

The job behind a session, `recortex worker`, `recortex gc` and `recortex status` read these rows. To add a
job, write its
function and a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.app.jobs import maintenance
from recortex.app.jobs.lifecycle import run_lifecycle
from recortex.app.jobs.reembedding import PAUSE, SHARE, reembed
from recortex.app.jobs.work import Outcome, Work
from recortex.app.vector_index import keep_vector_index
from recortex.domain.vocabulary import Status
from recortex.engines.maintenance.due import MONTH, QUARTER, WEEK

if TYPE_CHECKING:
    from recortex.settings import Settings


Days = Callable[["Settings"], int]


@dataclass(frozen=True, slots=True, kw_only=True)
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
    days: Days | None = None
    seconds: float = math.inf
    counts: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    before_brief: bool = False


def _every(days: int) -> Days:
    return lambda _: days


def _expiry_days(settings: Settings) -> int:
    return MONTH if settings["lifecycle.delete_after_days"] else 0


def _backup_days(settings: Settings) -> int:
    days: int = settings["backups.every_days"]
    return days


def _embed(work: Work) -> Outcome:
    seconds = 0.0 if work.left() == math.inf else work.left()
    return Outcome({"embedded": reembed(work.services, now=work.clock, seconds=seconds, pause=PAUSE).done})


def _age(work: Work) -> Outcome:
    aged = run_lifecycle(work.services, work.now, work.settings)
    return Outcome({"archived": aged.count(Status.ARCHIVED), "pruned": aged.count(Status.PRUNED)})


def _index_vectors(work: Work) -> Outcome:
    return Outcome({"indexed": keep_vector_index(work.services)})


def _maintenance(task: maintenance.Task, name: str, does: str, days: Days, *after: str) -> Job:
    return Job(name=name, does=does, run=task.do, plan=task.plan, days=days, after=after)


JOBS = (
    Job(
        name="embedding",
        does="make vectors that are missing or of a former model",
        run=_embed,
        seconds=SHARE,
        counts=("embedded",),
        before_brief=True,
    ),
    Job(
        name="lifecycle",
        does="archive what faded, prune what rested unused",
        run=_age,
        counts=("archived", "pruned"),
        before_brief=True,
    ),
    Job(
        name="vector-index",
        does="extend the approximate index of many vectors",
        run=_index_vectors,
        counts=("indexed",),
        after=("embedding",),
    ),
    _maintenance(maintenance.SESSIONS, "sessions", "forget what is noted of old sessions", _every(1)),
    _maintenance(
        maintenance.LEFTOVERS,
        "leftovers",
        "delete half-written files, old briefs, records of old fallbacks",
        _every(WEEK),
    ),
    _maintenance(maintenance.EXPIRY, "expiry", "delete memories that were pruned long ago", _expiry_days),
    _maintenance(
        maintenance.OLD_VERSIONS, "versions", "delete the oldest former states", _every(MONTH), "expiry"
    ),
    _maintenance(
        maintenance.AUDIT,
        "audit",
        "turn old entries of the audit log into counts by month",
        _every(MONTH),
        "expiry",
    ),
    _maintenance(
        maintenance.UNUSED_VECTORS,
        "vectors",
        "delete vectors that nothing uses",
        _every(MONTH),
        "expiry",
        "versions",
    ),
    _maintenance(
        maintenance.COMPACTION,
        "compaction",
        "give free pages back, merge the keyword index, bring statistics up to date",
        _every(WEEK),
        *("sessions", "leftovers", "expiry", "versions", "audit", "vectors"),
    ),
    _maintenance(
        maintenance.REWRITE,
        "rewrite",
        "write the file anew where much of it holds nothing",
        _every(QUARTER),
        "compaction",
    ),
    _maintenance(maintenance.GROWTH, "growth", "note the size of the store", _every(1), "rewrite"),
    _maintenance(maintenance.BACKUP, "backup", "copy the store and check the copy", _backup_days, "rewrite"),
)
"""In the order in which they run: what makes room comes before what measures it."""
BEHIND_SESSION = tuple(job for job in JOBS if job.days is None)
MAINTENANCE = "maintenance"
"""The name under which a worker's queue has all jobs with `days` together."""
QUEUED = (*(job.name for job in BEHIND_SESSION), MAINTENANCE)
