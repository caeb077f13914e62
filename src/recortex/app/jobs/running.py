"""Running background jobs, after a session, by the calendar, or as a worker of a PostgreSQL store.

One that fails holds up no other.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.jobs import DOUBTED, Outcome, State, Work, is_believed
from recortex.app.jobs.table import AFTER_SESSION, JOBS, MAINTENANCE, QUEUED
from recortex.domain.maintenance import Degradation
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Scope
from recortex.engines.maintenance import due
from recortex.errors import RecortexError, StorageError
from recortex.lean import lazy_module
from recortex.telemetry import count, span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from recortex.app.application import Application, StoreServices
    from recortex.app.backends import queue
    from recortex.app.jobs import Job
    from recortex.domain.address import Address
    from recortex.settings import Settings
else:
    queue = lazy_module("recortex.app.backends.queue")


SECONDS = 5.0
"""How long a run of the jobs that are due may take in the background; one that is not finished goes on in
the next."""
_LONGEST = 500  # characters of an error that `status` shows


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A job that was done, or would be.

    Attributes:
        state: skipped: something speaks against it, which `note` tells; partly: it goes on next time.
    """

    name: str
    state: State
    counts: dict[str, int] = field(default_factory=dict)
    note: str = ""
    milliseconds: int = 0


def run(
    services: StoreServices, clock: Callable[[], datetime], settings: Settings, jobs: Iterable[Job]
) -> list[Done]:
    """Run jobs one after another, each within its own time; one that fails says so in its `Done`."""
    work = work_on(services, clock, settings, math.inf)
    # A job that never ends takes all the time there is: tried last, it keeps no other from its turn.
    jobs = _stuck_last(tuple(jobs), work)
    believed = _may_age(jobs, work)
    return [
        _attempt(job, work_on(services, clock, settings, job.seconds))
        if believed or not job.ages
        else Done(name=job.name, state="skipped", note=DOUBTED)
        for job in jobs
    ]


