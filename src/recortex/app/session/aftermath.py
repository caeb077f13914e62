"""What follows when something was learned: vectors, ageing, a new brief, and a record in counts."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from recortex.app.aging import age
from recortex.app.surface import brief, forget_briefs
from recortex.app.surface_cache import replace
from recortex.domain.vocabulary import Status

if TYPE_CHECKING:
    from pathlib import Path

    from recortex.app.session.loop import Loop
    from recortex.app.session.tally import Tally

STATUS = "status.json"
BACKLOG = 512
"""Memories without a vector that one run of the job makes up for."""


def after(loop: Loop, tally: Tally, *, seconds: float) -> None:
    """Bring the stores up to date with what was learned."""
    embedded = archived = pruned = 0
    for bank in loop.app.sound_banks():
        embedded += bank.embedding.catch_up(BACKLOG)
        aged = age(bank, loop.clock(), loop.settings)
        archived += aged.count(Status.ARCHIVED)
        pruned += aged.count(Status.PRUNED)
    loop.sessions.forget_before(loop.clock() - timedelta(days=loop.settings["hooks.keep_days"]))
    forget_briefs(loop.locations)
    for branch, folder in dict.fromkeys(tally.places):
        brief(loop.app, branch=branch, cwd=folder)
    counts = tally.counts() | {"embedded": embedded, "archived": archived, "pruned": pruned}
    write_status(loop.location.place(STATUS), loop.clock().isoformat(), counts, seconds)


def read_status(path: Path) -> dict[str, Any]:
    """The record of the job's runs; empty where there is none."""
    try:
        given: Any = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
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
        replace(path, json.dumps(record, indent=1))


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0
