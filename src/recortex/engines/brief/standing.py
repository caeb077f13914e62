"""Whether a memory that was found in a session says something that still holds, by its wording.

A session begins without what was said around it: a question, a guess, one thing to do, what was done and what
refers to a sentence before it say nothing there. What was told on purpose, or approved by a person,
needs no such test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.vocabulary import Trust
from recortex.engines.brief.groups import COMMAND, RULE
from recortex.engines.extraction.drafting import DURABLE, ON_PURPOSE
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from recortex.domain.memory import Memory

PATTERNS = Patterns(__file__)
SHORTEST, LONGEST = 3, 45
"""Words of a rule or decision: what is longer is mostly a plan or was pasted."""
AGAIN = 3
"""Learned so often, it holds whatever its form."""


def still_holds(memory: Memory, group: str) -> bool:
    """Whether a memory says what holds beyond the task in which it was said.

    Args:
        memory: active.
        group: under which it would be shown.
    """
    rule = memory.source.rule
    on_purpose = (
        not rule or rule in {*ON_PURPOSE, DURABLE} or memory.pinned or memory.validated_at is not None
    )
    if on_purpose or rule == COMMAND or memory.evidence >= AGAIN:
        return True
    said = memory.text.strip()
    if PATTERNS.referring.search(said) or PATTERNS.done.search(said) or PATTERNS.doubt.search(said):
        return False
    if memory.trust is not Trust.TRUSTED:
        return True
    if PATTERNS.once.search(said) or not SHORTEST <= len(said.split()) <= LONGEST:
        return False
    return group != RULE or PATTERNS.standing.search(said) is not None
