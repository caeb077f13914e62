"""Kinds about the work on a project: people, agents, goals, meetings, incidents, and the systems in use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from recortex.domain.kinds.base import Content, content, titled
from recortex.domain.kinds.knowledge import Step  # noqa: TC001  the codec reads the annotations


@content(half_life_days=365, archive_below=0.2, revalidate_days=90, category="pattern")
class AgentSpawn(Content):
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
class Entity(Content):
    """A project, product, team or system."""

    main = "description"
    heading = "name"
    offered = False

    name: str = ""
    type: str = ""
    description: str = ""
    attributes: dict[str, str] = field(default_factory=dict)


@content(half_life_days=90, archive_below=0.2, revalidate_days=30, category="progress")
class Goal(Content):
    """An objective and how far it has come."""

    main = "objective"

    objective: str = ""
    success_criteria: tuple[str, ...] = ()
    progress: float = 0.0
    due: str = ""
    state: Literal["open", "reached", "dropped"] = "open"


@content(half_life_days=120, archive_below=0.2, revalidate_days=60, category="gotcha")
class Feedback(Content):
    """A correction, and what it teaches."""

    main = "correction"
    personal = True

    correction: str = ""
    original: str = ""
    lesson: str = ""
    given_by: str = ""


@content(half_life_days=180, archive_below=0.3, revalidate_days=60, category="pattern")
class Workflow(Content):
    """A process of several steps, and what starts it."""

    main = "description"
    heading = "name"

    name: str = ""
    description: str = ""
    trigger: str = ""
    steps: tuple[Step, ...] = ()


@content(half_life_days=30, archive_below=0.1, revalidate_days=14, category="progress")
class Conversation(Content):
    """What was said, as it was said or in summary."""

    main = "said"
    heading = "topic"
    event = True

    topic: str = ""
    said: str = ""
    participants: tuple[str, ...] = ()
    conclusions: tuple[str, ...] = ()


@content(half_life_days=365, archive_below=0.2, revalidate_days=90, category="gotcha")
class Incident(Content):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionItem:
    """What somebody took on at a meeting."""

    action: str
    owner: str = ""
    due: str = ""


@content(half_life_days=60, archive_below=0.2, revalidate_days=30, category="context")
class Meeting(Content):
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
class Skill(Content):
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
class Environment(Content):
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
class Architecture(Content):
    """How the parts of the system work together."""

    main = "description"
    heading = "component"

    component: str = ""
    description: str = ""
    responsibilities: tuple[str, ...] = ()
    interfaces: tuple[str, ...] = ()


@content(half_life_days=7, archive_below=0.1, revalidate_days=7, category="progress")
class Progress(Content):
    """How far the work has come, and what is next."""

    main = "done"

    done: str = ""
    next_steps: tuple[str, ...] = ()
    blocked_by: str = ""
