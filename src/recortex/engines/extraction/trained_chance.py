"""The chance that a logistic regression over named features gives; evaluated without NumPy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST = 30.0


class Table(NamedTuple):
    """The trained weights.

    Attributes:
        bias: of the logit.
        weights: by feature; of one that is not named it is 0.
        record: of the training.
    """

    bias: float
    weights: Mapping[str, float]
    record: Mapping[str, Any]


def chance(found: Mapping[str, float], *, trained: Table) -> float:
    """The probability that a logistic regression gives to named features."""
    logit = trained.bias + sum(weight * found.get(name, 0.0) for name, weight in trained.weights.items())
    return 1.0 / (1.0 + math.exp(-min(max(logit, -_MOST), _MOST)))
