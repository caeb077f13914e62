"""What follows when something was learned: vectors, ageing, a new brief, and a record in counts."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from recortex.app.jobs.running import run, run_due
from recortex.app.jobs.table import BEHIND_SESSION, QUEUED
from recortex.app.surface import brief, forget_briefs
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_own, replace_text

if TYPE_CHECKING:
    from pathlib import Path

    from recortex.app.bank import Bank
    from recortex.app.session.loop import Loop
    from recortex.app.session.tally import Tally

STATUS = "status.json"
_MOST_BYTES = 64 * 1024


def after(loop: Loop, tally: Tally, *, seconds: float) -> None:
    """Bring the stores up to date with what was learned; where a store has workers, they do what takes long."""
    ours = [bank for bank in loop.app.sound_banks() if not _handed_over(bank)]
    first = [job for job in BEHIND_SESSION if job.before_brief]
    counts = {count: 0 for job in first for count in job.counts}
    for bank in ours:
        for done in run(bank, loop.clock, bank.settings, first):
            counts |= {name: counts.get(name, 0) + count for name, count in done.counts.items()}
    forget_briefs(loop.locations)
    for branch, folder in dict.fromkeys(tally.places):
        brief(loop.app, branch=branch, cwd=folder)
    write_status(loop.location.place(STATUS), loop.clock().isoformat(), tally.counts() | counts, seconds)
    rest = [job for job in BEHIND_SESSION if not job.before_brief]
    for bank in ours:
        run(bank, loop.clock, bank.settings, rest)
        run_due(bank, loop.clock, bank.settings)


def _handed_over(bank: Bank) -> bool:
    if not bank.location.remote:
        return False
    from recortex.app.queue import handed_over

    return handed_over(bank.location, QUEUED)


def read_status(path: Path) -> dict[str, Any]:
    """The record of the job's runs; empty where there is none."""
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
