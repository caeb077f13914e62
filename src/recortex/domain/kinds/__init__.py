"""The kinds of memory by name.

To add one:

1. Write its class with `@content` in this file.
   The attributes of `Content` say what is done with its memories: `event`, `embedded`, `replaceable`,
   `personal` and `offered` are the ones to think about.
2. Add its row to the table in `tests/unit/domain/test_domain_vocabulary.py`, where kinds are counted too.
3. Run `scripts/build_docs.py`. The command line, completion, schemas and the reference follow from `KINDS`.

Not derived, where the kind is to be more than stored and found:

- `engines/retrieval/question.py`: the turns of speech that ask for a kind.
- `engines/extraction`: the rules that find memories of it in sessions; without one it comes only from
  people, agents and, where it is `offered`, a language model.
- A category of its own: `Category` in `base.py`, and the headings and limits in `engines/brief`. Kinds of
  the categories in `WARNING_KINDS` (`app/hooks/reminders.py`) are given when a file is touched.
- Examples in `operations/base.py` and in the skills of the plug-in.
"""

from __future__ import annotations

from typing import Any, Literal

from recortex.domain.kinds.base import ALIASES, KINDS, Content, Kind, content, kind_of, titled
from recortex.lean import Value, field

__all__ = ["ALIASES", "KINDS", "Content", "Kind", "kind_of"]


# -- kinds of what is known of a project: its core, decisions, procedures, facts and preferences


class Constraint(Value, frozen=True, kw_only=True):
    """A rule that always holds in a project."""

    id: str = ""
    description: str = ""
    severity: Literal["critical"] = "critical"


@content(category="architecture")
class Core(Content, frozen=True, kw_only=True):
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
class Tribal(Content, frozen=True, kw_only=True):
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


class Step(Value, frozen=True, kw_only=True):
    """One step of a procedure."""

    action: str
    order: int = 0
    details: str = ""
    files: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    example: str = ""


class ChecklistItem(Value, frozen=True, kw_only=True):
    """A thing to see to before a procedure counts as done."""

    item: str
    required: bool = True
    auto_check: str = ""


class Refinement(Value, frozen=True, kw_only=True):
    """How a procedure was corrected."""

    original: str
    corrected: str
    at: str = ""
    reason: str = ""


@content(half_life_days=180, archive_below=0.3, revalidate_days=60, category="pattern")
class Procedural(Content, frozen=True, kw_only=True):
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
class Semantic(Content, frozen=True, kw_only=True):
    """Knowledge consolidated from episodes, with its evidence."""

    main = "knowledge"
    heading = "topic"
    personal = True
    offered = False
    unspoken = (
        "episodic_memory_ids", "consolidation_date", "consolidation_method", "supporting_evidence",
    )  # fmt: skip

    topic: str = ""
    knowledge: str = ""
    episodic_memory_ids: tuple[str, ...] = ()
    consolidation_date: str = ""
    consolidation_method: Literal["automatic", "manual", ""] = ""
    supporting_evidence: int = 0
    contradicting_evidence: int = 0
    last_reinforced: str = ""


class ExtractedFact(Value, frozen=True, kw_only=True):
    """A fact seen in an episode, before it is consolidated."""

    fact: str
    confidence: float = 0.6
    type: Literal["preference", "knowledge", "correction", "warning"] = "knowledge"


@content(half_life_days=7, archive_below=0.1, revalidate_days=7, category="progress")
class Episodic(Content, frozen=True, kw_only=True):
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


class Alternative(Value, frozen=True, kw_only=True):
    """What was considered and not taken."""

    option: str
    rejected_because: str = ""


@content(half_life_days=180, archive_below=0.3, revalidate_days=90, category="decision")
class Decision(Content, frozen=True, kw_only=True):
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
class Insight(Content, frozen=True, kw_only=True):
    """An observation that was learned."""

    main = "observation"
    personal = True

    observation: str = ""
    evidence: tuple[str, ...] = ()
    implication: str = ""


@content(half_life_days=60, archive_below=0.2, revalidate_days=30, category="context")
class Reference(Content, frozen=True, kw_only=True):
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
class Preference(Content, frozen=True, kw_only=True):
    """How a person or a team likes things done."""

    main = "preference"
    heading = "subject"
    personal = True

    subject: str = ""
    preference: str = ""
    reason: str = ""
    held_by: str = ""


