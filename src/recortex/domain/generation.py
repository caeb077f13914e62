"""What an agent should know while it writes code, and what became of what it wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Share = Literal["patterns", "tribal", "constraints", "antipatterns", "related"]
Influence = Literal[
    "pattern_followed", "tribal_applied", "constraint_enforced", "antipattern_avoided", "knowledge_used"
]
Outcome = Literal["accepted", "modified", "rejected"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """A memory that may have influenced what is written.

    Attributes:
        id: of the memory.
        influence: what following it means.
        comment: the inline comment that says so, without the signs of a comment.
        tokens: of its lines in the text.
    """

    id: str
    kind: str
    share: Share
    influence: Influence
    comment: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A line of code or plan that may go against a memory.

    Attributes:
        id: of the memory.
        line: from 1.
        found: what of the line is meant.
        because: what the memory says.
    """

    id: str
    line: int
    found: str
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationContext:
    """What to know before writing code.

    Attributes:
        generation: names this answer when its outcome is told; empty where nothing was given.
        text: for the agent, by share.
        tokens: of the text and the comments, at most the budget.
        spent: tokens by share.
        provenance: what the text tells, in its order.
        conflicts: what of the code or plan that was given may go against what is known.
    """

    generation: str
    text: str
    tokens: int
    budget: int
    spent: dict[str, int]
    provenance: tuple[Provenance, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationOutcome:
    """What the outcome of a generation changed.

    Attributes:
        confidence: of each memory that had influence, by id, as it is now; empty where the outcome was told
            before.
    """

    generation: str
    outcome: Outcome
    confidence: dict[str, float]
