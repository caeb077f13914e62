"""What waits for a person in the order in which it is best decided: by subject, what matters first."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from recortex.domain.vocabulary import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recortex.domain.memory import Memory

PAIR, TOO_MANY = 2, 5
"""A subject has two memories or more; what more than a fifth have in common tells nothing of any."""


def by_subject(memories: Sequence[Memory]) -> list[tuple[str, list[Memory]]]:
    """Groups of memories with what each is about, the group with what matters most first.

    A memory's subject is the file or tag that most of the others have too, but for what nearly all have; one
    that shares none stands under its kind.
    """
    counts = Counter(one for memory in memories for one in set(_subjects(memory)))
    most = max(PAIR, len(memories) // TOO_MANY)
    groups: dict[str, list[Memory]] = {}
    for memory in sorted(memories, key=_matters):
        shared = [one for one in _subjects(memory) if 1 < counts[one] <= most]
        subject = max(shared, key=lambda one: counts[one], default=memory.kind)
        groups.setdefault(subject, []).append(memory)
    return list(groups.items())


def _subjects(memory: Memory) -> Iterable[str]:
    return (*(link.path for link in memory.files), *memory.tags)


def _matters(memory: Memory) -> tuple[bool, int, float]:
    """What the person said comes before what others did, then what is important, then what is sure."""
    return memory.origin is not Origin.USER, -memory.priority, -memory.confidence
