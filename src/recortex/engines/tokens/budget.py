"""Token budgets: which items fit. Their costs are known before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Allocation:
    """What one item got of a budget.

    Attributes:
        index: the item's place in what was asked for.
        tokens: its whole cost when it fits, else 0.
    """

    index: int
    tokens: int


def remaining(total: int, used: int) -> int:
    """Return what is left of `total`, never below 0."""
    return max(0, total - used)


def fits(tokens: int, budget: int) -> bool:
    """Tell whether a text of that many tokens fits a budget."""
    return tokens <= budget


def allocate(costs: Iterable[int], budget: int) -> list[Allocation]:
    """Give each item, most wanted first, its whole cost while it fits; others are skipped.

    The sum never exceeds the budget, and no item that was passed over would fit into what is left.
    """
    left = budget
    given = []
    for index, cost in enumerate(costs):
        tokens = cost if fits(cost, left) else 0
        left -= tokens
        given.append(Allocation(index, tokens))
    return given
