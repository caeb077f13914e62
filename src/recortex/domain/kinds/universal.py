"""The ten universal kinds (A, category 3) and the two of C and D about a project's shape and course."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from recortex.domain.kinds.agnostic import Step
from recortex.domain.kinds.base import Category, Content, titled


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSpawn(Content):
    """A reusable configuration of an agent."""

    kind: ClassVar[str] = "agent_spawn"
    half_life_days: ClassVar[float | None] = 365
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 90
    category: ClassVar[Category] = "pattern"
    main: ClassVar[str] = "instructions"

    name: str = ""
    instructions: str = ""
    model: str = ""
    tools: tuple[str, ...] = ()
    use_when: str = ""

    def summary(self) -> str:
        """`name: instructions`."""
        return titled(self.name, self.instructions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity(Content):
    """A project, product, team or system."""

    kind: ClassVar[str] = "entity"
    half_life_days: ClassVar[float | None] = 180
    archive_below: ClassVar[float] = 0.3
    revalidate_days: ClassVar[int] = 60
    category: ClassVar[Category] = "architecture"
    main: ClassVar[str] = "description"

    name: str = ""
    type: str = ""
    description: str = ""
    attributes: dict[str, str] = field(default_factory=dict)

    def summary(self) -> str:
        """`name: description`."""
        return titled(self.name, self.description)


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal(Content):
    """An objective and how far it has come."""

    kind: ClassVar[str] = "goal"
    half_life_days: ClassVar[float | None] = 90
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 30
    category: ClassVar[Category] = "progress"
    main: ClassVar[str] = "objective"

    objective: str = ""
    success_criteria: tuple[str, ...] = ()
    progress: float = 0.0
    due: str = ""
    state: Literal["open", "reached", "dropped"] = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(Content):
    """A correction, and what it teaches."""

    kind: ClassVar[str] = "feedback"
    half_life_days: ClassVar[float | None] = 120
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 60
    category: ClassVar[Category] = "gotcha"
    main: ClassVar[str] = "correction"

    correction: str = ""
    original: str = ""
    lesson: str = ""
    given_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow(Content):
    """A process of several steps, and what starts it."""

    kind: ClassVar[str] = "workflow"
    half_life_days: ClassVar[float | None] = 180
    archive_below: ClassVar[float] = 0.3
    revalidate_days: ClassVar[int] = 60
    category: ClassVar[Category] = "pattern"
    main: ClassVar[str] = "description"

    name: str = ""
    description: str = ""
    trigger: str = ""
    steps: tuple[Step, ...] = ()

    def summary(self) -> str:
        """`name: description`."""
        return titled(self.name, self.description)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation(Content):
    """What was said, as it was said or in summary."""

    kind: ClassVar[str] = "conversation"
    half_life_days: ClassVar[float | None] = 30
    archive_below: ClassVar[float] = 0.1
    revalidate_days: ClassVar[int] = 14
    category: ClassVar[Category] = "progress"
    main: ClassVar[str] = "said"
    event: ClassVar[bool] = True

    topic: str = ""
    said: str = ""
    participants: tuple[str, ...] = ()
    conclusions: tuple[str, ...] = ()

    def summary(self) -> str:
        """`topic: what was said`."""
        return titled(self.topic, self.said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident(Content):
    """What broke, why, and what mended it."""

    kind: ClassVar[str] = "incident"
    half_life_days: ClassVar[float | None] = 365
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 90
    category: ClassVar[Category] = "gotcha"
    main: ClassVar[str] = "description"

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionItem:
    """What somebody took on at a meeting."""

    action: str
    owner: str = ""
    due: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting(Content):
    """Notes of a meeting, and who does what."""

    kind: ClassVar[str] = "meeting"
    half_life_days: ClassVar[float | None] = 60
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 30
    category: ClassVar[Category] = "context"
    main: ClassVar[str] = "notes"
    event: ClassVar[bool] = True

    title: str = ""
    notes: str = ""
    attendees: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    action_items: tuple[ActionItem, ...] = ()

    def summary(self) -> str:
        """`title: notes`."""
        return titled(self.title, self.notes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill(Content):
    """What somebody knows how to do, and how well."""

    kind: ClassVar[str] = "skill"
    half_life_days: ClassVar[float | None] = 180
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 90
    category: ClassVar[Category] = "pattern"
    main: ClassVar[str] = "description"

    name: str = ""
    description: str = ""
    proficiency: Literal["novice", "competent", "expert", ""] = ""
    held_by: str = ""

    def summary(self) -> str:
        """`name: description`."""
        return titled(self.name, self.description)


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment(Content):
    """How a machine, a service or a tool chain is set up."""

    kind: ClassVar[str] = "environment"
    half_life_days: ClassVar[float | None] = 90
    archive_below: ClassVar[float] = 0.3
    revalidate_days: ClassVar[int] = 30
    category: ClassVar[Category] = "architecture"
    main: ClassVar[str] = "description"

    name: str = ""
    description: str = ""
    variables: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)

    def summary(self) -> str:
        """`name: description`."""
        return titled(self.name, self.description)


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture(Content):
    """How the parts of the system hang together."""

    kind: ClassVar[str] = "architecture"
    archive_below: ClassVar[float] = 0.0
    revalidate_days: ClassVar[int] = 180
    category: ClassVar[Category] = "architecture"
    main: ClassVar[str] = "description"

    component: str = ""
    description: str = ""
    responsibilities: tuple[str, ...] = ()
    interfaces: tuple[str, ...] = ()

    def summary(self) -> str:
        """`component: description`."""
        return titled(self.component, self.description)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(Content):
    """How far the work has come, and what is next."""

    kind: ClassVar[str] = "progress"
    half_life_days: ClassVar[float | None] = 7
    archive_below: ClassVar[float] = 0.1
    revalidate_days: ClassVar[int] = 7
    category: ClassVar[Category] = "progress"
    main: ClassVar[str] = "done"

    done: str = ""
    next_steps: tuple[str, ...] = ()
    blocked_by: str = ""
