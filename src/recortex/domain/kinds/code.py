"""Kinds about code: its patterns, exceptions, decisions and smells, and the pair that indexes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from recortex.domain.kinds.base import Content, content, titled


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A place in the code that a statement rests on; the hash shows when it changed."""

    file: str
    line_start: int = 0
    line_end: int = 0
    snippet: str = ""
    hash: str = ""
    validated_at: str = ""
    valid: bool | None = None


@content(half_life_days=180, archive_below=0.3, revalidate_days=60, category="pattern")
class PatternRationale(Content):
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
class ConstraintOverride(Content):
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
class DecisionContext(Content):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """A place where a smell was seen."""

    file: str
    line: int = 0
    at: str = ""
    resolved: bool = False
    resolved_by: str = ""


@content(half_life_days=90, archive_below=0.2, revalidate_days=30, category="gotcha")
class CodeSmell(Content):
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
class CodeDescription(Content):
    """What a piece of code does, in prose: the half of a pair that is embedded."""

    main = "description"
    replaceable = False
    offered = False

    description: str = ""
    symbol: str = ""
    language: str = ""
    signature: str = ""


@content(revalidate_days=30)
class Code(Content):
    """The code itself: never embedded, never on the surface."""

    main = "source"
    embedded = False
    replaceable = False
    offered = False

    source: str = ""
    symbol: str = ""
    language: str = ""