def run_due(
    services: StoreServices,
    clock: Callable[[], datetime],
    settings: Settings,
    *,
    seconds: float = SECONDS,
    everything: bool = False,
    full: bool = False,
    dry_run: bool = False,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> list[Done]:
    """Run the maintenance jobs that are due.

    Every chunk of a job is a transaction, so that a kill at any moment leaves a store as whole as before, and
    the next run goes on.

    Args:
        services: the store.
        clock: gives the time.
        settings: `gc.*`, `backups.*`, `lifecycle.delete_after_days`, `hooks.keep_days`.
        seconds: after which no further chunk is begun; a backup that was begun is finished.
        everything: run also what is not due.
        full: also write the file anew, for as long as that takes.
        dry_run: only find out; nothing is changed.
        progress: told of each job.
    """
    found: list[Done] = []
    so_far: dict[str, dict[str, int]] = {}
    work = work_on(services, clock, settings, seconds)
    jobs = _due(work, everything=everything, full=full)
    if not (dry_run or _may_age(jobs, work)):
        found += [Done(name=job.name, state="skipped", note=DOUBTED) for job in jobs if job.ages]
        jobs = [job for job in jobs if not job.ages]
    work = work._replace(names=frozenset(job.name for job in jobs), full=full, so_far=so_far)
    # Whoever asks by hand has a job tried each time.
    watched = seconds < math.inf and not (everything or dry_run)
    for place, job in enumerate(_stuck_last(tuple(jobs), work) if watched else jobs):
        if work.left() <= 0:
            break
        progress("maintenance", place, len(jobs))
        found.append(_attempt(job, work) if watched else _run_one(job, work, dry_run=dry_run))
        # What came before decides what a later job does: a backup is only new when something was deleted or
        # changed.
        so_far[job.name] = found[-1].counts
    return found


def _may_age(jobs: Iterable[Job], work: Work) -> bool:
    """Whether the jobs may go by the clock."""
    if not any(job.ages for job in jobs):
        return True
    # By a clock that is years off, all would be archived and deleted at once.
    with suppress(StorageError):
        return is_believed(work)
    return False


def work_on(
    services: StoreServices, clock: Callable[[], datetime], settings: Settings, seconds: float
) -> Work:
    """What a job gets to work on; `seconds` may be infinite: it then looks at no clock."""
    # Monotonic: a clock that is set back meanwhile must not let a job run for hours.
    end = time.monotonic() + seconds
    return Work(
        services=services, now=clock(), clock=clock, settings=settings, left=lambda: end - time.monotonic()
    )


def _due(work: Work, *, everything: bool, full: bool) -> list[Job]:
    days = {
        job.name: job.days(work.settings) if callable(job.days) else job.days
        for job in JOBS
        if job.days is not None
    }
    if everything:
        names = [name for name, each in days.items() if each]
    else:
        done = {name: to_micros(one.done_at) for name, one in work.services.store.maintenance.all().items()}
        names = due(done, days, to_micros(work.now))
    return [job for job in JOBS if job.name in names or (full and job.name == "rewrite")]


def _run_one(job: Job, work: Work, *, dry_run: bool = False) -> Done:
    began = time.perf_counter()
    try:
        with span("job", job=job.name, scope=str(work.services.scope or "all"), dry_run=dry_run):
            outcome = job.plan(work) if dry_run and job.plan else job.run(work)
        for name, number in outcome.counts.items():
            count("job", number, job=job.name, counter=name)
        # What ended partly is due again at once, so its time is not noted.
        if job.days is not None and outcome.state == "done" and not dry_run:
            work.services.store.maintenance.note(
                job.name, work.now, outcome.counts if outcome.record is None else outcome.record
            )
        if outcome.state == "done" and not dry_run:
            work.services.store.ledger.works_again(_component(job))
    except Exception as error:  # noqa: BLE001  whatever it is: the other jobs are not held up by it
        outcome = Outcome(note=str(error) or type(error).__name__, state="failed")
        if not dry_run:
            # Tell of a failure in `status`; the store itself may be what failed.
            event = Degradation(_component(job), outcome.note[:_LONGEST], "tried again at its next run")
            with suppress(StorageError):
                work.services.store.ledger.degrade(event, work.now)
    took = round((time.perf_counter() - began) * 1000)
    return Done(
        name=job.name, state=outcome.state, counts=outcome.counts, note=outcome.note, milliseconds=took
    )


# -- a job that does not end, as its process is ended first, is tried last, and less and less often


_TRIED = "tried: "
"""How the note of a job's attempts is called: how many were begun since one ended."""
_TRIES, _LONGEST_WAIT = 2, 7 * 24
"""Attempts in vain after which a job waits: an hour, then two, four, up to so many hours."""
UNFINISHED = "it did not end in its time"
_LESS_OFTEN = "tried last, and less and less often"
"""What `status` says of such a job."""


def _attempt(job: Job, work: Work) -> Done:
    """Run a job unless its last attempts did not end and it has to wait."""
    log, name = work.services.store.maintenance, f"{_TRIED}{job.name}"
    with suppress(StorageError):
        # How many attempts were begun since one ended, and when the last was.
        noted = work.services.store.maintenance.all().get(f"{_TRIED}{job.name}")
        tries, last = (noted.outcome.get("times", 0), noted.done_at) if noted else (0, work.now)
        if tries >= _TRIES:
            work.services.store.ledger.degrade(
                Degradation(_component(job), UNFINISHED, _LESS_OFTEN), work.now
            )
            # Bounded before the power is taken: a count that grew for years would make a number of
            # thousands of digits.
            again = last + timedelta(hours=min(2 ** (min(tries, 64) - _TRIES), _LONGEST_WAIT))
            # A last attempt that lies in the future was noted by a wrong clock, and keeps nothing waiting.
            if last <= work.now < again:
                note = f"it did not end {tries} times in a row; tried again after {again:%Y-%m-%d %H:%M} UTC"
                return Done(name=job.name, state="skipped", note=note)
        # Before it begins: whatever ends this process in the middle of the job leaves the count behind.
        log.note(name, work.now, {"times": tries + 1})
    try:
        done = _run_one(job, work)
    # An error that Python sees counts as an end: only a kill leaves the count behind.
    finally:  # what ends the process from outside comes past here
        with suppress(StorageError):
            log.note(name, work.now, {"times": 0})
    return done


def _stuck_last(jobs: Sequence[Job], work: Work) -> list[Job]:
    """The jobs, those last whose last attempt did not end: they hold up no other."""
    with suppress(StorageError):
        noted = work.services.store.maintenance.all()
        stuck = {name for name, one in noted.items() if name.startswith(_TRIED) and one.outcome.get("times")}
        # Sorting is stable: the others keep the order of their rows.
        return sorted(jobs, key=lambda job: f"{_TRIED}{job.name}" in stuck)
    return list(jobs)


def _component(job: Job) -> str:
    return f"job: {job.name}"


# -- A worker of a PostgreSQL store: takes jobs from its queue until it is stopped


OPEN = 16
"""Workspaces that a worker keeps open: each has a connection or two."""
EVERY = "*/15 * * * *"
"""How often every workspace is looked after, as cron has it."""
ATTEMPTS = 5
"""How often a job that fails is run; then it waits for the next round of `EVERY`."""
GRACE = 30.0
"""Seconds that a worker may take to finish its job when it is told to stop: most take less, and one that is
cut off goes on the next time."""


class JobCounts(NamedTuple):
    """What a worker did: runs that succeeded, and runs that failed."""

    done: int = 0
    failed: int = 0


class Worker:
    """Does the jobs of all workspaces that its role may see.

    Args:
        address: of the store; its workspace is looked after in any case.
        open_app: opens the application of a workspace by its URL.
    """

    def __init__(self, address: Address, open_app: Callable[[str], Application]) -> None:
        self._address = address
        self._open_app = open_app
        self._apps: OrderedDict[str, Application] = OrderedDict()
        self.counts = JobCounts()

    def work(self, *, once: bool) -> JobCounts:
        """Take jobs until told to stop, or, once, until none waits.

        Raises:
            ConfigError: procrastinate is not installed.
            StorageError: the server cannot be reached, or the role may not make the queue's tables.
        """
        queue.prepare(self._address)
        self.queue_all()
        import logging

        from procrastinate import App, PsycopgConnector, RetryStrategy

        jobs = App(
            connector=PsycopgConnector(**queue.options(self._address.conninfo), min_size=1, max_size=3)
        )
        for name in QUEUED:
            retry = RetryStrategy(max_attempts=ATTEMPTS, exponential_wait=4)
            jobs.task(name=name, retry=retry)(self._task(name))
        # One round at a time waits in the queue: several workers would otherwise each add theirs.
        rounds = jobs.task(name="rounds", queueing_lock="rounds")(self._rounds)
        jobs.periodic(cron=EVERY)(rounds)
        logging.getLogger("procrastinate").setLevel(logging.CRITICAL)  # it shows tracebacks; `_task` says why
        try:
            with queue.guarded():
                jobs.run_worker(
                    wait=not once,
                    # One job at a time: neither the open applications nor the counts are made for several
                    # threads.
                    concurrency=1,
                    # Nobody reads finished jobs, and their table would grow for ever.
                    delete_jobs="always",
                    name="recortex",
                    shutdown_graceful_timeout=GRACE,
                    install_signal_handlers=True,
                )
        finally:
            for app in self._apps.values():
                app.close()
        return self.counts

    def queue_all(self) -> int:
        """Put the jobs of every workspace into the queue, and those back that a killed worker left.

        Returns how many are new.
        """
        with queue.guarded(), queue.opened(self._address.conninfo) as jobs:
            queue.take_back(jobs)
            # The own workspace may not be among those that the server knows yet.
            names = [self._address.workspace, *queue.workspaces(self._address)]
            return sum(queue.defer(jobs, name, QUEUED) for name in dict.fromkeys(names))

    def _task(self, name: str) -> Callable[[str], None]:
        def task(workspace: str) -> None:
            self.counts = self.counts._replace(failed=self.counts.failed + 1)  # until it is known to be done
            try:
                self.do(name, workspace)
            except Exception as error:
                import logging

                logging.getLogger(__name__).warning(
                    "%s of %s failed: %s", name, workspace, _describe_failure(error)
                )
                raise  # the queue tries again, and gives up after some tries
            self.counts = JobCounts(self.counts.done + 1, self.counts.failed - 1)

        return task

    def _rounds(self, timestamp: int) -> None:  # noqa: ARG002  the queue gives it
        self.queue_all()

    def do(self, name: str, workspace: str) -> None:
        """Do one job for a workspace.

        Raises:
            RecortexError: it failed, or one of the maintenance jobs; the others were done.
        """
        if workspace not in self._apps:
            self._apps[workspace] = self._open_app(self._address.url(workspace))
        self._apps.move_to_end(workspace)
        while len(self._apps) > OPEN:
            self._apps.popitem(last=False)[1].close()
        app = self._apps[workspace]
        services = app.services(Scope.PROJECT)
        if name == MAINTENANCE:
            done = run_due(services, app.clock, app.settings)
        else:
            jobs = [job for job in AFTER_SESSION if job.name == name]
            done = run(services, app.clock, app.settings, jobs)
        if failed := [f"{one.name}: {one.note}" for one in done if one.state == "failed"]:
            raise RecortexError("; ".join(failed), hint="`recortex status` shows it until it works again.")


def _describe_failure(error: Exception) -> str:
    """Why a job failed, in a line."""
    if isinstance(error, RecortexError):
        return f"{error.message} {error.hint}"
    return f"{type(error).__name__}: {error}".partition("\n")[0]
