"""Packs memories into a budget of tokens by importance times relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.vocabulary import Importance
from recortex.engines.compression.levels import Compressed, Level, compress, says_more

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

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
LEAST_LINE, LEAST_MORE = 16, 4
"""With fewer tokens left no line fits, and no further detail: its date, kind and id alone are as many."""
MISSES = 6
"""After so many that did not fit in a row, the rest is not tried: counting takes most of the time."""


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
    told = _each_briefly(order, budget, count, min(Level.LINE, most))
    left = budget - sum(one.tokens + BREAK for one in told.values())
    heaviest = sorted((one for one in order if one.memory.id in told), key=lambda one: -one.weight)
    _raise(told, [one.memory for one in heaviest], left, count, most)
    entries = tuple(told[one.memory.id] for one in heaviest)
    missing = tuple(one.memory.id for one in order if one.memory.id not in told)
    return Packed(entries, missing, sum(one.tokens + BREAK for one in entries))


def _each_briefly(
    order: Sequence[Weighed], left: int, count: Callable[[str], int], most: Level
) -> dict[str, Compressed]:
    """A line of each memory while they fit, then ids; an id alone tells nothing of a critical memory."""
    told: dict[str, Compressed] = {}
    misses = 0
    for one in order:
        critical = one.memory.importance == Importance.CRITICAL
        found = None
        if most and left >= LEAST_LINE and (critical or misses < MISSES):
            found = compress(one.memory, Level.LINE, count)
            misses = 0 if found.tokens + BREAK <= left else misses + 1
        if (found is None or found.tokens + BREAK > left) and not (critical or left <= BREAK):
            found = compress(one.memory, Level.IDS, count)
        if found is not None and found.tokens + BREAK <= left:
            told[one.memory.id] = found
            left -= found.tokens + BREAK
    return told


def _raise(
    told: dict[str, Compressed],
    memories: Sequence[Memory],
    left: int,
    count: Callable[[str], int],
    most: Level,
) -> None:
    """Tell more of memories, the first ones first, while that fits."""
    misses = 0
    for memory in memories:
        if left < LEAST_MORE or misses == MISSES:
            return
        now = told[memory.id]
        found = next(_higher(memory, now, left, count, most), None)
        misses = 0 if found else misses + 1
        if found:
            told[memory.id] = found
            left -= found.tokens - now.tokens


def _higher(
    memory: Memory, now: Compressed, left: int, count: Callable[[str], int], most: Level
) -> Iterator[Compressed]:
    """The levels above the present one that fit, the highest first."""
    line = now.text if now.level is Level.LINE else ""
    for level in (Level.FULL, Level.EXAMPLES):
        # The full level tells the whole text, which was counted when it was written.
        hopeless = level is Level.FULL and memory.tokens > left + now.tokens
        idle = level is Level.EXAMPLES and not says_more(memory, now.text)
        if level > most or hopeless or idle:
            continue
        found = compress(memory, level, count, line=line)
        if found.tokens - now.tokens <= left:
            yield found
