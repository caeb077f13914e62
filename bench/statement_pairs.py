"""Pairs of statements of `language_pairs.py`: does the second one replace the first?"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

HALVES = ("development", "held-out")
FRESH = "fresh"
"""A set that was written after the first look at the held-out half; it follows the line `## fresh`."""


class Pair(NamedTuple):
    """A known statement, a new one, and whether the new one replaces the known one."""

    known: str
    new: str
    replaces: bool
    half: str


def pairs(path: Path) -> list[Pair]:
    """All pairs of a file: a sign (`+`: the new one replaces), the known statement and the new one.

    Pairs of each sign alternate between the two halves.
    """
    seen = {"+": 0, "-": 0}
    found = []
    fresh = False
    for line in path.read_text(encoding="utf-8").splitlines():
        fresh = fresh or line == f"## {FRESH}"
        if line.startswith(("+", "-")):
            sign, known, new = (part.strip() for part in line.split(" | "))
            found.append(Pair(known, new, sign == "+", FRESH if fresh else HALVES[seen[sign] % 2]))
            seen[sign] += 1
    return found
