"""The write-ahead log torn, and what lies beside the store deleted.

At rest, after a kill, and under a writer's feet.
"""

# ruff: noqa: S311  seeded random is wanted

from __future__ import annotations

import shutil
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from faultlib.model import Fault, FaultClass, Record
from faultlib.verdict import verdict
from faultlib.workbench import Site, Workbench, wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TORN, DELETED, UNDER_USE = "torn log", "side files deleted", "files deleted under a writer"
HEADER, FRAME = 32, 4096 + 24


def _torn(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        yield Fault(TORN, "", partial(_tear, bench, chance.randrange(1 << 30)))


def _killed_with_a_log(bench: Workbench, site: Site, chance: Random) -> None:
    """Writes that only the log holds: the writer was killed before it folded them in."""
    act, most = chance.choice([("several", 200), ("stream", 700), ("stream", 700)])
    bench.run(site, act, statement=chance.randint(40, most))


def _tear(bench: Workbench, seed: int) -> Record:
    chance = Random(seed)
    with bench.site() as site:
        _killed_with_a_log(bench, site, chance)
        log = site.side("-wal")
        size = log.stat().st_size
        way = chance.choice(["cut", "cut in a frame", "flip", "garbage tail", "zero tail", "header"])
        at = chance.randrange(HEADER, size)
        with log.open("r+b") as file:
            if way.startswith("cut"):
                file.truncate(at if way == "cut in a frame" else HEADER + (at - HEADER) // FRAME * FRAME)
            else:
                file.seek({"header": chance.randrange(HEADER)}.get(way, at))
                length = {"flip": 1, "header": 4}.get(way, size - at)
                file.write(bytes(length) if way == "zero tail" else chance.randbytes(length))
        if chance.random() < 0.5:
            site.side("-shm").unlink(missing_ok=True)
        return verdict(site, TORN, f"{way} at {at} of {size}; seed {seed}", prefix=True)


COMPANIONS = (".backups", ".locks", ".queue", ".surface-cache")


def _deleted(bench: Workbench, chance: Random) -> Iterator[Fault]:
    whats = ["-wal", "-shm", "-wal -shm", "database", *COMPANIONS, "companions"]
    while True:
        what = chance.choice(whats)
        yield Fault(DELETED, what, partial(_delete, bench, what, chance.randrange(1 << 30)))


def _delete(bench: Workbench, what: str, seed: int) -> Record:
    chance = Random(seed)
    with bench.site() as site:
        with site.open() as cortex:
            cortex.backup()
        log = what.startswith("-") or what == "database"
        if log and chance.random() < 0.7:
            _killed_with_a_log(bench, site, chance)
            what += " after a kill"
        for path in _victims(site, what):
            _remove(path)
        return verdict(site, DELETED, f"{what}; seed {seed}", prefix="-wal" in what)


def _victims(site: Site, what: str) -> list[Path]:
    first = what.split(maxsplit=1)[0]
    if first == "companions":
        return [site.side(name) for name in COMPANIONS]
    if first == "database":
        return [site.database]
    if first in COMPANIONS:
        return [site.side(first)]
    return [site.side(word) for word in what.split() if word.startswith("-")]


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _under(bench: Workbench, chance: Random) -> Iterator[Fault]:
    whats = [("-wal",), ("-shm",), ("-wal", "-shm"), ("",), ("", "-wal", "-shm"), "moved", "replaced"]
    while True:
        yield Fault(
            UNDER_USE, "", partial(_delete_under, bench, chance.choice(whats), chance.randrange(1 << 30))
        )


def _delete_under(bench: Workbench, what: tuple[str, ...] | str, seed: int) -> Record:
    """A writer has the store open and has written; the files go; it writes on, and another one writes too."""
    with bench.site() as site:
        with site.open() as cortex:
            made = cortex.backup()
        child = bench.start(site, "remember", "edit", when="act", after="go", patience=2)
        wait_for(site.root / "ready")
        if what == "moved":
            site.database.rename(site.side(".away"))
        elif what == "replaced":
            shutil.copy(made.path, site.side(".new"))
            site.side(".new").replace(site.database)
        else:
            for suffix in what:
                site.side(suffix).unlink(missing_ok=True)
        other = bench.run(site, "link", out="other.json", patience=2) if seed % 2 else None
        (site.root / "go").touch()
        ended = bench.ended(site, child)
        return verdict(site, UNDER_USE, f"{what}; seed {seed}", ended, *([other] if other else []))


CLASSES = (
    FaultClass(TORN, some=_torn, share=3, least=12),
    FaultClass(DELETED, some=_deleted, share=2, least=14),
    FaultClass(UNDER_USE, some=_under, share=2, least=10),
)
