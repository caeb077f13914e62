"""How well scores rank what is wanted, for `judge.py`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from judge_data import Data

    Numbers = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

ENOUGH = 10
"""Positives of a project whose figures count in the mean."""


def area(wanted: Flags, scores: Numbers) -> float:
    """Under the ROC curve; of equal scores the mean."""
    _, place, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[place]
    positive = int(wanted.sum())
    above = float(ranks[wanted].sum()) - positive * (positive + 1) / 2
    return above / max(positive * (len(wanted) - positive), 1)


def precisions(wanted: Flags, scores: Numbers) -> Numbers:
    """The precision down to each place, best first."""
    order = np.argsort(-scores, kind="stable")
    return np.asarray(np.cumsum(wanted[order]) / np.arange(1, len(order) + 1))


def average_precision(wanted: Flags, scores: Numbers) -> float:
    hits = wanted[np.argsort(-scores, kind="stable")]
    return float(precisions(wanted, scores)[hits].mean()) if hits.any() else 0.0


def precision_at(wanted: Flags, scores: Numbers, recall: float) -> float:
    hits = np.cumsum(wanted[np.argsort(-scores, kind="stable")])
    place = int(np.searchsorted(hits, math.ceil(recall * int(wanted.sum()))))
    return float(hits[place] / (place + 1))


def figures(wanted: Flags, scores: Numbers) -> list[float]:
    return [
        area(wanted, scores),
        average_precision(wanted, scores),
        precision_at(wanted, scores, 0.45),
        precision_at(wanted, scores, 0.70),
    ]


def both_figures(one: Data, wanted: Flags, scores: Numbers, among: Flags) -> list[float]:
    """Pooled, then the mean over the projects with enough positives."""
    groups = [among & (one.project == project) for project in sorted(set(one.project))]
    some = [figures(wanted[group], scores[group]) for group in groups if wanted[group].sum() >= ENOUGH]
    return figures(wanted[among], scores[among]) + list(np.mean(some, axis=0) if some else np.zeros(4))


def line(title: str, values: Sequence[float]) -> str:
    pooled, mean = (" ".join(f"{value:6.3f}" for value in part) for part in (values[:4], values[4:]))
    return f"{title:44} {pooled}  | {mean}"


HEADING = f"{'':44} {'area':>6} {'ap':>6} {'p@45':>6} {'p@70':>6}  | the same, mean of projects"
