"""What turns the meaning of a sentence around: its negations, exceptions and conditions.

Whatever is cut from a sentence, these must stay: "no mocks in tests" without "no" says the opposite. Words
are cut in many places, so each of them asks here afterwards, and keeps the whole sentence or nothing.
"""

from __future__ import annotations

from recortex.engines.patterns import Patterns

PATTERNS = Patterns(__file__)

_TURNS = (
    (PATTERNS.negation, PATTERNS.negated),
    (PATTERNS.exception, PATTERNS.exception),
    (PATTERNS.condition, PATTERNS.condition),
)


def keeps(said: str, text: str) -> bool:
    """Whether a text made of what was said still has each negation, exception and condition of it.

    A negation may be told in other words: "use pnpm, not npm" as "use pnpm instead of npm".
    """
    bare = PATTERNS.interjection.sub(" ", said)
    return all(len(told.findall(text)) >= len(asked.findall(bare)) for asked, told in _TURNS)


def goes_on(sentence: str) -> bool:
    """Whether a sentence only limits the one before it: "Unless I say so.", "Except in the docs."."""
    return PATTERNS.limits.match(sentence) is not None


def hangs(text: str) -> bool:
    """Whether a text is a condition without what it is a condition of: "If the schema changes."."""
    return PATTERNS.conditional.match(text) is not None and PATTERNS.consequence.search(text) is None
