"""The four kinds about code's reasons and smells (A, category 2; fields from B) and the pair that indexes code (C, D)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from recortex.domain.kinds.base import Category, Content, titled


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRationale(Content):
    """Why a pattern exists, with its business context."""

    kind: ClassVar[str] = "pattern_rationale"
    half_life_days: ClassVar[float | None] = 180
    archive_below: ClassVar[float] = 0.3
    revalidate_days: ClassVar[int] = 60
    category: ClassVar[Category] = "pattern"
    main: ClassVar[str] = "rationale"

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

    def summary(self) -> str:
        """`pattern name: rationale` (B)."""
        return titled(self.pattern_name, self.rationale)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstraintOverride(Content):
    """An approved exception to a constraint."""

    kind: ClassVar[str] = "constraint_override"
    half_life_days: ClassVar[float | None] = 90
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 30
    category: ClassVar[Category] = "decision"
    main: ClassVar[str] = "reason"

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
        """`Override: constraint name` (B)."""
        return titled("Override", self.constraint_name or self.reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionContext(Content):
    """The human side of a decision that stands in the code or in an ADR."""

    kind: ClassVar[str] = "decision_context"
    half_life_days: ClassVar[float | None] = 180
    archive_below: ClassVar[float] = 0.3
    revalidate_days: ClassVar[int] = 90
    category: ClassVar[Category] = "decision"
    main: ClassVar[str] = "decision_summary"

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


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeSmell(Content):
    """An anti-pattern, with a bad and a good example."""

    kind: ClassVar[str] = "code_smell"
    half_life_days: ClassVar[float | None] = 90
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 30
    category: ClassVar[Category] = "gotcha"
    main: ClassVar[str] = "description"

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
    auto_detect: bool = False
    detection_rule: str = ""

    def summary(self) -> str:
        """`Avoid: name` (B)."""
        return titled("Avoid", self.name or self.description)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeDescription(Content):
    """What a piece of code does, in prose: the half of a pair that is embedded."""

    kind: ClassVar[str] = "code_description"
    archive_below: ClassVar[float] = 0.2
    revalidate_days: ClassVar[int] = 30
    category: ClassVar[Category] = "code_description"
    main: ClassVar[str] = "description"

    description: str = ""
    symbol: str = ""
    language: str = ""
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Code(Content):
    """The code itself: never embedded, never on the surface."""

    kind: ClassVar[str] = "code"
    archive_below: ClassVar[float] = 0.0
    revalidate_days: ClassVar[int] = 30
    category: ClassVar[Category] = ""
    main: ClassVar[str] = "source"
    embedded: ClassVar[bool] = False

    source: str = ""
    symbol: str = ""
    language: str = ""
