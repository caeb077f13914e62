"""Running background jobs: those after every session, and those that are due by the calendar.

One that fails holds up no other.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from recortex.app.jobs.table import JOBS
from recortex.app.jobs.work import DOUBTED, Outcome, State, Work, is_believed
from recortex.domain.maintenance import Degradation
from recortex.domain.time import to_micros
from recortex.engines.maintenance.due import due
from recortex.errors import StorageError
from recortex.telemetry import count, span

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from recortex.app.jobs.table import Job
    from recortex.app.store_services import StoreServices
    from recortex.settings import Settings

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
        so_far[job.name] = found[-1].counts
    return found


def _may_age(jobs: Iterable[Job], work: Work) -> bool:
    """Whether the jobs may go by the clock."""
    if not any(job.ages for job in jobs):
        return True
    with suppress(StorageError):
        return is_believed(work)
    return False


def work_on(
    services: StoreServices, clock: Callable[[], datetime], settings: Settings, seconds: float
) -> Work:
    """What a job gets to work on; `seconds` may be infinite: it then looks at no clock."""
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
            again = last + timedelta(hours=min(2 ** (min(tries, 64) - _TRIES), _LONGEST_WAIT))
            if last <= work.now < again:
                note = f"it did not end {tries} times in a row; tried again after {again:%Y-%m-%d %H:%M} UTC"
                return Done(name=job.name, state="skipped", note=note)
        log.note(name, work.now, {"times": tries + 1})
    try:
        done = _run_one(job, work)
    finally:  # what ends the process from outside comes past here
        with suppress(StorageError):
            log.note(name, work.now, {"times": 0})
    return done


def _stuck_last(jobs: Sequence[Job], work: Work) -> list[Job]:
    """The jobs, those last whose last attempt did not end: they hold up no other."""
    with suppress(StorageError):
        noted = work.services.store.maintenance.all()
        stuck = {name for name, one in noted.items() if name.startswith(_TRIED) and one.outcome.get("times")}
        return sorted(jobs, key=lambda job: f"{_TRIED}{job.name}" in stuck)
    return list(jobs)


def _component(job: Job) -> str:
    return f"job: {job.name}"
