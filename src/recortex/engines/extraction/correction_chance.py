"""The chance that a sentence of the person corrects the agent: a logistic regression over named features.

`bench/correction_fit.py` learns it from marked sessions and writes `correction_chance.json`, with the record
of its training. It is evaluated without NumPy.
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLE = Path(__file__).with_suffix(".json")
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


@cache
def table() -> Table:
    """The table of this package."""
    return Table(**json.loads(TABLE.read_text(encoding="utf-8")))


def chance(found: Mapping[str, float], *, trained: Table | None = None) -> float:
    """The probability that a sentence with these features is a correction.

    Args:
        found: the features by name (`correction_features.signs`).
        trained: another table than the package's.
    """
    used = trained or table()
    logit = used.bias + sum(weight * found.get(name, 0.0) for name, weight in used.weights.items())
    return 1.0 / (1.0 + math.exp(-min(max(logit, -_MOST), _MOST)))
