"""Of answers that speak of the same thing, the latest comes first and the others name it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from recortex.engines.indexing.vectors import cosine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.domain.exchange import ExchangeFacts, ExchangeHit

SAME = 0.75
"""Exchanges whose messages, with what they answer, or whose outcomes have a higher cosine speak of the same
thing: of reversals across sessions 6 %, of random pairs 1 % (docs/exchanges.md)."""
TURNED = 0.55
"""The same, where the message of the later one says that something is otherwise from now on."""
_UNKNOWN = datetime.min.replace(tzinfo=UTC)


def latest_first(hits: Sequence[ExchangeHit], same: Callable[[int, int], bool]) -> list[ExchangeHit]:
    """The hits, those of one matter together at the place of the first of them.

    Args:
        hits: best first.
        same: whether the hits at two places speak of the same thing; the later one is given second.
    """
    newest: dict[int, int] = {}
    for place, hit in enumerate(hits):
        later = [
            other
            for other, one in enumerate(hits)
            if hit.said_at and one.said_at and one.said_at > hit.said_at and same(place, other)
        ]
        if later:
            newest[place] = max(later, key=lambda other: hits[other].said_at or _UNKNOWN)
    first = {
        place: min([place, *(old for old, new in newest.items() if new == place)])
        for place in range(len(hits))
    }
    order = sorted(first, key=lambda place: (first[place], place in newest, place))
    told = [
        replace(hit, later=hits[newest[place]].id if place in newest else "")
        for place, hit in enumerate(hits)
    ]
    return [told[place] for place in order]


def same_matter(one: ExchangeFacts, other: ExchangeFacts, least: float = SAME) -> bool:
    """Whether two exchanges speak of the same thing, by their vectors."""
    pairs = ((one.answered, other.answered), (one.outcome, other.outcome))
    return any(left and right and cosine(left, right) >= least for left, right in pairs)
