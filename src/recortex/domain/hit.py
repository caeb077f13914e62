"""What a recall finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from recortex.domain.citation import Freshness
from recortex.domain.exchange import ExchangeHit
from recortex.domain.kinds import KINDS
from recortex.domain.memory import Memory

Recipe = Literal["hybrid", "keyword", "semantic"]
Empty = Literal["", "nothing stored", "nothing in common", "floor", "filter", "budget"]
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
        cited: what became of it, in one line, where it does not stand as it did.
        code: of a description of code: the code itself.
        weak: its score alone is below the floor; it stands beside a better one.
    """

    memory: Memory
    score: float
    signals: dict[str, float] = field(default_factory=dict)
    freshness: Freshness = "none"
    cited: str = ""
    code: tuple[Memory, ...] = ()
    weak: bool = False


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
        floor: what a score had to reach.
        hits: memories; where exchanges answer too, only those that probably do.
        exchanges: what was said in sessions and may answer: it follows the memories, since nobody checked it.
        unchecked: proposed memories that answer.
        tokens: cl100k_base tokens of all hits' texts, of the code that they bring, and of the exchanges.
        degraded: what could not be used, and what was used instead.
        needed: where hits answer but none fits the budget: the smallest budget that brings one; else 0.
        empty: why there is no answer; empty where there is one.
        withheld: how many memories the floor, or the filters, kept back.
    """

    query: str
    recipe: Recipe
    hits: tuple[Hit, ...] = ()
    exchanges: tuple[ExchangeHit, ...] = ()
    unchecked: tuple[Proposal, ...] = ()
    best: float = 0.0
    floor: float = 0.0
    tokens: int = 0
    degraded: tuple[str, ...] = ()
    needed: int = 0
    empty: Empty = ""
    withheld: int = 0
