"""Why a memory answers a question or does not, and how the question was understood."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from recortex.domain.document import ChunkHit
from recortex.domain.exchange import ExchangeHit
from recortex.domain.kinds import KINDS
from recortex.domain.memory import Freshness, Memory

Cause = Literal[
    "answers", "proposed", "status", "not yet true", "no longer true", "kind", "filter", "candidates",
    "nothing in common", "floor", "far", "alike", "limit", "budget", "exchanges", "no vector",
]  # fmt: skip
"""Why a memory was found or not; `engines/retrieval/vocabulary.py` has the words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The parts of a hit's score.

    Attributes:
        has: the words of the question that it has, the rarest first, with the number of memories that have
            each.
        lacks: those that it does not have.
        store: how many memories the store has.
        adds: by how much each signal raises its score, or lowers it, in standard deviations from the other
            candidates; what adds nothing is left out.
        behind: how far it is behind the best one, in the same unit.
        without_vector: it waits for its vector, so that its words count in place of its meaning.
        text: the parts in words.
    """

    has: dict[str, int] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    store: int = 0
    adds: dict[str, float] = field(default_factory=dict)
    behind: float = 0.0
    without_vector: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """A question as one store takes it.

    Attributes:
        question: the part of the question, where it has several.
        scope: of the store.
        store: how many memories it has.
        words: that were looked up, the rarest first, with the number of memories that have each.
        unknown: words that no memory has; `instead` are synonyms of them that some memory has.
        common: words in so many memories that they are left out when meanings are compared.
        names: of people and things.
        paths: files that it names.
        dates: that it names, as YYYY-MM-DD, with ? for what was not said.
        asks_for: time, number, place or reason; empty where it asks for none of these.
        kinds: that usually answer such a question.
        intent: what a task in these words would be about.
        for_an_answer: what speaks for an answer in this store, or against it; each in logits.
        sure: the probability that the store has an answer, 0 to 1.
        floor: what that has to reach.
        gathered: how many memories were scored: the nearest by words and by meaning.
    """

    question: str = ""
    scope: str = ""
    store: int = 0
    words: dict[str, int] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    common: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    asks_for: str = ""
    kinds: tuple[str, ...] = ()
    intent: str = ""
    for_an_answer: dict[str, float] = field(default_factory=dict)
    sure: float = 0.0
    floor: float = 0.0
    gathered: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason why a memory is an answer, or is none, with its words."""

    cause: Cause
    text: str


# -- what a recall finds


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
