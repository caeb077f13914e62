"""Logistic regressions: the one format of their tables, and how they are evaluated.

A table is a JSON file beside the module that uses it, written by what trained it: `features` names what is
weighed, `models` has for each model its bias and the weights of the features in that order, and `record`
says how it was trained. What else a table holds is its user's own.
"""

from __future__ import annotations

import json
from functools import cache
from math import exp, fsum, isfinite, sqrt
from operator import mul
from typing import TYPE_CHECKING, Any

from recortex.lean import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_MOST = 30.0
"""A logit beyond this says no more: 1e-13 is left of the probability."""


def logistic(value: float) -> float:
    """1 / (1 + e^-value), for any finite value."""
    # `exp` fails above 709, and beyond 60 a probability says no more.
    return 1.0 / (1.0 + exp(-max(-60.0, min(60.0, value))))


def standardised(values: Sequence[float], least_spread: float = 1e-9) -> list[float]:
    """Each value's distance from the mean in standard deviations; all zero where nothing differs.

    A spread below `least_spread` is taken as that, so that noise among near equals is not blown up.
    """
    if not values:
        return []
    mean = fsum(values) / len(values)
    distances = [value - mean for value in values]
    spread = max(sqrt(fsum(map(mul, distances, distances)) / len(values)), least_spread)
    return [distance / spread for distance in distances]


def clamp(value: float) -> float:
    """The value within 0 to 1; what is no number is 0."""
    return min(1.0, max(0.0, value)) if isfinite(value) else 0.0


class Regression(NamedTuple):
    """A logistic regression.

    Attributes:
        bias: of the logit.
        weights: by feature; of one that is not named it is 0.
    """

    bias: float
    weights: Mapping[str, float]

    def logit(self, features: Mapping[str, float]) -> float:
        """The log-odds by named numbers, between -30 and 30; what is not given counts as 0."""
        weights = self.weights
        found = self.bias + sum(weights.get(name, 0.0) * value for name, value in features.items() if value)
        return max(-_MOST, min(_MOST, found))

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability by named numbers."""
        return logistic(self.logit(features))


class Table(NamedTuple):
    """The models of a file.

    Attributes:
        models: by name.
        written: the whole file.
    """

    models: Mapping[str, Regression]
    written: Mapping[str, Any]


@cache
def table(path: Path) -> Table:
    """The table in a file of the package."""
    return read(json.loads(path.read_text(encoding="utf-8")))


def read(written: Mapping[str, Any]) -> Table:
    """A table as its file has it."""
    names = written["features"]
    models = {
        model: Regression(bias, dict(zip(names, weights, strict=True)))
        for model, (bias, *weights) in written["models"].items()
    }
    return Table(models, written)
