"""Whether the later one says that it follows from the earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.expressions import lazy

if TYPE_CHECKING:
    from recortex.engines.graph.inference.facts import Pair

_FOLLOWS = lazy(
    r"\b(?:because|since|due to|therefore|thus|hence|caused by|as a result|that(?:'s| is) why|which is why|"
    r"given that|in order to|to (?:avoid|fix|prevent)|fix(?:es|ed)?|instead of|so that|no longer|reverts?)\b",
    2,
)
"""Words that give a reason, or tell of a remedy."""
LEAST_WORDS, SHORT_ID = 3, 8
"""Words in common that count as a reference, and characters of an id."""


def explicit_reference(pair: Pair) -> float:
    """1 where it names the earlier one's id; else by how much of its matter it names with a reason."""
    text = pair.effect.text
    if pair.cause.memory.id[:SHORT_ID] in text:
        return 1.0
    if not _FOLLOWS.search(text):
        return 0.0
    if pair.shared:
        return min(1.0, 0.5 + 0.25 * len(pair.shared))
    return 0.5 if len(pair.shared_words) >= LEAST_WORDS else 0.0
