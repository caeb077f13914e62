"""Which memories a person should look at first, and the question about each (active learning)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.correction import Question
from recortex.domain.kinds import KINDS, Kind
from recortex.domain.vocabulary import CONFIDENCE_WORDS, Importance, importance_of, lowest_priority_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from recortex.domain.correction import Doubt
    from recortex.domain.memory import Memory
    from recortex.domain.statistics import MemoryStatistics

DAY = 86_400_000_000
"""Microseconds."""
UNSURE = CONFIDENCE_WORDS["medium"]
"""Confidence below this is low."""
IMPORTANT = lowest_priority_of(Importance.HIGH)
HIGHEST = 10
_SAID: Mapping[Doubt, str] = {
    "uncertain": "Is this right? It is important, and only {sure:.0%} sure.",
    "never validated": "Does this still hold? It was learned on {day} and nobody has checked it since.",
    "contradicted": "Which of the two holds? They cannot both be true.",
}


class Doubted(NamedTuple):
    """A memory that is to be validated.

    Attributes:
        weight: its place among the others, highest first.
        against: the id of the memory that says otherwise; empty where none does.
    """

    id: str
    doubt: Doubt
    weight: float
    against: str = ""


def doubted(
    memories: Iterable[tuple[MemoryStatistics, float]], contradicted: Mapping[str, str], now: int
) -> list[Doubted]:
    """The memories to be validated, each once, the one that matters most first.

    The weight is the doubt by the importance, by how often the memory is recalled: those that are recalled
    often and least sure come first.

    Args:
        memories: active ones, each with its confidence as it is now.
        contradicted: for the id of each memory with an unresolved contradiction the id of the other one.
        now: microseconds since 1970 UTC.
    """
    found = [one for row, sure in memories for one in _of(row, sure, contradicted, now)]
    return sorted(found, key=lambda one: (-one.weight, one.id))


def _of(row: MemoryStatistics, sure: float, contradicted: Mapping[str, str], now: int) -> Iterator[Doubted]:
    doubt = _doubt(row, sure, contradicted, now)
    if doubt is None:
        return
    unsure = max(1.0 - sure, 0.5 if doubt == "contradicted" else 0.0)
    weight = unsure * row.priority / HIGHEST * (1.0 + math.log2(1 + row.access_count))
    yield Doubted(row.id, doubt, round(weight, 4), contradicted.get(row.id, ""))


def _doubt(row: MemoryStatistics, sure: float, contradicted: Mapping[str, str], now: int) -> Doubt | None:
    if row.id in contradicted:
        return "contradicted"
    if sure < UNSURE and row.priority >= IMPORTANT:
        return "uncertain"
    if row.validated_at is None and row.kind in KINDS:
        due = KINDS[Kind(row.kind)].revalidate_days * DAY
        return "never validated" if now - row.recorded_at > due else None
    return None


def question(one: Doubted, memory: Memory, against: Memory | None) -> Question:
    """What to ask a person about a memory."""
    said = _SAID[one.doubt].format(sure=memory.confidence, day=memory.recorded_at.date().isoformat())
    used = f" It was recalled {memory.access_count} times." if memory.access_count > 1 else ""
    rank = importance_of(memory.priority)
    weighs = one.doubt != "uncertain" and memory.priority >= IMPORTANT
    importance = f" Its importance is {rank.value}." if weighs else ""
    return Question(
        memory=memory,
        doubt=one.doubt,
        question=f"{said}{used}{importance}",
        weight=one.weight,
        against=against,
    )
