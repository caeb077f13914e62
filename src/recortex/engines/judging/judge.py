"""Probabilities that a statement is worth remembering, from its features.

A logistic regression for each question, trained by `bench/judge.py` on labelled sessions of many projects. A
feature has a weight for everybody's words and another that is added for what the person typed: the same form
says something else there. `table.json` holds the weights, how they are calibrated, and the training record.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.engines.judging.features import features, typed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from recortex.engines.judging.features import Message, Statement

    Numbers = npt.NDArray[np.float64]

TABLE = Path(__file__).with_name("table.json")
TARGETS = ("keep", "alone", "durable")
_MOST = 30.0


class Judgement(NamedTuple):
    """What is expected of a statement, each as a probability.

    Attributes:
        keep: that it is worth keeping, true, and holds beyond the task at hand.
        alone: that a reader understands it without what stands around it.
        durable: that it holds beyond the task at hand, worth keeping or not.
        active: that it is worth keeping, true, and stands alone.
        kinds: of what is worth keeping; they add up to 1.
    """

    keep: float
    alone: float
    durable: float
    active: float
    kinds: Mapping[str, float]


class Table(NamedTuple):
    """The trained weights; a column for each target, then for each kind.

    Attributes:
        names: of the features, in the order of the rows.
        named, typed: weights of the features; of those of what the person typed, in addition.
        calibration: by target the bias and the weight that turn its score into a logit.
        record: of the training.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    bias: Numbers
    named: Numbers
    typed: Numbers
    calibration: Mapping[str, Sequence[float]]
    record: Mapping[str, Any]


@cache
def table() -> Table:
    """The table of this package."""
    return read(json.loads(TABLE.read_text(encoding="utf-8")))


def read(written: Mapping[str, Any]) -> Table:
    """A table as `bench/judge.py` writes it."""
    import numpy as np

    columns = ("bias", "named", "typed")
    return Table(
        names=tuple(written["names"]),
        kinds=tuple(written["kinds"]),
        **{name: np.array(written[name], dtype=np.float64) for name in columns},
        calibration=written["calibration"],
        record=written["record"],
    )


def judged(
    statements: Sequence[tuple[Statement, Message]], *, trained: Table | None = None
) -> list[Judgement]:
    """Judge statements, each with the message that it stands in.

    Args:
        statements: any number of them, of any sessions.
        trained: another table than the package's.
    """
    if not statements:
        return []
    used = trained or table()
    person = [typed(*one) for one in statements]
    found = [features(*one) for one in statements]
    rows = [[one[name] for name in used.names] for one in found]
    return _judgements(scored(rows, person, used), used)


def scored(rows: npt.ArrayLike, person: Sequence[bool], used: Table) -> Numbers:
    """The logits by statement and column, not calibrated."""
    import numpy as np

    named = np.asarray(rows, dtype=np.float64)
    own = named * np.asarray(person, dtype=np.float64)[:, None]
    scores: Numbers = used.bias + named @ used.named + own @ used.typed
    return np.clip(scores, -_MOST, _MOST)


def with_active(scores: Numbers) -> Numbers:
    """The logits of keep, alone and durable, and of keep and alone together."""
    import numpy as np

    both = _probability(scores[:, 0]) * _probability(scores[:, 1])
    return np.column_stack([scores[:, : len(TARGETS)], np.log(both) - np.log1p(-both)])


def calibrated(scores: Numbers, calibration: Mapping[str, Sequence[float]]) -> dict[str, Numbers]:
    """The probabilities by target, of each statement."""
    columns = zip((*TARGETS, "active"), with_active(scores).T, strict=True)
    return {name: _probability(calibration[name][0] + calibration[name][1] * one) for name, one in columns}


def _probability(logits: Numbers) -> Numbers:
    import numpy as np

    found: Numbers = 1.0 / (1.0 + np.exp(-logits))
    return found


def _judgements(scores: Numbers, used: Table) -> list[Judgement]:
    chances = calibrated(scores, used.calibration)
    shares = _probability(scores[:, len(TARGETS) :])
    shares /= shares.sum(axis=1, keepdims=True)
    return [
        Judgement(
            **{name: float(values[place]) for name, values in chances.items()},
            kinds=dict(zip(used.kinds, map(float, row), strict=True)),
        )
        for place, row in enumerate(shares)
    ]