# -- kinds about code: its patterns, exceptions, decisions and smells, and the pair that indexes it


class Citation(Value, frozen=True, kw_only=True):
    """A place in the code that a statement rests on; the hash shows when it changed."""

    file: str
    line_start: int = 0
    line_end: int = 0
    snippet: str = ""
    hash: str = ""
    validated_at: str = ""
    valid: bool | None = None


@content(half_life_days=180, archive_below=0.3, revalidate_days=60, category="pattern")
class PatternRationale(Content, frozen=True, kw_only=True):
    """Why a pattern exists, with its business context."""

    main = "rationale"
    heading = "pattern_name"

    pattern_id: str = ""
    pattern_name: str = ""
    pattern_category: str = ""
    rationale: str = ""
    business_context: str = ""
    technical_context: str = ""
    alternatives_rejected: tuple[str, ...] = ()
    tradeoffs: tuple[str, ...] = ()
    introduced_by: str = ""
    introduced_when: str = ""
    related_decision_id: str = ""
    citations: tuple[Citation, ...] = ()


@content(half_life_days=90, archive_below=0.2, revalidate_days=30, category="decision")
class ConstraintOverride(Content, frozen=True, kw_only=True):
    """An approved exception to a constraint.

    Attributes:
        scope_target: the file, folder, function or pattern that it holds for; none: everywhere.
    """

    main = "reason"

    constraint_id: str = ""
    constraint_name: str = ""
    scope_type: Literal["file", "directory", "function", "pattern", "global"] = "global"
    scope_target: str = ""
    reason: str = ""
    approved_by: str = ""
    approval_date: str = ""
    permanent: bool = False
    expires_at: str = ""
    review_at: str = ""
    usage_count: int = 0
    last_used: str = ""

    def summary(self) -> str:
        """`Override: constraint name`."""
        return titled("Override", self.constraint_name or self.reason)


@content(half_life_days=180, archive_below=0.3, revalidate_days=90, category="decision")
class DecisionContext(Content, frozen=True, kw_only=True):
    """The human side of a decision that stands in the code or in an ADR."""

    main = "decision_summary"

    decision_id: str = ""
    decision_summary: str = ""
    business_context: str = ""
    technical_context: str = ""
    stakeholders: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    revisit_when: tuple[str, ...] = ()
    still_valid: bool = True
    last_reviewed: str = ""
    review_notes: str = ""


class Occurrence(Value, frozen=True, kw_only=True):
    """A place where a smell was seen."""

    file: str
    line: int = 0
    at: str = ""
    resolved: bool = False
    resolved_by: str = ""


@content(half_life_days=90, archive_below=0.2, revalidate_days=30, category="gotcha")
class CodeSmell(Content, frozen=True, kw_only=True):
    """An anti-pattern, with a bad and a good example.

    Attributes:
        auto_detect: whether code is checked for its examples, its pattern and its rule.
        detection_rule: what a line of code has that shows it; `*` stands for anything between.
    """

    main = "description"
    offered = False

    name: str = ""
    pattern: str = ""
    description: str = ""
    severity: Literal["error", "warning", "info"] = "warning"
    reason: str = ""
    consequences: tuple[str, ...] = ()
    suggestion: str = ""
    example_bad: str = ""
    example_good: str = ""
    occurrences: tuple[Occurrence, ...] = ()
    auto_detect: bool = True
    detection_rule: str = ""

    def summary(self) -> str:
        """`Avoid: name`."""
        return titled("Avoid", self.name or self.description)


@content(archive_below=0.2, revalidate_days=30, category="code_description")
class CodeDescription(Content, frozen=True, kw_only=True):
    """What a piece of code does, in prose: the half of a pair that is embedded."""

    main = "description"
    replaceable = False
    offered = False

    description: str = ""
    symbol: str = ""
    language: str = ""
    signature: str = ""


@content(revalidate_days=30)
class Code(Content, frozen=True, kw_only=True):
    """The code itself: never embedded, never on the surface."""

    main = "source"
    embedded = False
    replaceable = False
    offered = False

    source: str = ""
    symbol: str = ""
    language: str = ""


# -- kinds about the work on a project: people, agents, goals, meetings, incidents, and the systems in use


