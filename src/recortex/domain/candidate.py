"""What extraction found in a session, before anything decides to keep it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recortex.domain.transcript import Role
from recortex.domain.vocabulary import Domain, Origin


@dataclass(frozen=True, slots=True)
class Candidate:
    """A statement that may become a memory, with the evidence for it.

    Attributes:
        text: one self-contained statement, 25 to 400 characters, without Markdown emphasis.
        kind: the name of a kind.
        confidence: 0 to 1.
        rule: the name of the rule that found it, the key under which precision is measured.
        quote: the passage of the source that says it, shortened to 240 characters.
        turn_index: the turn that says it, as the reader counted.
        speaker: the role of that turn.
        origin: USER for the person's words, AGENT for the agent's, EXTRACTION for a statement that a rule
            composed from commands and their outcome.
        active: whether it may be recalled at once; otherwise it waits as `proposed`.
        domain: the subject area.
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
    speaker: Role
    origin: Origin
    active: bool
    turn_uuid: str = ""
    at: datetime | None = None
    domain: Domain = Domain.GENERAL
    tags: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    evidence: int = 1
