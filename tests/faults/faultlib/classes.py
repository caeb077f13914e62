"""Every class of faults, by engine."""

# ruff: noqa: S311  seeded random is wanted

from __future__ import annotations

from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from faultlib.postgres import connections
from faultlib.sqlite import disk, kills, pages, sidefiles, together, versions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from faultlib.model import Fault, FaultClass
    from faultlib.workbench import Workbench

CLASSES: dict[str, tuple[FaultClass, ...]] = {
    "sqlite": (
        *kills.CLASSES, *disk.CLASSES, *sidefiles.CLASSES, *pages.CLASSES, *together.CLASSES,
        *versions.CLASSES,
    ),
    "postgres": connections.CLASSES,
}  # fmt: skip


def every(bench: Workbench, engine: str) -> Iterator[Fault]:
    """The faults that can be counted out."""
    for one in CLASSES[engine]:
        if one.complete:
            yield from one.complete(bench)


def drawn(bench: Workbench, engine: str, seed: int, wanted: int) -> Iterator[Fault]:
    """So many faults of the endless classes, each class by its share."""
    endless = [one for one in CLASSES[engine] if one.some]
    shares = sum(one.share for one in endless)
    for one in endless:
        yield from islice(_some(one, bench, seed), round(wanted * one.share / shares))


def sample(bench: Workbench, one: FaultClass, seed: int) -> Iterator[Fault]:
    """The few of an endless class that the test suite runs: half of what a run of its own tries at least."""
    yield from islice(_some(one, bench, seed), max(2, one.least // 2))


def _some(one: FaultClass, bench: Workbench, seed: int) -> Iterator[Fault]:
    assert one.some
    return one.some(bench, Random(f"{seed} {one.name}"))
