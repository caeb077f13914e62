"""What is known for a task, within a budget of tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Why = Literal["instruction", "files", "task", "said"]
"""Why something is told: it stands for all such work; it is about a file in view; it answers the task; it was
said in a session."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextEntry:
    """Something that is told.

    Attributes:
        id: of a memory, or of an exchange where it was said.
        group: its heading.
        level: how much of it is told: 0 the id, 1 a line, 2 with examples and reasons, 3 everything.
        tokens: of its lines, in cl100k_base.
        relevance: 0 to 1, before importance and intent.
    """

    id: str
    kind: str
    group: str
    why: Why
    level: int
    tokens: int
    relevance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What is known for a task: a text for the agent, and what is in it.

    Attributes:
        intent: what the task is about; it decides which kinds count more.
        text: warnings first, then rules, decisions and the rest, then what was said.
        tokens: of the text, at most the budget.
        entries: what the text tells, in its order.
        left_out: how many were left out, by reason: `budget`, or `given` in this session before.
        degraded: what could not be used.
    """

    task: str
    intent: str
    text: str
    tokens: int
    budget: int
    entries: tuple[ContextEntry, ...] = ()
    left_out: dict[str, int]
    degraded: tuple[str, ...] = ()
