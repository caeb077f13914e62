"""Packs memories into a budget of tokens by importance times relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.vocabulary import Importance
from recortex.engines.compression.levels import Compressed, Level, compress, says_more

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.domain.memory import Memory

IMPORTANCE = {
    Importance.LOW: 0.8,
    Importance.NORMAL: 1.0,
    Importance.HIGH: 1.5,
    Importance.CRITICAL: 2.0,
}
"""The factor of importance."""
BREAK = 1
"""The most tokens that the line break after an entry costs."""


class Weighed(NamedTuple):
    """A memory and its relevance, 0 to 1."""

    memory: Memory
    relevance: float

    @property
    def weight(self) -> float:
        """Importance times relevance."""
        return IMPORTANCE[self.memory.importance] * self.relevance


class Packed(NamedTuple):
    """What fits a budget.

    Attributes:
        entries: heaviest first.
        left_out: ids of those for which not even a line is left.
        tokens: of all entries with their line breaks.
    """

    entries: tuple[Compressed, ...]
    left_out: tuple[str, ...]
    tokens: int


def pack(
    ranked: Sequence[Weighed], budget: int, count: Callable[[str], int], most: Level = Level.FULL
) -> Packed:
    """Tell of as many memories as fit, and of the heaviest as much as fits.

    Critical memories come first and get a line at least; then each gets its line, by weight; what is left
    raises them to the highest level that fits, 3 before 2, the heaviest first. So no memory gets its details
    while another one that would fit has no line: of 25 relevant ones all are told within 2,000 tokens.

    Args:
        ranked: each with its relevance.
        budget: tokens that the entries and their line breaks may have together.
        count: tokens of a text.
        most: the highest level that is tried.
    """
    order = sorted(ranked, key=lambda one: (one.memory.importance != Importance.CRITICAL, -one.weight))
    left = budget
    told: dict[str, Compressed] = {}
    for one in order:
        if left <= BREAK:
            break
        for level in (min(Level.LINE, most), Level.IDS):
            found = compress(one.memory, level, count)
            # An id alone tells nothing of a critical memory.
            enough = level or one.memory.importance != Importance.CRITICAL
            if enough and found.tokens + BREAK <= left:
                told[one.memory.id] = found
                left -= found.tokens + BREAK
                break
    heaviest = sorted((one for one in order if one.memory.id in told), key=lambda one: -one.weight)
    for one in heaviest:
        for level in (Level.FULL, Level.EXAMPLES):
            if level > most or left <= 0:
                continue
            now = told[one.memory.id]
            if level is Level.EXAMPLES and not says_more(one.memory, now.text):
                continue
            found = compress(one.memory, level, count)
            if found.tokens - now.tokens <= left and found.level > now.level:
                told[one.memory.id] = found
                left -= found.tokens - now.tokens
                break
    entries = tuple(told[one.memory.id] for one in heaviest)
    missing = tuple(one.memory.id for one in order if one.memory.id not in told)
    return Packed(entries, missing, sum(one.tokens + BREAK for one in entries))
