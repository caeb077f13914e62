"""What indexing code and making vectors give back."""

from __future__ import annotations

from dataclasses import dataclass

from recortex.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedCode:
    """A piece of code with its description.

    Attributes:
        changed: False where the same was indexed before, and nothing was done.
        superseded: ids of the former pairs' memories that these stand for now.
        redacted: how many secrets were taken out of the code and the description.
    """

    description: Memory
    code: Memory
    changed: bool = True
    superseded: tuple[str, ...] = ()
    redacted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Backfilled:
    """How many memories got the vector that they waited for.

    Attributes:
        done: in this run.
        left: still without one; they are found by their words.
        embedder: who made the vectors; empty in a dry run.
        seconds: how long it took.
    """

    done: int
    left: int
    embedder: str = ""
    seconds: float = 0.0
    dry_run: bool = False
