"""Which files belong to a file: what it names of others, and what others name of it."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recortex.engines.code.references import Reference

MOST = 6
"""Neighbours of a file, and of several together (bench/neighbours.py)."""


def neighbours(found: Iterable[Reference]) -> dict[str, list[str]]:
    """The neighbours of each file, the nearest first.

    A reference counts with the root of how often it is there, shared among the files that define its name.
    Each file's references have the weight one together, and so have those to a file: what names much, or is
    named everywhere, is nobody's neighbour for that.

    Args:
        found: the references between the files of a project.
    """
    weighed = [(one, math.sqrt(one.times) / one.definers) for one in found if one.source != one.target]
    out, into = defaultdict[str, float](float), defaultdict[str, float](float)
    for one, weight in weighed:
        out[one.source] += weight
        into[one.target] += weight
    near = defaultdict[str, defaultdict[str, float]](lambda: defaultdict(float))
    for one, weight in weighed:
        near[one.source][one.target] += weight / out[one.source]
        near[one.target][one.source] += weight / into[one.target]
    return {path: nearest(shares) for path, shares in near.items()}


def nearest(shares: Mapping[str, float]) -> list[str]:
    """The paths with the largest shares, those first."""
    return sorted(shares, key=lambda path: (-shares[path], path))[:MOST]


def together(files: Sequence[str], near: Mapping[str, Sequence[str]]) -> list[str]:
    """The neighbours of some files, without these; those of several files, and near ones, first."""
    shares = defaultdict[str, float](float)
    for file in files:
        for place, path in enumerate(near.get(file, ())):
            shares[path] += 1 / (place + 1)
    return nearest({path: share for path, share in shares.items() if path not in files})
