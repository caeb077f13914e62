"""What linking gives back."""

from __future__ import annotations

from dataclasses import dataclass

from recortex.domain.memory import Memory
from recortex.domain.relation import Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A memory after its links changed, and the relation that was made or removed."""

    memory: Memory
    relation: Relation | None = None
    removed: int = 0
