"""What is known of a memory when it is validated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from recortex.domain.citation import Citation
from recortex.domain.memory import Memory


class Opposed(NamedTuple):
    """A memory that contradicts the one that is validated.

    Attributes:
        certain: not only suggested.
        supporters: how many others say the same as it does.
    """

    id: str
    certain: bool
    supporters: int = 0


class Pattern(NamedTuple):
    """A code pattern, as the memories that explain it tell.

    Attributes:
        there: whether one of them is active.
        confidence: the highest that is left of one of them.
        base: the highest that one was stored with.
    """

    there: bool
    confidence: float = 1.0
    base: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A memory with what its validation needs.

    Attributes:
        memory: as stored.
        confidence: what decay has left of it.
        citations: what became of the places that it cites.
        commits: how many commits changed each file since, of those that it cites and that cannot be compared.
        opposed: memories that contradict it.
        supporters: how many others say the same as it does.
        patterns: of the patterns that it is linked to, those that any memory explains.
    """

    memory: Memory
    now: datetime
    confidence: float
    citations: Sequence[Citation] = ()
    commits: Mapping[str, int] = field(default_factory=dict)
    opposed: Sequence[Opposed] = ()
    supporters: int = 0
    patterns: Mapping[str, Pattern] = field(default_factory=dict)
