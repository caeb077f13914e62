"""A fault, what came of it, and the table of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any


@dataclass
class Record:
    """What came of one fault.

    Attributes:
        acknowledged: how many acknowledged facts were looked at.
        lost: those that are gone without a word.
        named: those that are gone, as the error, the doctor or the recovery said.
        problems: what else is wrong: a store that does not open, an index that does not agree, a raw
            exception.
        ended: how the store came back: opened, or the outcome of `recover`.
        kept: where `recover` left the damaged file.
    """

    fault: str
    name: str
    acknowledged: int = 0
    lost: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    ended: str = "opened"
    opens: bool = True
    kept: str = ""

    @property
    def ok(self) -> bool:
        """Whether the promise was kept."""
        return self.opens and not self.lost and not self.problems


@dataclass(frozen=True)
class Fault:
    """One way to break a store; `run` breaks one and says what came of it."""

    fault: str
    name: str
    run: Callable[[], Record]


@dataclass(frozen=True)
class FaultClass:
    """A class of faults.

    Attributes:
        complete: every fault that there is, for a class that can be counted out (statement boundaries).
        some: endless different faults, drawn by chance.
        share: how many of the endless ones it gets, beside the other classes.
        least: how many the sample of the test suite runs.
    """

    name: str
    complete: Callable[[Any], Iterator[Fault]] | None = None
    some: Callable[[Any, Random], Iterator[Fault]] | None = None
    share: int = 1
    least: int = 4


def table(records: list[Record]) -> list[dict[str, Any]]:
    """A row for each class, and one for all."""
    names = [*dict.fromkeys(one.fault for one in records)]
    rows = [_row(name, [one for one in records if one.fault == name]) for name in names]
    return [*rows, _row("all", records)]


def _row(name: str, mine: list[Record]) -> dict[str, Any]:
    return {
        "class": name, "injected": len(mine), "acknowledged": sum(one.acknowledged for one in mine),
        "lost": sum(len(one.lost) for one in mine), "named": sum(len(one.named) for one in mine),
        "not opening": sum(not one.opens for one in mine),
        "problems": sum(len(one.problems) for one in mine),
        "recovered": sum(one.ended != "opened" for one in mine),
    }  # fmt: skip


def shown(records: list[Record]) -> str:
    """The table as text, and below it each fault that broke the promise."""
    rows = table(records)
    heads = list(rows[0])
    lines = ["  ".join(f"{head:>12}" if place else f"{head:<34}" for place, head in enumerate(heads))]
    lines += [
        "  ".join(f"{row[head]:>12}" if place else f"{row[head]:<34}" for place, head in enumerate(heads))
        for row in rows
    ]
    lines += [
        f"BROKEN {one.fault} / {one.name} ({one.ended}): " + "; ".join([*one.lost, *one.problems])[:600]
        for one in records
        if not one.ok
    ]
    return "\n".join(lines)


def plain(records: list[Record]) -> dict[str, Any]:
    """For a JSON file."""
    return {"classes": table(records), "faults": [asdict(one) for one in records]}
