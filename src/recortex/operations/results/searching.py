"""What searching gives back."""

from __future__ import annotations

from dataclasses import dataclass

from recortex.domain.memory import Memory
from recortex.domain.relation import Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Memories that pass the filters: this page, and how many there are in all."""

    memories: tuple[Memory, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A memory reached from another one."""

    memory: Memory
    relation: Relation
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """What hangs together with a memory, nearest and strongest first."""

    memory: Memory
    neighbours: tuple[Neighbour, ...] = ()
