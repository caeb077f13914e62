"""Which memories a person should look at first, and the question about each (active learning)."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.kinds import KINDS, Kind
from recortex.domain.learned import Factors, Question
from recortex.domain.memory import importance_of, lowest_priority_of
from recortex.domain.vocabulary import CONFIDENCE_WORDS, Importance, Origin
from recortex.engines.decay import VALIDATED, usage_factor
from recortex.engines.similarity import reinforced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recortex.domain.learned import Answer, Doubt
    from recortex.domain.maintenance import MemoryStatistics
    from recortex.domain.memory import Memory


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
    found = [one for row, sure in memories for one in _doubts_about(row, sure, contradicted, now)]
    return sorted(found, key=lambda one: (-one.weight, one.id))


def _doubts_about(
    row: MemoryStatistics, sure: float, contradicted: Mapping[str, str], now: int
) -> Iterator[Doubted]:
    doubt = _doubt(row, sure, contradicted, now)
    if doubt is None:
        return
    # One of two that exclude each other is wrong, however sure both are.
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


# -- the confidence of what a correction taught, from five factors


REJECTED = 0.5
"""The share of its confidence that a rejected memory keeps, should it be restored."""
MOST_EVIDENCE = 16
"""Further places that are counted: after these nothing is left to add."""


def calibrated(
    base: float,
    *,
    evidence: int = 1,
    accesses: int = 0,
    age_days: float = 0.0,
    half_life_days: float | None = None,
    validated: bool = False,
    answer: Answer | None = None,
) -> Factors:
    """The confidence, from 0 to 1, with each factor.

    Args:
        base: what the words deserve, 0 to 1.
        evidence: places where it was learned, at least 1.
        accesses: how often it was recalled.
        age_days: since it was last recalled, or recorded.
        half_life_days: of its kind; None where it never fades.
        validated: a person approved of it, so that it fades more slowly.
        answer: what a person says of it now.
    """
    known = base
    for _ in range(min(evidence - 1, MOST_EVIDENCE)):
        known = reinforced(known, base)
    usage, slower = usage_factor(accesses), VALIDATED if validated else 1.0
    temporal = 1.0 if half_life_days is None else math.exp2(-max(0.0, age_days) / (half_life_days * slower))
    present = known * min(1.0, usage * temporal)
    final = present if answer is None else answered(present, answer)
    return Factors(
        base=base,
        evidence=known,
        usage=usage,
        temporal=temporal,
        validation=final / present if present else 1.0,
        confidence=final,
    )


def answered(confidence: float, answer: Answer) -> float:
    """The confidence after a person's answer.

    To confirm or to word it better removes half of the doubt, as full evidence does; to reject halves it.
    """
    return confidence * REJECTED if answer == "reject" else reinforced(confidence, 1.0)


# -- what waits for a person in the order in which it is best decided: by subject, what matters first


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
