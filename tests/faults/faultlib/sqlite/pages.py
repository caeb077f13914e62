"""Bytes of the file that are no longer what was written.

One bit, a few bytes, a sector, a page, two pages for each other.
"""

# ruff: noqa: S311  seeded random is wanted

from __future__ import annotations

import os
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from faultlib.model import Fault, FaultClass, Record
from faultlib.verdict import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faultlib.workbench import Site, Workbench

FLIPPED = "flipped bytes"
PAGE, SECTOR = 4096, 512


def damage(site: Site, chance: Random) -> str:
    """Damage the store's file somewhere; what was done."""
    size = site.database.stat().st_size
    way = chance.choice(["bit", "byte", "few", "sector", "page", "zeros", "swap"])
    at = chance.randrange(size)
    with site.database.open("r+b") as file:

        def put(offset: int, data: bytes) -> None:
            file.seek(offset)
            file.write(data)

        def was(offset: int, length: int) -> bytes:
            file.seek(offset)
            return file.read(length)

        if way == "bit":
            put(at, bytes([was(at, 1)[0] ^ 1 << chance.randrange(8)]))
        elif way == "byte":
            put(at, bytes([was(at, 1)[0] ^ chance.randint(1, 255)]))
        elif way == "few":
            put(at, chance.randbytes(min(chance.randint(2, 32), size - at)))
        elif way == "sector":
            put(at // SECTOR * SECTOR, chance.randbytes(SECTOR))
        elif way == "page":
            put(at // PAGE * PAGE, chance.randbytes(PAGE))
        elif way == "zeros":
            put(at // PAGE * PAGE, bytes(PAGE))
        else:
            one, other = at // PAGE * PAGE, chance.randrange(size) // PAGE * PAGE
            first, second = was(one, PAGE), was(other, PAGE)
            put(one, second)
            put(other, first)
    return f"{way} at {at}"


def _backup_or_none(site: Site, chance: Random) -> str:
    """Back every other store up; which it was."""
    if chance.random() >= 0.5:
        return "no backup"
    with site.open() as cortex:
        cortex.backup()
    return "with backup"


def _flips(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        yield Fault(FLIPPED, "", partial(_flipped, bench, chance.randrange(1 << 30)))


def _flipped(bench: Workbench, seed: int) -> Record:
    chance = Random(seed)
    with bench.site("large") as site:
        backup = _backup_or_none(site, chance)
        if chance.random() < 0.5:
            bench.run(site, "several")
        done = ", ".join(damage(site, chance) for _ in range(chance.choice([1, 1, 1, 2, 8])))
        return verdict(site, FLIPPED, f"{done}; {backup}; seed {seed}")


def torn_end(site: Site, chance: Random) -> str:
    """Cut the store's file off somewhere."""
    size = chance.randrange(site.database.stat().st_size)
    os.truncate(site.database, size)
    return f"cut at {size}"


CUT_OFF = "file cut off"


def _cuts(bench: Workbench, chance: Random) -> Iterator[Fault]:
    while True:
        yield Fault(CUT_OFF, "", partial(_cut, bench, chance.randrange(1 << 30)))


def _cut(bench: Workbench, seed: int) -> Record:
    chance = Random(seed)
    with bench.site("large") as site:
        backup = _backup_or_none(site, chance)
        return verdict(site, CUT_OFF, f"{torn_end(site, chance)}; {backup}; seed {seed}")


CLASSES = (
    FaultClass(FLIPPED, some=_flips, share=6, least=20),
    FaultClass(CUT_OFF, some=_cuts, share=1, least=4),
)
