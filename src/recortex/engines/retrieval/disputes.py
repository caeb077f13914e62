"""Answers that contradict each other: the later one goes first, and the earlier one says so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.domain.explanation import Hit
from recortex.domain.kinds.base import shorten
from recortex.domain.search import matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.search import MemoryQuery

QUOTED = 100
"""Characters of the later statement that are told."""


def later_first(hits: Sequence[Hit], pairs: Iterable[tuple[Memory, Memory]], only: MemoryQuery) -> list[Hit]:
    """The hits, where of two that contradict each other the later one stands before the earlier one.

    It takes the place and the score of the earlier one: both are about the same matter, and the wording of
    the earlier one is often the nearer to the question. Where it was no hit, it becomes one.

    Args:
        hits: best first.
        pairs: memories that contradict each other, in any order.
        only: what a memory must pass to become a hit.
    """
    placed = list(hits)
    ordered = [sorted(pair, key=_compared_fields) for pair in pairs]
    for earlier, later in sorted(ordered, key=lambda pair: _compared_fields(pair[1])):
        places = {hit.memory.id: place for place, hit in enumerate(placed)}
        place = places.get(earlier.id)
        if place is None:
            continue
        placed[place] = beaten = replace(placed[place], disputed=_describe_later(later))
        other = places.get(later.id)
        if other is None and matches(only, later):
            sure = {"confidence": later.confidence}
            placed.insert(place, Hit(memory=later, score=beaten.score, signals=sure, weak=beaten.weak))
        elif other is not None and other > place:
            better = placed.pop(other)
            placed.insert(place, replace(better, score=beaten.score, weak=better.weak and beaten.weak))
    return placed


def marked(hits: Sequence[Hit], pairs: Iterable[tuple[Memory, Memory]]) -> list[Hit]:
    """The hits in their order, the earlier one of each pair with what the later one says."""
    against = disputes(pairs)
    return [replace(hit, disputed=against.get(hit.memory.id, "")) for hit in hits]


def disputes(pairs: Iterable[tuple[Memory, Memory]]) -> dict[str, str]:
    """For the id of the earlier one of each contradictory pair, what the latest of the later ones says."""
    ordered = sorted(
        (sorted(pair, key=_compared_fields) for pair in pairs), key=lambda pair: _compared_fields(pair[1])
    )
    return {earlier.id: _describe_later(later) for earlier, later in ordered}


def _compared_fields(memory: Memory) -> tuple[object, ...]:
    return (memory.valid_from, memory.recorded_at, memory.id)


def _describe_later(later: Memory) -> str:
    """The later statement in one line."""
    return f"{later.valid_from:%Y-%m-%d}, {later.id[:8]}: {shorten(later.text, QUOTED)}"