@content(half_life_days=365, archive_below=0.2, revalidate_days=90, category="pattern")
class AgentSpawn(Content, frozen=True, kw_only=True):
    """A reusable configuration of an agent."""

    main = "instructions"
    heading = "name"
    replaceable = False
    offered = False

    name: str = ""
    instructions: str = ""
    model: str = ""
    tools: tuple[str, ...] = ()
    use_when: str = ""


@content(half_life_days=180, archive_below=0.3, revalidate_days=60, category="architecture")
class Entity(Content, frozen=True, kw_only=True):
    """A project, product, team or system."""

    main = "description"
    heading = "name"
    offered = False

    name: str = ""
    type: str = ""
    description: str = ""
    attributes: dict[str, str] = field(default_factory=dict)


@content(half_life_days=90, archive_below=0.2, revalidate_days=30, category="progress")
class Goal(Content, frozen=True, kw_only=True):
    """An objective and how far it has come."""

    main = "objective"

    objective: str = ""
    success_criteria: tuple[str, ...] = ()
    progress: float = 0.0
    due: str = ""
    state: Literal["open", "reached", "dropped"] = "open"


@content(half_life_days=120, archive_below=0.2, revalidate_days=60, category="gotcha")
class Feedback(Content, frozen=True, kw_only=True):
    """A correction, and what it teaches."""

    main = "correction"
    personal = True

    correction: str = ""
    original: str = ""
    lesson: str = ""
    given_by: str = ""


@content(half_life_days=180, archive_below=0.3, revalidate_days=60, category="pattern")
class Workflow(Content, frozen=True, kw_only=True):
    """A process of several steps, and what starts it."""

    main = "description"
    heading = "name"

    name: str = ""
    description: str = ""
    trigger: str = ""
    steps: tuple[Step, ...] = ()


@content(half_life_days=30, archive_below=0.1, revalidate_days=14, category="progress")
class Conversation(Content, frozen=True, kw_only=True):
    """What was said, as it was said or in summary."""

    main = "said"
    heading = "topic"
    event = True

    topic: str = ""
    said: str = ""
    participants: tuple[str, ...] = ()
    conclusions: tuple[str, ...] = ()


@content(half_life_days=365, archive_below=0.2, revalidate_days=90, category="gotcha")
class Incident(Content, frozen=True, kw_only=True):
    """What broke, why, and what mended it."""

    main = "description"
    replaceable = False

    title: str = ""
    description: str = ""
    root_cause: str = ""
    resolution: str = ""
    impact: str = ""
    prevention: tuple[str, ...] = ()
    occurred_at: str = ""

    def summary(self) -> str:
        """`title: root cause`, or what is known instead."""
        return titled(self.title, self.description or self.root_cause)


class ActionItem(Value, frozen=True, kw_only=True):
    """What somebody took on at a meeting."""

    action: str
    owner: str = ""
    due: str = ""


@content(half_life_days=60, archive_below=0.2, revalidate_days=30, category="context")
class Meeting(Content, frozen=True, kw_only=True):
    """Notes of a meeting, and who does what."""

    main = "notes"
    heading = "title"
    event = True

    title: str = ""
    notes: str = ""
    attendees: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    action_items: tuple[ActionItem, ...] = ()


@content(half_life_days=180, archive_below=0.2, revalidate_days=90, category="pattern")
class Skill(Content, frozen=True, kw_only=True):
    """What somebody knows how to do, and how well."""

    main = "description"
    heading = "name"
    personal = True
    offered = False

    name: str = ""
    description: str = ""
    proficiency: Literal["novice", "competent", "expert", ""] = ""
    held_by: str = ""


@content(half_life_days=90, archive_below=0.3, revalidate_days=30, category="architecture")
class Environment(Content, frozen=True, kw_only=True):
    """How a machine, a service or a tool chain is set up."""

    main = "description"
    heading = "name"
    personal = True

    name: str = ""
    description: str = ""
    variables: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)


@content(revalidate_days=180, category="architecture")
class Architecture(Content, frozen=True, kw_only=True):
    """How the parts of the system work together."""

    main = "description"
    heading = "component"

    component: str = ""
    description: str = ""
    responsibilities: tuple[str, ...] = ()
    interfaces: tuple[str, ...] = ()


@content(half_life_days=7, archive_below=0.1, revalidate_days=7, category="progress")
class Progress(Content, frozen=True, kw_only=True):
    """How far the work has come, and what is next."""

    main = "done"

    done: str = ""
    next_steps: tuple[str, ...] = ()
    blocked_by: str = ""
