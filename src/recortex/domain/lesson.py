"""What a transcript taught, as it is reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["added", "merged", "known", "dry_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A statement that a transcript taught.

    Attributes:
        id: of the memory that holds it; empty in a dry run.
        outcome: added, merged with a known memory, or known already from the same place.
    """

    text: str
    kind: str
    confidence: float
    status: str
    rule: str
    quote: str
    turn: int
    outcome: Outcome
    id: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What was learned from one transcript.

    Attributes:
        lines: read in this pass; `skipped` and `malformed` are among them.
        position: where the next pass begins.
    """

    path: str
    client: str
    session: str
    lines: int = 0
    turns: int = 0
    skipped: int = 0
    malformed: int = 0
    position: int = 0
    found: tuple[Found, ...] = ()
