"""Exact HDBSCAN over a matrix of distances, and the distances of memories.

Campello, Moulavi, Sander, «Density-Based Clustering Based on Hierarchical Density Estimates», 2013, with
the excess of mass as the choice of clusters. Scikit-learn's, which the tests compare it with, takes four
seconds to be imported and five times as long for 5,000 points.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from recortex.domain.memory import Memory

# Every pair is held in a matrix, so memory grows with the square of the points.
MOST_POINTS = 4_000
"""Points of one run: their distances take 64 MB."""
SMALLEST_CLUSTER = 2
NOISE = -1
_LEAST_DISTANCE = 1e-9
"""Equal points count as so far apart: their density is finite."""


# -- how like two memories are


class Shares(NamedTuple):
    """What each signal counts of the likeness of two memories, 1 in all."""

    vector: float = 0.5
    files: float = 0.2
    patterns: float = 0.15
    functions: float = 0.1
    tags: float = 0.05


SHARES = Shares()


def unit_rows(memories: Sequence[Memory], codes: Mapping[str, bytes]) -> NDArray[Any]:
    """The vectors of some memories, of unit length: n rows of 32 bits.

    Args:
        memories: at most `MOST_POINTS`.
        codes: their int8 vectors by id; what has none gets zeros.
    """
    size = max(map(len, codes.values()), default=1)
    raw = (codes.get(one.id, b"") for one in memories)
    padded = b"".join(code if len(code) == size else bytes(size) for code in raw)
    rows = np.frombuffer(padded, dtype=np.int8).astype(np.float32).reshape(len(memories), size)
    found: NDArray[Any] = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), _LEAST_DISTANCE)
    return found


def distances(memories: Sequence[Memory], rows: NDArray[Any]) -> NDArray[Any]:
    """One minus the likeness of each pair of memories: n by n numbers of 32 bits, 0 to 1.

    Args:
        memories: at most `MOST_POINTS`.
        rows: their vectors, as `unit_rows` gives them.
    """
    like: NDArray[Any] = rows @ rows.T
    # A negative cosine means no more than 0 does: below 0, it would take away from what the labels add.
    np.clip(like, 0.0, 1.0, out=like)
    like *= SHARES.vector
    labels = (
        (SHARES.files, [{link.path for link in one.files} for one in memories]),
        (SHARES.patterns, [set(one.patterns) for one in memories]),
        (SHARES.functions, [{(link.file, link.name) for link in one.functions} for one in memories]),
        (SHARES.tags, [set(one.tags) for one in memories]),
    )
    for share, sets in labels:
        _add_overlap(like, share, sets)
    np.subtract(1.0, like, out=like)
    # Rounding leaves a tiny distance of a point to itself, which the density would make a huge number of.
    np.fill_diagonal(like, 0.0)
    return like


def _add_overlap(like: NDArray[Any], share: float, sets: Sequence[set[Any]]) -> None:
    """Add the Jaccard overlap of each pair of sets; two empty ones have none."""
    holders = defaultdict[Any, list[int]](list)
    for place, labels in enumerate(sets):
        for label in labels:
            holders[label].append(place)
    common = [places for places in holders.values() if len(places) > 1]
    if not common:
        # By label and not by pair: most pairs share nothing, and what few memories share is quickly added
        # up.
        return
    shared = np.zeros_like(like)
    for places in common:
        shared[np.ix_(places, places)] += 1.0
    sizes = np.array([len(one) for one in sets], dtype=np.float32)
    union = sizes[:, None] + sizes[None, :]
    union -= shared
    # A memory without files shares none with another one without: 0 by 0 counts as 0.
    like += share * shared / np.maximum(union, 1.0)


# -- HDBSCAN


class _Merge(NamedTuple):
    """A node of the dendrogram: two nodes joined at a distance, with the points below both."""

    left: int
    right: int
    distance: float
    points: int


class _Branch(NamedTuple):
    """What left a cluster at a density: a point, or a cluster with so many points."""

    parent: int
    child: int
    density: float
    points: int


def hdbscan(matrix: NDArray[Any], smallest: int = SMALLEST_CLUSTER) -> list[int]:
    """The cluster of each point, counted from 0 in the order of their first points; `NOISE` where none.

    Args:
        matrix: distances, n by n, symmetric.
        smallest: points of a cluster, and neighbours that make a point dense, itself among them.
    """
    if len(matrix) < max(smallest, 2):
        return [NOISE] * len(matrix)
    merges = _dendrogram(len(matrix), _spanning_tree(matrix, smallest))
    branches = _condensed(len(matrix), merges, smallest)
    return _labels(len(matrix), branches, _chosen(len(matrix), branches))


def _spanning_tree(matrix: NDArray[Any], neighbours: int) -> list[tuple[float, int, int]]:
    """The minimum spanning tree of mutual reachability, by Prim's algorithm: sorted edges."""
    # A point is the first of its own neighbours, at distance 0, as in scikit-learn's HDBSCAN.
    place = min(neighbours, len(matrix)) - 1
    # Only the one neighbour at this place is needed, which `partition` finds without sorting the row.
    core = np.array([np.partition(row, place)[place] for row in matrix])
    best = np.full(len(matrix), np.inf, dtype=matrix.dtype)
    source = np.zeros(len(matrix), dtype=np.intp)
    inside = np.zeros(len(matrix), dtype=bool)
    edges, current = list[tuple[float, int, int]](), 0
    for _ in range(len(matrix) - 1):
        inside[current] = True
        # Mutual reachability (Campello et al., 2013): a pair is as far apart as the sparser of the two is
        # from its neighbours, so that single points between two clusters do not chain them together.
        reach = np.maximum(np.maximum(matrix[current], core), core[current])
        nearer = (reach < best) & ~inside
        best[nearer], source[nearer] = reach[nearer], current
        # A point that is in the tree must not be chosen again.
        best[current] = np.inf
        current = int(np.argmin(np.where(inside, np.inf, best)))
        edges.append((float(best[current]), int(source[current]), current))
    return sorted(edges, key=lambda edge: edge[0])


