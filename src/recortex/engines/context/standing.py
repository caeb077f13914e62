"""Standing instructions: what the person wants in all work of a kind.

A rule is told with a task that shares its words or its files, and that the intent wants rules for; the brief
of the session tells all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.kinds import Kind
from recortex.domain.vocabulary import Trust
from recortex.engines.retrieval.scorer import closeness
from recortex.engines.words import topic_stems

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.memory import Memory

STANDING_KINDS = tuple(map(Kind, ("preference", "feedback", "constraint_override", "core")))
LOOKED_AT = 60
"""The most important ones of a store that are looked at."""
GIVEN = 12
LEAST_BOOST = 0.7
"""An intent for which a kind counts less than this does not want its rules."""
WITH_WORDS, ABOUT_FILES = 0.75, 0.9
"""The relevance of a rule with words of the task, and for a file in view."""


def standing(
    memories: Sequence[Memory], task: str, files: Sequence[str], boosts: Mapping[str, float]
) -> list[tuple[Memory, float]]:
    """The rules that hold for a task, with their relevance, the most relevant first.

    A rule about files holds where one of them is in view; one that nobody trusted is none.
    """
    wanted = topic_stems(task)
    found = [
        (memory, relevance)
        for memory in memories
        if memory.trust is not Trust.UNTRUSTED and boosts.get(memory.kind, 1.0) >= LEAST_BOOST
        if (relevance := _relevance(memory, wanted, files))
    ]
    return sorted(found, key=lambda one: (-one[1], -one[0].priority, -one[0].confidence))[:GIVEN]


def _relevance(memory: Memory, wanted: frozenset[str], files: Sequence[str]) -> float:
    if memory.files:
        near = any(closeness(link.path, file) for link in memory.files for file in files)
        return ABOUT_FILES if near else 0.0
    return WITH_WORDS if wanted & topic_stems(memory.text) else 0.0
