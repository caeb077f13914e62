"""What walking along relations gives back."""

from __future__ import annotations

from dataclasses import dataclass

from recortex.domain.memory import Memory
from recortex.domain.relation import Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A memory that was reached.

    Attributes:
        depth: how many relations away it is.
        path: those relations, the first from the memory that the walk began at.
    """

    memory: Memory
    depth: int
    path: tuple[Relation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traversal:
    """What is reached from a memory, nearest first.

    Attributes:
        more: the limit was met; there may be more.
    """

    memory: Memory
    reached: tuple[Reached, ...] = ()
    more: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What answers a question, the likeliest first, each with its reasons and what was before it."""

    question: str
    answers: tuple[Traversal, ...] = ()
