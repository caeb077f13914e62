"""What sessions, corrections and commits teach, before anything decides to keep it."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Literal

from recortex.domain.exchange import Role
from recortex.domain.memory import Memory
from recortex.domain.relation import Relation
from recortex.domain.vocabulary import Domain, Origin
from recortex.lean import NamedTuple, Value

# -- what extraction found in a session, before anything decides to keep it


class Candidate(Value, frozen=True):
    """A statement that may become a memory, with the evidence for it.

    Attributes:
        text: one self-contained statement, 25 to 400 characters, without Markdown emphasis.
        kind: the name of a kind.
        confidence: 0 to 1.
        rule: the name of the rule that found it, the key under which precision is measured.
        quote: the passage of the source that says it, shortened to 240 characters.
        turn_index: the turn that says it, as the reader counted.
        speaker: the role of that turn.
        origin: USER for the person's words, EXTRACTION for a statement that a rule composed from commands and
            their outcome, or a language model from what was said.
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


# -- corrections: what was wrong with what an agent did, and what is right instead


Learning = Literal["added", "updated", "known"]
Answer = Literal["confirm", "reject", "modify"]
Doubt = Literal["uncertain", "never validated", "contradicted"]


class Category(StrEnum):
    """What sort of thing was corrected."""

    PATTERN_VIOLATION = "pattern_violation"
    TRIBAL_MISS = "tribal_miss"
    CONSTRAINT_VIOLATION = "constraint_violation"
    STYLE_PREFERENCE = "style_preference"
    NAMING_CONVENTION = "naming_convention"
    ARCHITECTURE_MISMATCH = "architecture_mismatch"
    SECURITY_ISSUE = "security_issue"
    PERFORMANCE_ISSUE = "performance_issue"
    API_MISUSE = "api_misuse"
    OTHER = "other"


class Change(Value, frozen=True):
    """A line that became another one."""

    before: str
    after: str


class Hunk(NamedTuple):
    """A place that a commit changed: the lines that it removed, and those that it added instead."""

    removed: tuple[str, ...]
    added: tuple[str, ...]


class Difference(Value, frozen=True, kw_only=True):
    """How a corrected text differs from the original, line by line, and what that means.

    Attributes:
        additions, removals: lines that only one of the two has.
        modifications: lines that stand for each other.
        renamed: names that became other ones wherever they stood.
        numbers: numbers that became other ones.
        negated: one of the two denies what the other says.
        layout: only space, case or punctuation differs.
        files: that a diff named.
    """

    additions: tuple[str, ...] = ()
    removals: tuple[str, ...] = ()
    modifications: tuple[Change, ...] = ()
    renamed: tuple[Change, ...] = ()
    numbers: tuple[Change, ...] = ()
    negated: bool = False
    layout: bool = False
    files: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether the two are the same."""
        return not (self.additions or self.removals or self.modifications)


class Factors(Value, frozen=True, kw_only=True):
    """What a confidence is made of; `confidence` is what the others make of the first.

    Attributes:
        base: what the words of the correction deserve.
        evidence: the same after every further place where it was learned.
        usage: the factor of how often it was recalled, at least 1.
        temporal: the share that its age leaves, at most 1.
        validation: the factor of a person's answer; 1 where nobody was asked.
    """

    base: float
    evidence: float
    usage: float
    temporal: float
    validation: float
    confidence: float


class Learned(Value, frozen=True, kw_only=True):
    """What a correction taught.

    Attributes:
        outcome: added: it was not known; updated: it counts as more evidence for what was known; known: the
            same correction had been learned before, and nothing changed.
        memory: that holds it; in a dry run without a store's id.
        relations: that were made to what was known.
        contradicted: memories that may be wrong now, and that a person is to decide about.
    """

    outcome: Learning
    category: Category
    principle: str
    memory: Memory
    difference: Difference
    factors: Factors
    relations: tuple[Relation, ...] = ()
    contradicted: tuple[Memory, ...] = ()
    dry_run: bool = False


class Question(Value, frozen=True, kw_only=True):
    """A memory that a person should look at, and what to ask.

    Attributes:
        doubt: why: uncertain and important; old and never validated; or contradicted and unresolved.
        weight: how much it matters, from 0; the first is the one that is recalled most and least sure.
        against: the memory that says otherwise.
    """

    memory: Memory
    doubt: Doubt
    question: str
    weight: float
    against: Memory | None = None
