"""What a new statement does to a known one, as a model reads the two."""

from __future__ import annotations

from typing import NamedTuple


class Chances(NamedTuple):
    """Probabilities that add up to 1.

    Attributes:
        stays: both can hold.
        part: a part of the known one ends, or it may have ended.
        ends: the known one no longer holds.
    """

    stays: float
    part: float
    ends: float


READER = "shipped-2"
"""What reads two statements: the shipped model, and what this version makes of its chances and of words.

Where either changes this does, and the pairs are read again."""


class Verdict(NamedTuple):
    """What was read in a known and a new memory.

    Attributes:
        reader: what read them.
        known_version, new_version: the versions of both that were read.
        outcome: nothing, contradicts or replaces.
        chance: that it is so, 0 to 1.
    """

    known_id: str
    new_id: str
    reader: str
    known_version: int
    new_version: int
    outcome: str
    chance: float
