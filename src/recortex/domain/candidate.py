"""What a session taught, before anything decides to keep it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

Origin = Literal["person", "agent", "tool"]
Speaker = Literal["user", "assistant", "summary"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that may become a memory, with the evidence for it.

    Attributes:
        text: one self-contained statement, 25 to 400 characters, without Markdown emphasis.
        kind: one of the 27 kinds.
        confidence: 0 to 1; E's words high, medium and low are 0.9, 0.6 and 0.3.
        rule: the name of the rule that found it, the key under which precision is measured.
        quote: the passage of the source that says it, shortened to 240 characters.
        turn_index: the turn that says it, as the reader counted.
        speaker: the role of that turn.
        origin: who stands behind the words: the person, the agent, or the output of a tool.
        active: whether it may be recalled at once; otherwise it waits as `proposed`.
        domain: AUTH, UI, API, DB, TEST, DEV or GENERAL.
        files: paths that the statement is about, as the session wrote them.
        commands: shell commands that the statement is about.
        evidence: how often the session said it.
    """

    text: str
    kind: str
    confidence: float
    rule: str
    quote: str
    turn_index: int
    speaker: Speaker
    origin: Origin
    active: bool
    turn_uuid: str = ""
    at: datetime | None = None
    domain: str = "GENERAL"
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    evidence: int = 1
