"""What consolidation gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recortex.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatePair:
    """Two memories that may say the same.

    Attributes:
        better: the one whose words a merge keeps, unless it is given a text.
        score: the stronger likeness, 0 to 1.
        words: their overlap of words (Jaccard).
        meaning: the cosine of their vectors; None where it is not high or was not looked at.
        why: what speaks for a merge.
        contradiction: why they may say opposite things; empty where nothing shows it.
    """

    better: Memory
    other: Memory
    score: float
    words: float
    meaning: float | None
    why: str
    contradiction: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidated:
    """Pairs that may be merged, or the merged memory.

    Attributes:
        total: how many pairs there are in all.
        complete: False where the store is too large for every pair to be looked at.
        merged: what stands for both now; in a dry run, what would.
        superseded: the two that it replaces.
        backup: the copy of the store that was made before.
    """

    action: Literal["list", "merge"]
    pairs: tuple[DuplicatePair, ...] = ()
    total: int = 0
    complete: bool = True
    merged: Memory | None = None
    superseded: tuple[Memory, ...] = ()
    backup: str = ""
    dry_run: bool = False
