"""SIGKILL at every statement boundary, of each write, of each migration and of a recovery.

And within a write of the file.
"""

# ruff: noqa: S311  seeded random is wanted

from __future__ import annotations

from functools import partial
from random import Random
from typing import TYPE_CHECKING

from faultlib.acts import LONG, WRITES
from faultlib.model import Fault, FaultClass, Record
from faultlib.sqlite import pages
from faultlib.verdict import verdict
from recortex.storage.sqlite.migrations import known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faultlib.workbench import Site, Workbench
    from recortex.storage.database import Migration

WRITE, MIGRATION, RECOVERY, FILE = (
    "kill at a statement of a write",
    "kill at a statement of a migration",
    "kill within a recovery",
    "kill within a file operation",
)
COUNTING = {"disk": {"how": "count", "at": 0, "seed": 0}}


def _boundaries(bench: Workbench, template: str, act: str, **more: object) -> int:
    """How many statement boundaries an act has."""
    with bench.site(template) as site:
        done = bench.run(site, act, **more)
        if done.code or done.out["errors"]:
            raise AssertionError(f"{act} fails on a whole store: {done}")
        return int(done.out["statements"])


def _killed(bench: Workbench, fault: str, template: str, act: str, at: int, **more: object) -> Record:
    with bench.site(template) as site:
        child = bench.run(site, act, statement=at, **more)
        return verdict(site, fault, f"{act} at boundary {at}", child)


def of_write(bench: Workbench, act: str) -> Iterator[Fault]:
    """Every boundary of one write."""
    for at in range(1, _boundaries(bench, "small", act) + 1):
        yield Fault(WRITE, f"{act} {at}", partial(_killed, bench, WRITE, "small", act, at))


def _writes(bench: Workbench) -> Iterator[Fault]:
    for act in WRITES:
        yield from of_write(bench, act)


def of_migration(bench: Workbench, step: Migration) -> Iterator[Fault]:
    """Every boundary of one migration, on a store of the schema before it that holds data.

    The first one makes a store, with all of its schema at once.
    """
    template = f"schema-{step.version - 1}" if step.version > 1 else "empty"
    first, last = step == known()[0], step == known()[-1]
    how = {"when": "open"} if first or last else {"when": "open", "schema": step.version}
    act = "open" if last else "migrate"  # a program of an older schema cannot read all of today's tables
    for at in range(1, _boundaries(bench, template, act, **how) + 1):
        name = f"{step.version:04} {at}"
        yield Fault(MIGRATION, name, partial(_killed, bench, MIGRATION, template, act, at, **how))


def _migrations(bench: Workbench) -> Iterator[Fault]:
    for step in known():
        yield from of_migration(bench, step)


def _recoveries(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        yield Fault(RECOVERY, "", partial(_recovery_killed, bench, chance.randrange(1 << 30)))


def _recovery_killed(bench: Workbench, seed: int) -> Record:
    """A damaged store with a backup; `recover` is killed, some times over, and then let to its end."""
    chance = Random(seed)
    with bench.site("large") as site:
        with site.open() as cortex:
            cortex.backup()
        names = [pages.damage(site, chance) for _ in range(chance.randint(1, 3))]
        before = site.database.read_bytes()
        children = []
        for _ in range(chance.randint(1, 3)):
            at = int(2 ** chance.uniform(0, 9))
            how = (
                {"disk": {"how": "kill", "at": at, "seed": seed}}
                if chance.random() < 0.5
                else {"statement": at}
            )
            children.append(bench.run(site, "recover", when="open", **how))
        record = verdict(site, RECOVERY, f"{', '.join(names)}; seed {seed}", *children)
        if record.kept and not _kept(site, before):
            record.problems.append("the damaged file is kept nowhere")
        return record


def _kept(site: Site, before: bytes) -> bool:
    return any(path.read_bytes() == before for path in site.folder.glob("cortex.db*") if path.is_file())


def _file_operations(bench: Workbench, chance: Random) -> Iterator[Fault]:
    calls: dict[str, int] = {}
    while True:
        act = chance.choice((*WRITES, *LONG))
        if act not in calls:
            with bench.site() as site:
                calls[act] = bench.run(site, act, **COUNTING).out["calls"]
        how = {
            "how": chance.choice(["kill", "tear"]),
            "at": chance.randint(1, calls[act]),
            "seed": chance.randrange(1 << 30),
        }
        yield Fault(FILE, f"{act} {how}", partial(_file_killed, bench, act, how))


def _file_killed(bench: Workbench, act: str, how: dict[str, object]) -> Record:
    with bench.site() as site:
        return verdict(site, FILE, f"{act} {how}", bench.run(site, act, disk=how))


CLASSES = (
    FaultClass(WRITE, complete=_writes),
    FaultClass(MIGRATION, complete=_migrations),
    FaultClass(RECOVERY, some=_recoveries, share=3, least=8),
    FaultClass(FILE, some=_file_operations, share=3, least=10),
)
