"""What a recall finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from recortex.domain.document import ChunkHit
from recortex.domain.exchange import ExchangeHit
from recortex.domain.explanation import Why
from recortex.domain.kinds import KINDS
from recortex.domain.links import Freshness
from recortex.domain.memory import Memory

Recipe = Literal["hybrid", "keyword", "semantic", "frame"]
Empty = Literal["", "nothing stored", "nothing in common", "floor", "filter", "budget", "time"]
"""Why there is no answer."""
ANSWERING = tuple(kind for kind, content in KINDS.items() if content.embedded)
"""Kinds that answer a question by themselves; raw code comes along with its description."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory that answers, with the parts of its score.

    Attributes:
        score: 0 to 1.
        signals: each part of the score by name, before weighting.
        freshness: whether the cited code still reads as it did; `none` where none can be compared.
        cited: what became of it, in one line, where it does not stand as it did; and how the patterns that
            the memory is linked to stand, as counted last.
        code: of a description of code: the code itself.
        weak: much less sure than the best one: it may be about something else.
        disputed: day, id and text of a later memory that contradicts it; a person is to decide.
        alike: ids of memories that say the same in nearly the same words and are not told again.
        why: the parts of its score, where they were asked for.
    """

    memory: Memory
    score: float
    signals: dict[str, float] = field(default_factory=dict)
    freshness: Freshness = "none"
    cited: str = ""
    code: tuple[Memory, ...] = ()
    weak: bool = False
    disputed: str = ""
    alike: tuple[str, ...] = ()
    why: Why | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A proposed memory that answers: nobody has approved it, and nothing has confirmed it.

    Attributes:
        said_on: from when it holds.
    """

    id: str
    text: str
    said_on: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The answer to a question: empty when nothing that is known is relevant.

    Attributes:
        best: the highest score before the floor, so that an empty answer can be understood.
        floor: what the best score, and that of each hit, had to reach.
        hits: memories; where exchanges answer too, only those that probably do.
        exchanges: what was said in sessions and may answer: it follows the memories, since nobody checked it.
        documents: parts of ingested documents that answer, beside the memories.
        unchecked: proposed memories that answer.
        tokens: cl100k_base tokens of all hits' texts, of the code that they bring, and of the rest.
        degraded: what could not be used, and what was used instead.
        needed: where hits answer but none fits the budget: the smallest budget that brings one; else 0.
        empty: why there is no answer; empty where there is one.
        withheld: how many memories the floor kept back, beside an answer too; where there is none for the
            filters' sake, how many these did.
        untimely: how many memories would answer too, but are not true now: they ended, or begin later.
    """

    query: str
    recipe: Recipe
    hits: tuple[Hit, ...] = ()
    exchanges: tuple[ExchangeHit, ...] = ()
    documents: tuple[ChunkHit, ...] = ()
    unchecked: tuple[Proposal, ...] = ()
    best: float = 0.0
    floor: float = 0.0
    tokens: int = 0
    degraded: tuple[str, ...] = ()
    needed: int = 0
    empty: Empty = ""
    withheld: int = 0
    untimely: int = 0