def _dendrogram(size: int, edges: Iterable[tuple[float, int, int]]) -> list[_Merge]:
    """The nodes in the order in which they are joined; node `size + i` is the i-th."""
    over = list(range(2 * size - 1))
    merges: list[_Merge] = []

    def root(node: int) -> int:
        while over[node] != node:
            # Path halving: without it, chains of near-copies make each search as long as the chain.
            over[node] = node = over[over[node]]
        return node

    for distance, one, other in edges:
        left, right = root(one), root(other)
        points = sum(1 if node < size else merges[node - size].points for node in (left, right))
        over[left] = over[right] = size + len(merges)
        merges.append(_Merge(left, right, distance, points))
    return merges


def _condensed(size: int, merges: Sequence[_Merge], smallest: int) -> list[_Branch]:
    """The tree without splits that leave fewer points than a cluster has; the root is cluster `size`."""
    branches: list[_Branch] = []
    named, waiting = size, [(2 * size - 2, size)]
    while waiting:
        node, cluster = waiting.pop()
        density = 1.0 / max(merges[node - size].distance, _LEAST_DISTANCE)
        # A binary tree gives equal distances an order by chance, and clusters would depend on it.
        sides = _joined_at_once(node, size, merges)
        large = [side for side, points in sides if points >= smallest]
        for side, points in sides:
            if points < smallest:
                branches += [_Branch(cluster, one, density, 1) for one in _points(side, size, merges)]
            # The other side is too small to be a cluster: this is the same cluster, which lost some points,
            # and no split.
            elif len(large) == 1:
                waiting.append((side, cluster))
            # Only a split in two or more real clusters gives birth to new ones.
            else:
                named += 1
                branches.append(_Branch(cluster, named, density, points))
                waiting.append((side, named))
    return branches


def _joined_at_once(node: int, size: int, merges: Sequence[_Merge]) -> list[tuple[int, int]]:
    """The nodes that were joined at the distance of a node, with their points: equal ones have no order."""
    distance, found, waiting = merges[node - size].distance, list[tuple[int, int]](), [node]
    while waiting:
        one = waiting.pop()
        if one >= size and merges[one - size].distance == distance:
            waiting += merges[one - size][:2]
        else:
            found.append((one, 1 if one < size else merges[one - size].points))
    return found


def _points(node: int, size: int, merges: Sequence[_Merge]) -> list[int]:
    found, waiting = list[int](), [node]
    while waiting:
        one = waiting.pop()
        if one < size:
            found.append(one)
        else:
            waiting += merges[one - size][:2]
    return found


def _chosen(size: int, branches: Sequence[_Branch]) -> set[int]:
    """The clusters with the greatest excess of mass, none inside another; never the root."""
    # The root is born at density 0: it holds all points, whatever their distance.
    born = {one.child: one.density for one in branches if one.child >= size} | {size: 0.0}
    mass = dict.fromkeys(born, 0.0)
    inside = defaultdict[int, list[int]](list)
    for one in branches:
        mass[one.parent] += (one.density - born[one.parent]) * one.points
        if one.child >= size:
            inside[one.parent].append(one.child)
    chosen: dict[int, list[int]] = {}
    for cluster in sorted(mass, reverse=True):  # children have higher numbers
        within = sum(mass[child] for child in inside[cluster])
        # The root is never chosen: "everything is alike" is no finding about a store.
        if cluster == size or within > mass[cluster]:
            mass[cluster] = within
            chosen[cluster] = [one for child in inside[cluster] for one in chosen[child]]
        else:
            chosen[cluster] = [cluster]
    return set(chosen[size])


def _labels(size: int, branches: Iterable[_Branch], chosen: set[int]) -> list[int]:
    above = {one.child: one.parent for one in branches}
    clusters: list[int] = []
    for point in range(size):
        node = above[point]
        while node not in chosen and node in above:
            node = above[node]
        clusters.append(node if node in chosen else NOISE)
    # Numbered by their first points, so that the same memories always give the same numbers.
    order = {cluster: number for number, cluster in enumerate(dict.fromkeys(c for c in clusters if c >= 0))}
    return [order.get(cluster, NOISE) for cluster in clusters]
