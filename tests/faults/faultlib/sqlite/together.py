"""A writer that hangs with the lock in its hand, and a clock that jumps back."""

# ruff: noqa: S311  seeded random is wanted

from __future__ import annotations

import os
import signal
from functools import partial
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

from faultlib.acts import WRITES
from faultlib.model import Fault, FaultClass, Record
from faultlib.verdict import verdict
from faultlib.workbench import Workbench, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

HUNG, CLOCK, STALE = "hung writer", "clock jumping back", "stale lock files"
PATIENCE = 0.3

HOLDS = ("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "BEGIN IMMEDIATE; UPDATE memories SET reason = 'half'")


def _hung(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        act, hold = chance.choice((*WRITES, "open")), chance.choice(HOLDS)
        yield Fault(HUNG, f"{act}; {hold}", partial(_hang, bench, act, hold))


def _hang(bench: Workbench, act: str, hold: str) -> Record:
    with bench.site() as site:
        holder = bench.start(site, hold=hold)
        wait_for(site.root / "held")
        child = bench.run(site, act, "recall", patience=PATIENCE, when="act" if act != "open" else "open")
        os.kill(holder, signal.SIGKILL)
        bench.ended(site, holder)
        record = verdict(site, HUNG, f"{act}; {hold}", child)
        errors = child.out.get("errors", [])
        record.problems += [
            f"{one[0]}: {one[1]} instead of store_busy" for one in errors if one[1] != "store_busy"
        ]
        record.problems += [
            "a recall fails while a writer hangs" for one in errors if one[0] == "recall" != act
        ]
        return record


def _clock(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        yield Fault(CLOCK, "", partial(_jump, bench, chance.randrange(1 << 30)))


def _jump(bench: Workbench, seed: int) -> Record:
    """Writes under a clock that goes back by seconds to years between any two looks at it."""
    chance = Random(seed)
    jumps = [chance.choice([1, 60, -1, -3600, -86400 * 400, 86400 * 30, 0]) for _ in range(200)]
    with bench.site() as site:
        acts = [
            chance.choice(["edit", "undo", "forget", "restore", "several", "backup", "supersede"])
            for _ in range(4)
        ]
        child = bench.run(site, *acts, clock="2026-06-01T00:00:00+00:00", jumps=jumps)
        record = verdict(site, CLOCK, f"{acts}; seed {seed}", child)
        record.problems += [
            f"{one[0]} fails: {one[2]}" for one in child.out.get("errors", ()) if one[1] != "nothing_to_undo"
        ]
        with site.open() as cortex:
            record.problems += [
                problem for memory in cortex.list(limit=100).memories for problem in _history(cortex, memory)
            ]
        return record


def _history(cortex: Any, memory: Any) -> Iterator[str]:
    """Whether the intervals of a memory's states follow one another, and each state is found at its time."""
    versions = sorted(cortex.history(memory.id).versions, key=lambda one: one.version)
    for one in versions:
        if one.recorded_to is not None and one.recorded_to < one.recorded_from:
            yield f"{memory.id}: version {one.version} ends before it begins"
    for one, following in pairwise(versions):
        if one.recorded_to != following.recorded_from:
            yield f"{memory.id}: version {following.version} does not begin where {one.version} ends"
    for one in versions:
        if one.recorded_to is not None and one.recorded_to > one.recorded_from:
            held = cortex.get(memory.id, as_of=one.recorded_from)
            if held.text != one.memory.text:
                yield f"{memory.id}: as of the beginning of version {one.version} another text is found"


LOCKS = ("embed.lock", "capture.lock", "surface.lock", "relay.lock", "aging.lock")


def _stale(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        yield Fault(STALE, "", partial(_stale_locks, bench, chance.choice(WRITES), chance.randrange(1 << 30)))


def _stale_locks(bench: Workbench, act: str, seed: int) -> Record:
    """Lock files of processes that are gone, with ids that live or never did; garbage as log and index."""
    chance = Random(seed)
    with bench.site() as site:
        (site.folder / "locks").mkdir(exist_ok=True)
        for name in LOCKS:
            (site.folder / "locks" / name).write_text(f"{chance.choice([1, os.getpid(), 999_999])}\n")
        if chance.random() < 0.5:
            site.side("-shm").write_bytes(chance.randbytes(32768))
        if chance.random() < 0.5:
            site.side("-journal").write_bytes(chance.randbytes(512))
        return verdict(site, STALE, f"{act}; seed {seed}", bench.run(site, act, "recall", patience=PATIENCE))


CLASSES = (
    FaultClass(HUNG, some=_hung, share=2, least=6),
    FaultClass(CLOCK, some=_clock, share=2, least=6),
    FaultClass(STALE, some=_stale, share=1, least=4),
)
