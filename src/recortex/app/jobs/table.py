"""Every background job, declared once: what it does, when, how long, after which others, what it counts.

To add a job, write its function and a row in `JOBS`; one with `days` needs a `plan` as well. If it deletes
rows, add it to `MAKES_ROOM` in `maintenance.py`. `cli/rendering/stores.py` has the words for its counts.

After a session, and after each answer, compaction and sub-agent of it, the process that learns from it (the
capture process, `capture.py`) goes on in this order, which `post_capture.py` carries out:

1. the jobs of every session that have `before_brief`: embedding, changes, retold, repeats, renames,
   lifecycle;
2. the brief that the next session starts with, and the counts in `status.json`;
3. the other jobs of every session: the vector index, causes, symbols;
4. the jobs with `days` that are due, in the order of the rows, for a few seconds together.

Where a store on a server has a worker, the worker does 1, 3 and 4: each job of every session alone, and
those with `days` together. `recortex gc` does 4 at once; `recortex status` shows what the jobs counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.app.jobs import maintenance as m
from recortex.app.jobs.causes import do_pruning, follow_causes, plan_pruning
from recortex.app.jobs.changes import follow_changes
from recortex.app.jobs.importance import follow_importance, plan_importance
from recortex.app.jobs.lifecycle import run_lifecycle
from recortex.app.jobs.reembedding import PAUSE, SHARE, reembed
from recortex.app.jobs.renames import follow_renames
from recortex.app.jobs.repeats import keep_repeats
from recortex.app.jobs.retold import fold_retold
from recortex.app.jobs.symbols import follow_symbols
from recortex.app.jobs.validating import HOURS, do_validation, plan_validation
from recortex.app.jobs.work import Outcome, Work
from recortex.app.vector_index import keep_vector_index
from recortex.domain.vocabulary import Status
from recortex.engines.maintenance.due import MONTH, QUARTER, WEEK

if TYPE_CHECKING:
    from recortex.settings import Settings


Days = Callable[["Settings"], float]


@dataclass(frozen=True, slots=True)
class Job:
    """A background job. It may be killed at any moment, and goes on the next time.

    Attributes:
        run: does it, as its docstring says.
        plan: only looks; what `gc --dry-run` shows. Every job with `days` has one.
        days: between two runs, by the settings; 0: never. None: after every session.
        after: jobs whose results it depends on: they stand before it in `JOBS`, which a test checks.
        seconds: after which a job of every session begins nothing more; those with `days` share one limit.
        counts: what it counts, by the names that `status` adds up.
        before_brief: whether the brief of the next session depends on it.
        ages: whether it puts away or deletes what is old: it waits while the clock is not believed
            (`clock.py`).
    """

    name: str
    run: Callable[[Work], Outcome]
    plan: Callable[[Work], Outcome] | None = None
    days: Days | float | None = None
    after: tuple[str, ...] = ()
    seconds: float = math.inf
    counts: tuple[str, ...] = ()
    before_brief: bool = False
    ages: bool = False


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


REPEATS = Job(
    "repeats", keep_repeats, after=("embedding",), seconds=SHARE, counts=("repeated",), before_brief=True
)
RETOLD = Job(
    "retold", fold_retold, after=("embedding",), seconds=SHARE, counts=("retold",), before_brief=True
)
RENAMES = Job("renames", follow_renames, seconds=SHARE, counts=("renamed",), before_brief=True)
CHANGES = Job(
    "changes",
    follow_changes,
    after=("embedding",),
    seconds=SHARE,
    counts=("replaced", "marked"),
    before_brief=True,
)
CAUSES = Job("causes", follow_causes, after=("embedding",), seconds=SHARE, counts=("inferred",))
SYMBOLS = Job("symbols", follow_symbols, seconds=SHARE, counts=("linked",))
JOBS = (
    Job("embedding", _embed, seconds=SHARE, counts=("embedded", "exchanges", "chunks"), before_brief=True),
    CHANGES,
    RETOLD,
    REPEATS,
    RENAMES,
    Job("lifecycle", _age, counts=("archived", "pruned"), before_brief=True, ages=True),
    Job("vector-index", _index, after=("embedding",), counts=("indexed",)),
    CAUSES,
    SYMBOLS,
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
