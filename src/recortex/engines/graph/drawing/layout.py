"""Places nodes in layers: causes above effects, with few crossings (Sugiyama, Tagawa and Toda, 1981)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.engines.graph.drawing.picture import Picture

SWEEPS = 4
"""How often the order within layers is improved, down and up."""


def layers(picture: Picture) -> list[list[str]]:
    """The ids of the nodes, layer by layer from the top, in their order from the left.

    A node stands below all that points at it. Arrows that would close a circle are passed over.
    """
    above: dict[str, list[str]] = {node.id: [] for node in picture.nodes}
    below: dict[str, list[str]] = {node.id: [] for node in picture.nodes}
    depth = dict.fromkeys(above, 0)
    for arrow in picture.arrows:
        if arrow.source != arrow.target and not _reaches(below, arrow.target, arrow.source):
            below[arrow.source].append(arrow.target)
            above[arrow.target].append(arrow.source)
    waiting = [node for node, before in above.items() if not before]
    left = {node: len(before) for node, before in above.items()}
    while waiting:
        node = waiting.pop()
        for after in below[node]:
            depth[after] = max(depth[after], depth[node] + 1)
            left[after] -= 1
            if not left[after]:
                waiting.append(after)
    found: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in above:
        found[depth[node]].append(node)
    for _ in range(SWEEPS):
        _sorted_by(found, above)
        _sorted_by(found[::-1], below)
    return found


def _reaches(below: Mapping[str, Sequence[str]], start: str, end: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        if node == end:
            return True
        waiting += [one for one in below[node] if one not in seen]
        seen.update(below[node])
    return False


def _sorted_by(found: Sequence[list[str]], neighbours: Mapping[str, Sequence[str]]) -> None:
    """Order each layer by the mean place of its neighbours in the layers before it."""
    place: dict[str, float] = {}
    for layer in found:
        for index, node in enumerate(layer):
            place.setdefault(node, index)
        middle = {
            node: _mean([place[one] for one in neighbours[node] if one in place], place[node])
            for node in layer
        }
        layer.sort(key=lambda node: middle[node])
        place.update({node: index for index, node in enumerate(layer)})


def _mean(places: Sequence[float], usual: float) -> float:
    return sum(places) / len(places) if places else usual
