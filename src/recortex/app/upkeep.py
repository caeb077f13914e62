"""Regular upkeep of a store: what is due is done, in the background for a few seconds at a time."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from recortex.app.chores import SMALL_FILE, TASKS, Outcome, State, Work
from recortex.domain.degradation import Degradation
from recortex.domain.time import to_micros
from recortex.engines.upkeep.due import EVERY, due
from recortex.engines.upkeep.growth import bytes_per_day, days_until, fragmentation
from recortex.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.app.bank import Bank
    from recortex.settings import Settings

SECONDS = 5.0
"""How long a run in the background may take; a chore that is not finished goes on in the next."""
SAMPLES = 400
SOON_DAYS = 30
"""How long before a store reaches its threshold a notice is given."""
_MONTH = 30
_MEGABYTE = 1024 * 1024
_STAMP = "%Y%m%dT%H%M%S%f"


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A chore that was done, or would be.

    Attributes:
        state: skipped: something speaks against it, which `note` tells; partly: it goes on next time.
    """

    name: str
    state: State
    counts: dict[str, int] = field(default_factory=dict)
    note: str = ""
    milliseconds: int = 0


def every(settings: Settings) -> dict[str, int]:
    """Days between two runs of each chore."""
    expiry = EVERY["expiry"] if settings["lifecycle.delete_after_days"] else 0
    return EVERY | {"expiry": expiry, "backup": settings["backups.every_days"]}


def upkeep(
    bank: Bank,
    now: datetime,
    settings: Settings,
    *,
    seconds: float = SECONDS,
    everything: bool = False,
    full: bool = False,
    dry_run: bool = False,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> list[Done]:
    """Do the chores that are due.

    Every chunk of a chore is a transaction, so that a kill at any moment leaves a store as whole as before, and the
    next run goes on. A chore that fails stands in nobody's way: it is recorded as a fall back and tried again.

    Args:
        bank: the store.
        now: the time to reckon and to record with.
        settings: `gc.*`, `backups.*`, `lifecycle.delete_after_days`, `hooks.keep_days`.
        seconds: after which no further chunk is begun; a backup that was begun is finished.
        everything: do also what is not due.
        full: also write the file anew, for as long as that takes.
        dry_run: only find out; nothing is changed.
        progress: told of each chore.
    """
    end = time.monotonic() + seconds
    found: list[Done] = []
    names = _names(bank, now, settings, everything=everything, full=full)
    so_far: dict[str, dict[str, int]] = {}
    work = Work(
        bank=bank, now=now, settings=settings, left=lambda: end - time.monotonic(), names=frozenset(names), full=full,
        so_far=so_far,
    )  # fmt: skip
    for place, name in enumerate(names):
        if work.left() <= 0:
            break
        progress("upkeep", place, len(names))
        found.append(_done(name, work, dry_run=dry_run))
        so_far[name] = found[-1].counts
    return found


def _names(bank: Bank, now: datetime, settings: Settings, *, everything: bool, full: bool) -> list[str]:
    rhythm = every(settings)
    if everything:
        return [name for name, days in rhythm.items() if days]
    done = {name: to_micros(chore.done_at) for name, chore in bank.store.chores.all().items()}
    names = due(done, rhythm, to_micros(now))
    return [name for name in rhythm if name in names or (full and name == "rewrite")]


def _done(name: str, work: Work, *, dry_run: bool) -> Done:
    began = time.perf_counter()
    task = TASKS[name]
    try:
        outcome = task.plan(work) if dry_run else task.do(work)
        if outcome.state == "done" and not dry_run:
            work.bank.store.chores.note(
                name, work.now, outcome.counts if outcome.record is None else outcome.record
            )
    except (StorageError, OSError) as error:
        outcome = Outcome(note=str(error), state="failed")
        if not dry_run:
            _record(work, name, outcome.note)
    took = round((time.perf_counter() - began) * 1000)
    return Done(
        name=name, state=outcome.state, counts=outcome.counts, note=outcome.note, milliseconds=took
    )  # fmt: skip


def _record(work: Work, name: str, why: str) -> None:
    event = Degradation(f"upkeep: {name}", why[:500], "tried again after the next session")
    work.bank.store.ledger.degrade(event, work.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How a store is and will be (A, CX21: storage health).

    Attributes:
        archived: memories that are archived or pruned; `active` are all others.
        fragmentation: the share that holds nothing, from 0 to 1, as of the last upkeep.
        bytes_per_month: by which it grows; None where too little is known.
        days_to_threshold: until it has the size of `gc.threshold_mb`; None where it will not, as things are.
        last_gc, last_backup: when upkeep was done, and when a backup was made; None: never.
    """

    bytes: int
    active: int
    archived: int
    vector_bytes: int
    index_bytes: int
    fragmentation: float
    bytes_per_month: int | None
    days_to_threshold: int | None
    last_gc: datetime | None
    last_backup: datetime | None


def health(bank: Bank, settings: Settings) -> Health:
    """How a store is and will be."""
    store = bank.store
    space = store.compaction.space()
    archived = store.chores.archived()
    rate = bytes_per_day(store.chores.samples(SAMPLES))
    left = days_until(space.total, settings["gc.threshold_mb"] * _MEGABYTE, rate)
    chores = store.chores.all()
    done = [chore.done_at for name, chore in chores.items() if name not in {"growth", "backup"}]
    waste = max(
        chores["compaction"].outcome.get("waste_bytes", 0) if "compaction" in chores else 0, space.free
    )
    return Health(
        bytes=space.total, active=store.chores.content().memories - archived, archived=archived,
        vector_bytes=space.vectors, index_bytes=space.keyword_index, fragmentation=fragmentation(waste, space.total),
        bytes_per_month=None if rate is None else round(rate * _MONTH),
        days_to_threshold=None if left is None else math.ceil(left),
        last_gc=max(done, default=None), last_backup=_last_backup(bank),
    )  # fmt: skip


def notices(value: Health, settings: Settings) -> list[str]:
    """What a person might do about a store's size."""
    found = []
    if value.days_to_threshold is not None and value.days_to_threshold <= SOON_DAYS:
        size = f"{settings['gc.threshold_mb']:,} MB (gc.threshold_mb)"
        when = (
            f"will have {size} in {value.days_to_threshold} days"
            if value.days_to_threshold
            else f"has {size}"
        )
        found.append(f"The store {when}: `recortex gc --all --dry-run` shows what can go.")
    if value.fragmentation > settings["gc.fragmentation"] and value.bytes > SMALL_FILE:
        share = f"{value.fragmentation:.0%} of the store's file holds nothing"
        found.append(f"{share}: run `recortex gc --full` when nobody works with it.")
    return found


def _last_backup(bank: Bank) -> datetime | None:
    """By the newest file's name; one that a person named says nothing."""
    stamps = (path.name.partition("-")[0] for path in bank.store.backups.all())
    return max(filter(None, map(_stamped, stamps)), default=None)


def _stamped(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None
