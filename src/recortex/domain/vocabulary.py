"""The closed word lists of the domain: statuses, relations, importance, subject areas, origins, trust, scopes."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """Where a memory stands. Only active ones are recalled by default."""

    PROPOSED = "proposed"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    PRUNED = "pruned"
    QUARANTINED = "quarantined"


class RelationType(StrEnum):
    """What one memory is to another: twenty types, four of them causal."""

    SUPERSEDES = "supersedes"
    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    RELATED = "related"
    DERIVED_FROM = "derived_from"
    OWNS = "owns"
    AFFECTS = "affects"
    BLOCKS = "blocks"
    REQUIRES = "requires"
    REFERENCES = "references"
    LEARNED_FROM = "learned_from"
    ASSIGNED_TO = "assigned_to"
    DEPENDS_ON = "depends_on"
    EXEMPLIFIES = "exemplifies"
    REFINES = "refines"
    SOURCE_OF = "source_of"
    CAUSED = "caused"
    ENABLED = "enabled"
    PREVENTED = "prevented"
    TRIGGERED_BY = "triggered_by"

    @property
    def words(self) -> str:
        """What stands between the two in a sentence: A supersedes B."""
        return RELATION_WORDS[self][0]

    @property
    def reversed(self) -> str:
        """What stands between them when the sentence begins with the other: B is superseded by A."""
        return RELATION_WORDS[self][1]


RELATION_WORDS: dict[RelationType, tuple[str, str]] = {
    RelationType.SUPERSEDES: ("supersedes", "is superseded by"),
    RelationType.SUPPORTS: ("supports", "is supported by"),
    RelationType.CONTRADICTS: ("contradicts", "is contradicted by"),
    RelationType.RELATED: ("is related to", "is related to"),
    RelationType.DERIVED_FROM: ("is derived from", "led to"),
    RelationType.OWNS: ("owns", "is owned by"),
    RelationType.AFFECTS: ("affects", "is affected by"),
    RelationType.BLOCKS: ("blocks", "is blocked by"),
    RelationType.REQUIRES: ("requires", "is required by"),
    RelationType.REFERENCES: ("refers to", "is referred to by"),
    RelationType.LEARNED_FROM: ("was learned from", "taught"),
    RelationType.ASSIGNED_TO: ("is assigned to", "is in charge of"),
    RelationType.DEPENDS_ON: ("depends on", "is needed by"),
    RelationType.EXEMPLIFIES: ("is an example of", "has as an example"),
    RelationType.REFINES: ("refines", "is refined by"),
    RelationType.SOURCE_OF: ("is the source of", "comes from"),
    RelationType.CAUSED: ("caused", "was caused by"),
    RelationType.ENABLED: ("enabled", "was enabled by"),
    RelationType.PREVENTED: ("prevented", "was prevented by"),
    RelationType.TRIGGERED_BY: ("was triggered by", "triggered"),
}
"""Each relation as a verb, from its source to its target and from its target to its source."""


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
    """The area of the software that a memory is about (E)."""

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


TRUST_OF_ORIGIN = {
    Origin.USER: Trust.TRUSTED,
    Origin.AGENT: Trust.DERIVED,
    Origin.EXTRACTION: Trust.DERIVED,
    Origin.CODE_INDEX: Trust.DERIVED,
    Origin.CONSOLIDATION: Trust.DERIVED,
    Origin.IMPORT: Trust.UNTRUSTED,
    Origin.TOOL: Trust.UNTRUSTED,
    Origin.WEB: Trust.UNTRUSTED,
}

_LOWEST_PRIORITY = {Importance.LOW: 1, Importance.NORMAL: 4, Importance.HIGH: 7, Importance.CRITICAL: 9}
_USUAL_PRIORITY = {Importance.LOW: 2, Importance.NORMAL: 5, Importance.HIGH: 8, Importance.CRITICAL: 10}


def importance_of(priority: int) -> Importance:
    """The word for a priority: 1–3 low, 4–6 normal, 7–8 high, 9–10 critical."""
    return max(
        (word for word, least in _LOWEST_PRIORITY.items() if priority >= least),
        key=_LOWEST_PRIORITY.__getitem__,
        default=Importance.LOW,
    )


def priority_of(importance: Importance) -> int:
    """The priority that stands for a word: low 2, normal 5, high 8, critical 10."""
    return _USUAL_PRIORITY[importance]


def lowest_priority_of(importance: Importance) -> int:
    """The smallest priority that the word still covers."""
    return _LOWEST_PRIORITY[importance]


RELATION_ALIASES = {
    "relates_to": RelationType.RELATED,
    "related_to": RelationType.RELATED,
    "derives": RelationType.DERIVED_FROM,
    "contradict": RelationType.CONTRADICTS,
    "support": RelationType.SUPPORTS,
}
CAUSAL_RELATIONS = frozenset(
    {
        RelationType.CAUSED,
        RelationType.ENABLED,
        RelationType.PREVENTED,
        RelationType.CONTRADICTS,
        RelationType.SUPERSEDES,
        RelationType.SUPPORTS,
        RelationType.DERIVED_FROM,
        RelationType.TRIGGERED_BY,
    }
)
CONFIDENCE_WORDS = {"high": 0.9, "medium": 0.6, "low": 0.3}
