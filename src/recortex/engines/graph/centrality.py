"""Centrality of memories: their in-degree, as a share of the greatest."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    Node = TypeVar("Node", bound=Hashable)
    Arc = tuple[Node, Node, int]


def centrality(arcs: Sequence[Arc[Node]]) -> dict[Node, float]:
    """The in-degree of each node as a part of the greatest, above 0 and at most 1; one without is left out.

    Args:
        arcs: (source, target, whether it holds both ways) of each active relation; both ways counts at both
            ends.
    """
    degrees: Counter[Node] = Counter(map(itemgetter(1), arcs))
    degrees.update(map(itemgetter(0), filter(itemgetter(2), arcs)))
    greatest = max(degrees.values(), default=0)
    return {node: degree / greatest for node, degree in degrees.items()}
