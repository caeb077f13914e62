"""The nine kinds that any project has (A, category 1; fields from B Part III where B has them)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from recortex.domain.kinds.base import Category, Content, titled


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A rule that always holds in a project."""

    id: str = ""
    description: str = ""
    severity: Literal["critical"] = "critical"


@dataclass(frozen=True, slots=True, kw_only=True)
class Core(Content):
    """What the project is: name, stack, conventions, constraints."""

    kind: ClassVar[str] = "core"
    archive_below: ClassVar[float] = 0.0
    revalidate_days: ClassVar[int] = 365
    category: ClassVar[Category] = "architecture"
    main: ClassVar[str] = "description"

    name: str = ""
    description: str = ""
    tech_stack: tuple[str, ...] = ()
    primary_language: str = ""
    frameworks: tuple[str, ...] = ()
    repository: str = ""
    naming_conventions: dict[str, str] = field(default_factory=dict)
    file_structure: str = ""
    testing_approach: str = ""
    code_review_process: str = ""
    branching_strategy: str = ""
    critical_constraints: tuple[Constraint, ...] = ()
    verbosity: Literal["minimal", "normal", "detailed"] = "normal"
    code_style: dict[str, Any] = field(default_factory=dict)
    focus_areas: tuple[str, ...] = ()
    avoid_topics: tuple[str, ...] = ()

    def summary(self) -> str:
        """`name: description`."""
        return titled(self.name, self.description) or Content.summary(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tribal(Content):
    """Institutional knowledge: what nobody wrote down, with its warnings and consequences."""

    kind: ClassVar[str] = "tribal"
    half_life_days: ClassVar[float | None] = 365
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 90
    category: ClassVar[Category] = "gotcha"
    main: ClassVar[str] = "knowledge"

    topic: str = ""
    subtopic: str = ""
    knowledge: str = ""
    context: str = ""
    warnings: tuple[str, ...] = ()
    consequences: tuple[str, ...] = ()
    severity: Literal["info", "warning", "critical"] = "info"
    provenance: Literal["manual", "pr_comment", "code_review", "incident", "documentation", "inferred"] = (
        "manual"
    )
    reference: str = ""
    contributors: tuple[str, ...] = ()
    linked_tables: tuple[str, ...] = ()
    linked_env_vars: tuple[str, ...] = ()

    def summary(self) -> str:
        """`topic: knowledge` (B)."""
        return titled(self.topic, self.knowledge)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of a procedure."""

    action: str
    order: int = 0
    details: str = ""
    files: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    example: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistItem:
    """A thing to see to before a procedure counts as done."""

    item: str
    required: bool = True
    auto_check: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refinement:
    """How a procedure was corrected."""

    original: str
    corrected: str
    at: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Procedural(Content):
    """How to do a thing, step by step."""

    kind: ClassVar[str] = "procedural"
    half_life_days: ClassVar[float | None] = 180
    archive_below: ClassVar[float] = 0.3
    revalidate_days: ClassVar[int] = 60
    category: ClassVar[Category] = "pattern"
    main: ClassVar[str] = "description"

    name: str = ""
    description: str = ""
    triggers: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    checklist: tuple[ChecklistItem, ...] = ()
    usage_count: int = 0
    last_used: str = ""
    success_rate: float | None = None
    corrections: tuple[Refinement, ...] = ()

    def summary(self) -> str:
        """`name: N steps` (B), or the description of one without steps."""
        count = len(self.steps)
        if not count:
            return titled(self.name, self.description)
        return titled(self.name or self.description, f"{count} step{'s' * (count != 1)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Semantic(Content):
    """Knowledge consolidated from episodes, with its evidence."""

    kind: ClassVar[str] = "semantic"
    half_life_days: ClassVar[float | None] = 90
    archive_below: ClassVar[float] = 0.3
    revalidate_days: ClassVar[int] = 30
    category: ClassVar[Category] = "context"
    main: ClassVar[str] = "knowledge"

    topic: str = ""
    knowledge: str = ""
    episodic_memory_ids: tuple[str, ...] = ()
    consolidation_date: str = ""
    consolidation_method: Literal["automatic", "manual", ""] = ""
    supporting_evidence: int = 0
    contradicting_evidence: int = 0
    last_reinforced: str = ""

    def summary(self) -> str:
        """`topic: knowledge` (B)."""
        return titled(self.topic, self.knowledge)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedFact:
    """A fact seen in an episode, before it is consolidated."""

    fact: str
    confidence: float = 0.6
    type: Literal["preference", "knowledge", "correction", "warning"] = "knowledge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Episodic(Content):
    """One interaction as it happened: material for consolidation."""

    kind: ClassVar[str] = "episodic"
    half_life_days: ClassVar[float | None] = 7
    archive_below: ClassVar[float] = 0.1
    revalidate_days: ClassVar[int] = 7
    category: ClassVar[Category] = "progress"
    main: ClassVar[str] = "user_query"
    event: ClassVar[bool] = True

    user_query: str = ""
    agent_response: str = ""
    outcome: Literal["accepted", "rejected", "modified", "unknown"] = "unknown"
    active_file: str = ""
    active_function: str = ""
    intent: str = ""
    focus: str = ""
    extracted_facts: tuple[ExtractedFact, ...] = ()
    consolidation_status: Literal["pending", "consolidated", "pruned"] = "pending"
    consolidated_into: tuple[str, ...] = ()
    session_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """What was considered and not taken."""

    option: str
    rejected_because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision(Content):
    """A decision that stands alone, with what else was considered."""

    kind: ClassVar[str] = "decision"
    half_life_days: ClassVar[float | None] = 180
    archive_below: ClassVar[float] = 0.3
    revalidate_days: ClassVar[int] = 90
    category: ClassVar[Category] = "decision"
    main: ClassVar[str] = "decision"

    title: str = ""
    decision: str = ""
    rationale: str = ""
    alternatives: tuple[Alternative, ...] = ()
    consequences: tuple[str, ...] = ()
    decided_by: str = ""

    def summary(self) -> str:
        """`title: decision`."""
        return titled(self.title, self.decision)


@dataclass(frozen=True, slots=True, kw_only=True)
class Insight(Content):
    """An observation that was learned."""

    kind: ClassVar[str] = "insight"
    half_life_days: ClassVar[float | None] = 90
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 30
    category: ClassVar[Category] = "context"
    main: ClassVar[str] = "observation"

    observation: str = ""
    evidence: tuple[str, ...] = ()
    implication: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference(Content):
    """A pointer to something outside: a page, a paper, a ticket."""

    kind: ClassVar[str] = "reference"
    half_life_days: ClassVar[float | None] = 60
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 30
    category: ClassVar[Category] = "context"
    main: ClassVar[str] = "description"

    title: str = ""
    url: str = ""
    description: str = ""
    author: str = ""

    def summary(self) -> str:
        """`title: description`."""
        return titled(self.title, self.description or self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference(Content):
    """How a person or a team likes things done."""

    kind: ClassVar[str] = "preference"
    half_life_days: ClassVar[float | None] = 120
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 60
    category: ClassVar[Category] = "pattern"
    main: ClassVar[str] = "preference"

    subject: str = ""
    preference: str = ""
    reason: str = ""
    held_by: str = ""

    def summary(self) -> str:
        """`subject: preference`."""
        return titled(self.subject, self.preference)
