"""A memory: one thing that was learned, with its time, origin, trust and place in the code."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from recortex.domain.kinds import KINDS, Content, Kind
from recortex.domain.links import ConstraintLink, FileLink, FunctionLink, PatternLink
from recortex.domain.vocabulary import Domain, Importance, Origin, Scope, Status, Trust, importance_of
from recortex.errors import InvalidInputError

LOWEST_PRIORITY, HIGHEST_PRIORITY = 1, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where exactly a memory was learned.

    Attributes:
        session: the agent's session, or the dialogue, that it came from.
        turn: position in that session, from 0.
        turn_id: the client's own id of the turn.
        speaker: who said it (`user`, `assistant`, or a name).
        client: the agent's program.
        path: the transcript or imported file.
        quote: the words it rests on, shortened.
        rule: the extraction rule that found it.
        tool, url, commit, branch: what else is known.
    """

    session: str = ""
    turn: int | None = None
    turn_id: str = ""
    speaker: str = ""
    client: str = ""
    path: str = ""
    quote: str = ""
    rule: str = ""
    tool: str = ""
    url: str = ""
    commit: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The state of a memory between two changes.

    Attributes:
        id: UUID version 4.
        text: what was said, whole; `content` holds the same by fields.
        confidence: 0 to 1, the stored base; decay is computed when it is read.
        priority: 1 to 10; `importance` is its word.
        recorded_at: when it was first recorded.
        updated_at: since when this state holds (recording time).
        valid_from, valid_until: when it was true in the world; the end is exclusive, None means still.
        evidence: how often it was learned.
        content_hash: BLAKE3 of kind and text: equal for equal memories.
        tokens: exact count of `text` in cl100k_base.
        version: 1 for the first state.
    """

    id: str
    kind: Kind
    text: str
    summary: str
    content: Content
    recorded_at: datetime
    updated_at: datetime
    valid_from: datetime
    valid_until: datetime | None = None
    status: Status = Status.ACTIVE
    scope: Scope = Scope.PROJECT
    confidence: float = 1.0
    priority: int = 5
    pinned: bool = False
    tags: tuple[str, ...] = ()
    domain: Domain = Domain.GENERAL
    files: tuple[FileLink, ...] = ()
    functions: tuple[FunctionLink, ...] = ()
    patterns: tuple[PatternLink, ...] = ()
    constraints: tuple[ConstraintLink, ...] = ()
    source: Source = field(default_factory=Source)
    origin: Origin = Origin.USER
    trust: Trust = Trust.TRUSTED
    evidence: int = 1
    validated_at: datetime | None = None
    last_accessed_at: datetime | None = None
    access_count: int = 0
    supersedes: str | None = None
    superseded_by: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    content_hash: str = ""
    tokens: int = 0
    version: int = 1

    @property
    def importance(self) -> Importance:
        """The word for the priority."""
        return importance_of(self.priority)

    @property
    def archived(self) -> bool:
        """Whether it was put away."""
        return self.status in {Status.ARCHIVED, Status.PRUNED}

    def was_valid_at(self, at: datetime) -> bool:
        """Whether it was true in the world at that instant."""
        return self.valid_from <= at and (self.valid_until is None or at < self.valid_until)


def check(memory: Memory) -> Memory:
    """The same memory, if its values are in range.

    Raises:
        InvalidInputError: a value is out of range, with the field's name.
    """
    problems = (
        (not memory.text.strip(), "the text is empty"),
        (memory.kind not in KINDS, "the kind is unknown"),
        (not 0.0 <= memory.confidence <= 1.0, "confidence must be from 0 to 1"),
        (not LOWEST_PRIORITY <= memory.priority <= HIGHEST_PRIORITY, "priority must be from 1 to 10"),
        (
            memory.valid_until is not None and memory.valid_until < memory.valid_from,
            "valid_until is before valid_from",
        ),
        (not isinstance(memory.content, KINDS.get(memory.kind, Content)), "the content is of another kind"),
    )
    for wrong, why in problems:
        if wrong:
            raise InvalidInputError(f"A memory cannot be kept: {why}.")
    return memory
