"""What the capture process does after it has learned: jobs, a new brief, and counts of all it did.

`table.py` tells the order.
"""

from __future__ import annotations

import json
import math
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from recortex.app.brief import brief, forget_briefs
from recortex.app.jobs.running import run, run_due
from recortex.app.jobs.table import AFTER_SESSION, QUEUED, RENAMES, REPEATS
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_own, replace_text

if TYPE_CHECKING:
    from pathlib import Path

    from recortex.app.application import Application
    from recortex.app.hooks.context import HookContext
    from recortex.app.jobs.learning import Lesson
    from recortex.app.store_services import StoreServices

STATUS = "status.json"
_MOST_BYTES = 64 * 1024


@dataclass(slots=True)
class RunCounts:
    """What a run of the capture process did, in counts.

    Attributes:
        places: branch, folder and client of each session that was learned from: its next brief is made then.
    """

    sessions: int = 0
    passes: int = 0
    turns: int = 0
    found: int = 0
    added: int = 0
    merged: int = 0
    used: int = 0
    failed: int = 0
    places: list[tuple[str, str, str]] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """All counts by name."""
        return {name: value for name, value in asdict(self).items() if isinstance(value, int)}

    def count(self, lesson: Lesson) -> None:
        """Add a pass."""
        outcomes = [one.outcome for one in lesson.extracted.found]
        self.passes += 1
        self.turns += len(lesson.turns)
        self.found += len(outcomes)
        self.added += outcomes.count("added")
        self.merged += outcomes.count("merged")


def follow_up(context: HookContext, run_counts: RunCounts, *, seconds: float) -> None:
    """Bring the stores up to date with what was learned, in the order that `table.py` tells.

    Args:
        context: of the project.
        run_counts: what was learned.
        seconds: how long that took.
    """
    ours = [services for services in context.app.readable_services() if not _handed_over(services)]
    first = [job for job in AFTER_SESSION if job.before_brief]
    counts = {count: 0 for job in first for count in job.counts}
    for services in ours:
        for done in run(services, context.clock, services.settings, first):
            counts |= {name: counts.get(name, 0) + count for name, count in done.counts.items()}
    forget_briefs(context.locations)
    for branch, folder, client in dict.fromkeys(run_counts.places):
        brief(context.app, branch=branch, cwd=folder, client=client)
    write_status(
        context.location.place(STATUS), context.clock().isoformat(), run_counts.counts() | counts, seconds
    )
    rest = [job for job in AFTER_SESSION if not job.before_brief]
    for services in ours:
        run(services, context.clock, services.settings, rest)
        run_due(services, context.clock, services.settings)


def after_import(app: Application) -> None:
    """Do what follows the end of a session: changes, repetitions, renames, causes, links to symbols.

    What a job does not finish in its time, the end of the next session goes on with; those that look at the
    whole history are quick, and do.
    """
    jobs = [replace(job, seconds=math.inf) if job in (REPEATS, RENAMES) else job for job in AFTER_SESSION]
    for services in app.all_services():
        if _handed_over(services):
            continue
        for place, job in enumerate(jobs):
            app.progress(f"after the import: {job.name}", place, len(jobs))
            run(services, app.clock, services.settings, [job])
    forget_briefs(list(app.locations.values()))


def _handed_over(services: StoreServices) -> bool:
    """Whether a worker of the store's server was asked to run the jobs."""
    if not services.location.remote:
        return False
    from recortex.app.backends.queue import handed_over

    return handed_over(services.location, QUEUED)


def read_status(path: Path) -> dict[str, Any]:
    """The record of the capture process's runs; empty where there is none."""
    try:
        given: Any = json.loads(read_own(path, _MOST_BYTES))
    except (OSError, UntrustedFileError, ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def write_status(path: Path, at: str, counts: dict[str, int], seconds: float) -> None:
    """Record a run: counts and times, no text."""
    before = read_status(path)
    totals = before.get("totals")
    known = totals if isinstance(totals, dict) else {}
    record = {
        "runs": _whole(before.get("runs")) + 1,
        "totals": {name: _whole(known.get(name)) + count for name, count in counts.items()},
        "last": {"at": at, "milliseconds": round(seconds * 1000), **counts},
    }
    with suppress(OSError):
        replace_text(path, json.dumps(record, indent=1))


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0
