"""The part that a memory has in the course of a session."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    from recortex.domain.memory import Memory
    from recortex.domain.vocabulary import RelationType
    from recortex.engines.graph.inference.facts import Facts, Pair

LEAST = 0.3
"""The score that a pair with a sequence needs (bench/causal_edges.py)."""
_FAILURE = lazy(
    r"\b(?:fail(?:s|ed|ing|ure)?|errors?|broken|breaks|crash\w*|bugs?|root cause|cannot|can't|does not work"
    r"|missing|rejected|blocked|wrong|problems?|no way (?:around|to)|incorrect(?:ly)?|undefined"
    r"|not (?:defined|found|available)|never (?:set|called|runs))\b",
    re.IGNORECASE,
)
_REMEDY = lazy(
    r"\b(?:fix(?:es|ed)?|use|set|add(?:ed)?|ensure|must|should|will|replace[ds]?|instead|now|needs? to"
    r"|move[ds]?|keep|switch(?:ed)?|chang(?:e|ed)|updat(?:e|ed))\b",
    re.IGNORECASE,
)
_REVERT = lazy(
    r"\b(?:revert\w*|roll(?:ed)? back|undo|go(?:ing)? back to|restor\w+|removed? .{0,30}again)\b",
    re.IGNORECASE,
)
_CORRECTIONS = ("person_corrected", "person_overstep", "person_objected", "person_undid")


class Course(NamedTuple):
    """What a course of events says of a pair.

    Attributes:
        type: of the relation from the earlier memory to the later one, or back for those that name a cause.
        evidence: a sentence.
        least: the score that the pair needs.
    """

    type: RelationType
    evidence: str
    least: float = LEAST


def by_agent(memory: Memory) -> bool:
    """Whether the agent said it."""
    return memory.source.speaker == "assistant"


def is_failure(facts: Facts) -> bool:
    """Whether it tells of something that went wrong."""
    return facts.memory.kind in {"incident", "code_smell"} or bool(_FAILURE.search(facts.text))


def is_remedy(facts: Facts) -> bool:
    """Whether it says what is done, or is to be done."""
    return bool(_REMEDY.search(facts.text))


def is_revert(facts: Facts) -> bool:
    """Whether it takes something back."""
    return bool(_REVERT.search(facts.text))


def is_correction(memory: Memory) -> bool:
    """Whether a person corrected the agent by it."""
    return memory.source.rule.startswith(_CORRECTIONS) or memory.kind == "feedback"


def is_decision(memory: Memory) -> bool:
    """Whether something was decided by it."""
    return memory.kind == "decision" and not is_correction(memory)


def same_matter(pair: Pair, *, names: int = 1, words: int = 3) -> bool:
    """Whether both name so many of the same things, or share so many words."""
    return len(pair.shared) >= names or len(pair.shared_words) >= words


def later(pair: Pair, within: int) -> str:
    """In words, as in `4 turns later`, where the second was said so soon; else nothing."""
    turns = pair.turns
    if turns is None or not 0 < turns <= within:
        return ""
    return f"{turns} turn{'s' if turns > 1 else ''} later"
