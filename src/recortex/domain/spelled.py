"""Types of parameters that take a member of an enumeration or its word: `importance="high"`.

For a type checker each is the enumeration or one of its words; when the program runs it is the enumeration
alone, from which schemas and command lines are made, and every word is converted to its member before an
operation sees it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from recortex.domain.vocabulary import Domain, Importance, Origin, RelationType, Scope, Status

if TYPE_CHECKING:
    AnyImportance = Importance | Literal["low", "normal", "high", "critical"]
    AnyDomain = Domain | Literal["AUTH", "UI", "API", "DB", "TEST", "DEV", "GENERAL"]
    AnyScope = Scope | Literal["project", "global"]
    AnyStatus = Status | Literal["proposed", "active", "superseded", "archived", "pruned", "quarantined"]
    AnyOrigin = (
        Origin
        | Literal[
            "user",
            "agent",
            "extraction",
            "code_index",
            "repository",
            "consolidation",
            "import",
            "tool",
            "web",
        ]
    )
    AnyRelation = (
        RelationType
        | Literal[
            "supersedes",
            "supports",
            "contradicts",
            "related",
            "derived_from",
            "owns",
            "affects",
            "blocks",
            "requires",
            "references",
            "learned_from",
            "assigned_to",
            "depends_on",
            "exemplifies",
            "refines",
            "source_of",
            "caused",
            "enabled",
            "prevented",
            "triggered_by",
        ]
    )
else:
    AnyImportance, AnyDomain, AnyScope, AnyStatus = Importance, Domain, Scope, Status
    AnyOrigin, AnyRelation = Origin, RelationType
