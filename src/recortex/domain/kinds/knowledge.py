"""Kinds of what is known of a project: its core, decisions, procedures, facts and preferences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from recortex.domain.kinds.base import Content, content, titled


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """A rule that always holds in a project."""

    id: str = ""
    description: str = ""
    severity: Literal["critical"] = "critical"


@content(category="architecture")
class Core(Content):
    """What the project is: name, stack, conventions, constraints."""

    main = "description"

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


@content(half_life_days=365, archive_below=0.2, revalidate_days=90, category="gotcha")
class Tribal(Content):
    """Institutional knowledge: what nobody wrote down, with its warnings and consequences."""

    main = "knowledge"
    heading = "topic"
    personal = True

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


@content(half_life_days=180, archive_below=0.3, revalidate_days=60, category="pattern")
class Procedural(Content):
    """How to do a thing, step by step."""

    main = "description"
    personal = True

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
        """`name: N steps`, or the description of one without steps."""
        count = len(self.steps)
        if not count:
            return titled(self.name, self.description)
        return titled(self.name or self.description, f"{count} step{'s' * (count != 1)}")


@content(half_life_days=90, archive_below=0.3, revalidate_days=30, category="context")
class Semantic(Content):
    """Knowledge consolidated from episodes, with its evidence."""

    main = "knowledge"
    heading = "topic"
    personal = True
    offered = False

    topic: str = ""
    knowledge: str = ""
    episodic_memory_ids: tuple[str, ...] = ()
    consolidation_date: str = ""
    consolidation_method: Literal["automatic", "manual", ""] = ""
    supporting_evidence: int = 0
    contradicting_evidence: int = 0
    last_reinforced: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedFact:
    """A fact seen in an episode, before it is consolidated."""

    fact: str
    confidence: float = 0.6
    type: Literal["preference", "knowledge", "correction", "warning"] = "knowledge"


@content(half_life_days=7, archive_below=0.1, revalidate_days=7, category="progress")
class Episodic(Content):
    """One interaction as it happened: material for consolidation."""

    main = "user_query"
    event = True

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


@content(half_life_days=180, archive_below=0.3, revalidate_days=90, category="decision")
class Decision(Content):
    """A decision that stands alone, with what else was considered."""

    main = "decision"
    heading = "title"

    title: str = ""
    decision: str = ""
    rationale: str = ""
    alternatives: tuple[Alternative, ...] = ()
    consequences: tuple[str, ...] = ()
    decided_by: str = ""


@content(half_life_days=90, archive_below=0.2, revalidate_days=30, category="context")
class Insight(Content):
    """An observation that was learned."""

    main = "observation"
    personal = True

    observation: str = ""
    evidence: tuple[str, ...] = ()
    implication: str = ""


@content(half_life_days=60, archive_below=0.2, revalidate_days=30, category="context")
class Reference(Content):
    """A pointer to something outside: a page, a paper, a ticket."""

    main = "description"
    replaceable = False

    title: str = ""
    url: str = ""
    description: str = ""
    author: str = ""

    def summary(self) -> str:
        """`title: description`."""
        return titled(self.title, self.description or self.url)


@content(half_life_days=120, archive_below=0.2, revalidate_days=60, category="pattern")
class Preference(Content):
    """How a person or a team likes things done."""

    main = "preference"
    heading = "subject"
    personal = True

    subject: str = ""
    preference: str = ""
    reason: str = ""
    held_by: str = ""
