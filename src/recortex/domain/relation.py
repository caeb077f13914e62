"""A typed relation between two memories."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from recortex.domain.causality import CAUSAL
from recortex.domain.vocabulary import RelationStatus, RelationType

CONSENSUS = 3
"""Memories that support the same conclusion are a consensus from this many on."""

Ending = Literal["removed", "changed", "rejected", "pruned"]
"""Why a relation is no longer what it was; `rejected`: somebody took it away, so nothing infers it again."""

BOTH_HOLD = "a person said that both hold"
"""The evidence of a relation that was taken for a contradiction, and is none."""


@dataclass(frozen=True, slots=True)
class Relation:
    """`source_id` is `type` of `target_id`.

    Attributes:
        strength: 0 to 1.
        evidence: why it is thought to hold, a sentence each.
        inferred: an engine found it; nobody stated it.
        bidirectional: it holds both ways.
    """

    source_id: str
    target_id: str
    type: RelationType
    created_at: datetime
    strength: float = 1.0
    evidence: tuple[str, ...] = ()
    inferred: bool = False
    status: RelationStatus = RelationStatus.ACTIVE
    bidirectional: bool = False

    @property
    def judged(self) -> bool:
        """Whether it says which of the two holds, or that both do, or waits for a person to say it."""
        judging = self.type in {RelationType.SUPERSEDES, RelationType.CONTRADICTS}
        return judging or BOTH_HOLD in self.evidence

    @property
    def doubted(self) -> bool:
        """Whether it is a cause that was only inferred, and waits for a person."""
        return self.status is RelationStatus.SUGGESTED and self.type in CAUSAL

    def other(self, memory_id: str) -> str:
        """The end that is not `memory_id`."""
        return self.target_id if memory_id == self.source_id else self.source_id


@dataclass(frozen=True, slots=True)
class FormerRelation:
    """What a relation was from its `created_at` until `ended_at`, without its evidence."""

    relation: Relation
    ended_at: datetime
    reason: Ending
