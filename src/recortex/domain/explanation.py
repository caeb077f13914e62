"""Why a memory answers a question or does not, and how the question was understood."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Cause = Literal[
    "answers", "proposed", "status", "not yet true", "no longer true", "kind", "filter", "candidates",
    "nothing in common", "floor", "far", "alike", "limit", "budget", "exchanges", "no vector",
]  # fmt: skip
"""Why a memory was found or not; `engines/retrieval/wording.py` has the words."""


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
