"""The enumerations of the domain: statuses, relations, importance, subject areas, origins, trust, scopes."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Self


class Status(StrEnum):
    """Where a memory stands. Only active ones are recalled by default."""

    PROPOSED = "proposed"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    PRUNED = "pruned"
    QUARANTINED = "quarantined"


class RelationType(StrEnum):
    """What one memory is to another: twenty types.

    Attributes:
        words: what stands between the two in a sentence: A supersedes B.
        reversed: the same from the other end: B is superseded by A.
    """

    words: str
    reversed: str

    def __new__(cls, value: str, words: str = "", backwards: str = "") -> Self:
        """A member with its verb in both directions."""
        member = str.__new__(cls, value)
        member._value_, member.words, member.reversed = value, words, backwards
        return member

    SUPERSEDES = "supersedes", "supersedes", "is superseded by"
    SUPPORTS = "supports", "supports", "is supported by"
    CONTRADICTS = "contradicts", "contradicts", "is contradicted by"
    RELATED = "related", "is related to", "is related to"
    DERIVED_FROM = "derived_from", "is derived from", "led to"
    OWNS = "owns", "owns", "is owned by"
    AFFECTS = "affects", "affects", "is affected by"
    BLOCKS = "blocks", "blocks", "is blocked by"
    REQUIRES = "requires", "requires", "is required by"
    REFERENCES = "references", "refers to", "is referred to by"
    LEARNED_FROM = "learned_from", "was learned from", "taught"
    ASSIGNED_TO = "assigned_to", "is assigned to", "is in charge of"
    DEPENDS_ON = "depends_on", "depends on", "is needed by"
    EXEMPLIFIES = "exemplifies", "is an example of", "has as an example"
    REFINES = "refines", "refines", "is refined by"
    SOURCE_OF = "source_of", "is the source of", "comes from"
    CAUSED = "caused", "caused", "was caused by"
    ENABLED = "enabled", "enabled", "was enabled by"
    PREVENTED = "prevented", "prevented", "was prevented by"
    TRIGGERED_BY = "triggered_by", "was triggered by", "triggered"


class RelationStatus(StrEnum):
    """Whether a relation is taken as given or waits for a person."""

    ACTIVE = "active"
    SUGGESTED = "suggested"


class Importance(StrEnum):
    """Four words for the priorities 1 to 10."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    CRITICAL = "critical"


class Domain(StrEnum):
    """The area of the software that a memory is about."""

    AUTH = "AUTH"
    UI = "UI"
    API = "API"
    DB = "DB"
    TEST = "TEST"
    DEV = "DEV"
    GENERAL = "GENERAL"


class Scope(StrEnum):
    """Which store a memory belongs to: this project's or the person's own."""

    PROJECT = "project"
    GLOBAL = "global"


class Origin(StrEnum):
    """Who or what a memory came from."""

    USER = "user"
    AGENT = "agent"
    EXTRACTION = "extraction"
    CODE_INDEX = "code_index"
    REPOSITORY = "repository"
    CONSOLIDATION = "consolidation"
    IMPORT = "import"
    TOOL = "tool"
    WEB = "web"


class Trust(StrEnum):
    """How far the origin of a memory is believed."""

    TRUSTED = "trusted"
    DERIVED = "derived"
    UNTRUSTED = "untrusted"


class Actor(StrEnum):
    """Who changed a memory, for the audit log."""

    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"
    EXTRACTION = "extraction"
    IMPORT = "import"
    CONSOLIDATION = "consolidation"
    DECAY = "decay"
    VALIDATION = "validation"
    LEARNING = "learning"
    RECLASSIFICATION = "reclassification"


_DERIVED = (Origin.AGENT, Origin.EXTRACTION, Origin.CODE_INDEX, Origin.CONSOLIDATION)
# Untrusted unless it is named here, so that a new origin is never believed by oversight.
TRUST_OF_ORIGIN = (
    dict.fromkeys(Origin, Trust.UNTRUSTED)
    | dict.fromkeys(_DERIVED, Trust.DERIVED)
    | {Origin.USER: Trust.TRUSTED}
)

RELATION_ALIASES = {
    "relates_to": RelationType.RELATED,
    "related_to": RelationType.RELATED,
    "derives": RelationType.DERIVED_FROM,
    "contradict": RelationType.CONTRADICTS,
    "support": RelationType.SUPPORTS,
}
CONFIDENCE_WORDS = {"high": 0.9, "medium": 0.6, "low": 0.3}


# -- types of parameters that take a member of an enumeration or its word: `importance="high"`


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
