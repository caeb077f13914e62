"""The rows that ranking_signals.py writes, and how an order of candidates is measured."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from recortex.engines.retrieval.floor import Support
from recortex.engines.retrieval.weights import Common, Compared, Spoken

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAMES = (*Compared._fields, *Spoken._fields, *Common._fields)


@dataclass
class Row:
    """A question and its candidates.

    Attributes:
        group: what a fit leaves out at once: the conversation, project or store.
        signals: as deviations where candidates are compared, shape (candidates, len(NAMES)).
        measured: the compared signals as measured, shape (candidates, len(Compared)).
        gold: which candidates are right; none of a stranger's question.
        wanted: how many right ones are a whole answer; 0: nothing answers.
    """

    dataset: str
    group: str
    category: str
    text: str
    signals: Any
    measured: Any
    traits: Any
    gold: Any
    wanted: int
    support: Support | None


def read(file: Path) -> dict[str, list[Row]]:
    """The rows by data set."""
    found: dict[str, list[Row]] = pickle.loads(file.read_bytes())  # noqa: S301  our own
    return found


def measured(rows: Sequence[Row], totals: Sequence[Any]) -> Any:
    """Recall at 5 and at 10 and the reciprocal rank within 20 of each question, shape (questions, 3)."""
    found = []
    for row, total in zip(rows, totals, strict=True):
        gold = row.gold[np.argsort(-total, kind="stable")]
        first = np.flatnonzero(gold[:20])
        shares = [min(1.0, gold[:depth].sum() / row.wanted) for depth in (5, 10)]
        found.append((*shares, 1 / (first[0] + 1) if len(first) else 0.0))
    return np.array(found)
