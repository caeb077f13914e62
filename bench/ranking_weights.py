"""Fits the weights of `engines/retrieval/weights.py` on development data, and tells what they find.

    python bench/ranking_weights.py ROWS [--form NAME …] [--without SIGNAL …] [--ablation]

ROWS is the file of ranking_signals.py. For each form of text the weights maximise the likelihood of the right
candidates under a softmax over all candidates of their question, with a penalty on their squares in units of
each signal's spread. Every figure is on conversations (projects, fifths of a set with one store) that were
left out of the fit; the weights that are printed, and shipped, are those of the fit on everything. They are
scaled so that those of compared signals add up to what a form had before, since `COMMON` and the reach of the
floor are in the same units. `bare`: without word pieces, as other models have none.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ranking_rows import NAMES, measured, read
from recortex.engines.retrieval.weights import COMMON, Compared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ranking_rows import Row

PIECES = frozenset({"words", "weakest", "passage", "length"})
FIFTHS, SEED = 5, 0


@dataclass(frozen=True)
class Fitted:
    """What a form is fitted on.

    Attributes:
        datasets: of ROWS.
        signals: that its weights may use.
        scale: the sum of the sizes of the compared signals' weights.
        common: signals of `COMMON` that are free in this fit, to see where they would go.
    """

    datasets: tuple[str, ...]
    signals: tuple[str, ...]
    scale: float
    common: tuple[str, ...] = ()


FORMS = {
    "DIALOGUE": Fitted(
        ("locomo",),
        (
            *("keyword", "nearby", "session", "before", "after", "words", "weakest", "passage"),
            *("speaker", "date", "answer", "question"),
        ),
        2.5,
    ),
    "CHAT": Fitted(("chat",), ("keyword", "semantic", "words", "weakest", "person"), 1.5),
    "CODE": Fitted(("cosqa",), ("keyword", "semantic", "words", "weakest", "length"), 1.25),
    # Of a commit no test is gold here, so what a test loses is not fitted: by these questions, all.
    "OUTLINE": Fitted(("commits",), ("keyword", "semantic", "words"), 1.25),
    "PROSE": Fitted(("notes", "small", "languages"), ("keyword", "semantic", "words", "weakest"), 2.0),
}
PENALTY = 10.0
STEPS, SMALLEST = 8, 1e-3
"""Of Newton's method, halved until the loss falls: it is convex, and no weight moves after six."""


def fit(rows: Sequence[Row], columns: list[int], offsets: Sequence[Any], penalty: float = PENALTY) -> Any:
    """The weights of some columns; `offsets` are totals that are added to what they give."""
    kept = [(row, offset) for row, offset in zip(rows, offsets, strict=True) if row.gold.any()]
    signals = np.vstack([row.signals[:, columns] for row, _ in kept]).astype(float)
    fixed = np.concatenate([offset for _, offset in kept])
    lengths = np.array([len(row.gold) for row, _ in kept])
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    which = np.repeat(np.arange(len(kept)), lengths)
    right = np.concatenate([row.gold / row.gold.sum() for row, _ in kept])
    penalties = penalty * np.diag(signals.var(axis=0) + 1e-9)

    def loss(weights: Any) -> tuple[float, Any]:
        totals = signals @ weights + fixed
        totals -= np.maximum.reduceat(totals, starts)[which]
        totals -= np.log(np.add.reduceat(np.exp(totals), starts))[which]
        return float(weights @ penalties @ weights / 2 - right @ totals), np.exp(totals)

    weights = np.zeros(len(columns))
    now, likely = loss(weights)
    for _ in range(STEPS):
        weighted = signals * likely[:, None]
        means = np.add.reduceat(weighted, starts)
        slope = signals.T @ (likely - right) + penalties @ weights
        step = np.linalg.solve(signals.T @ weighted - means.T @ means + penalties, slope)
        size = 1.0
        while loss(weights - size * step)[0] > now and size > SMALLEST:
            size /= 2
        weights -= size * step
        now, likely = loss(weights)
    return weights


def groups(rows: list[Row]) -> Any:
    """What each question is left out with: its store, or a fifth by chance where there is one store."""
    names = [f"{row.dataset}/{row.group}" for row in rows]
    if len({row.group for row in rows if row.dataset == rows[0].dataset}) > 1:
        return np.array(names)
    return np.random.default_rng(SEED).integers(0, FIFTHS, len(rows)).astype(str)


def offsets(rows: Sequence[Row], free: Sequence[str], scale: float) -> list[Any]:
    """What `COMMON` adds, in the units of a fit whose weights will be scaled by `scale`."""
    weights = np.array(
        [0.0 if name in free else getattr(COMMON, name) for name in COMMON._fields], dtype=float
    )
    return [row.signals[:, -len(weights) :] @ weights / scale for row in rows]


def examined(rows: list[Row], form: Fitted, signals: Sequence[str]) -> tuple[Any, Any]:
    """Figures with each group left out, and the weights of all, scaled."""
    columns = [NAMES.index(name) for name in (*signals, *form.common)]
    parts = groups(rows)
    scale = 1.0
    for _ in range(2):  # COMMON is fixed in scaled units, so the scale has to be known
        fixed = offsets(rows, form.common, scale)
        weights = fit(rows, columns, fixed)
        scale = (
            form.scale
            / np.abs(
                weights[[name in Compared._fields for name in signals] + [False] * len(form.common)]
            ).sum()
        )
    totals: list[Any] = [None] * len(rows)
    for part in np.unique(parts):
        seen = np.flatnonzero(parts != part)
        left = fit([rows[place] for place in seen], columns, [fixed[place] for place in seen])
        for place in np.flatnonzero(parts == part):
            totals[place] = rows[place].signals[:, columns] @ left + fixed[place]
    return measured(rows, totals), weights * scale


def told(title: str, found: Any) -> None:
    r5, r10, mrr = 100 * found.mean(axis=0)
    print(f"  {title:28} R@5 {r5:5.1f}  R@10 {r10:5.1f}  MRR {mrr:5.1f}", flush=True)


def report(name: str, every: dict[str, list[Row]], without: Sequence[str], *, ablation: bool) -> None:
    """Fit a form, with and without word pieces."""
    form = FORMS[name]
    rows = [
        row
        for dataset in form.datasets
        for row in every[dataset]
        if row.wanted and row.category != "adversarial" and len(row.gold)
    ]
    print(f"{name}: {len(rows)} questions of {', '.join(form.datasets)}")
    for title, left_out in (("with word pieces", frozenset(without)), ("bare", PIECES | set(without))):
        signals = [one for one in form.signals if one not in left_out]
        if title == "bare" and "semantic" not in signals:
            signals.append("semantic")
        found, weights = examined(rows, form, signals)
        told(f"{title}, left out", found)
        named = dict(zip((*signals, *form.common), weights, strict=True))
        print("    " + ", ".join(f"{one}={weight:.2f}" for one, weight in named.items()))
        for dataset in form.datasets if len(form.datasets) > 1 else ():
            told(f"  {dataset}", found[[row.dataset == dataset for row in rows]])
        for one in signals if ablation else ():
            told(f"  without {one}", examined(rows, form, [kept for kept in signals if kept != one])[0])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", type=Path)
    parser.add_argument("--form", action="append", choices=sorted(FORMS))
    parser.add_argument("--without", nargs="*", default=[])
    parser.add_argument("--ablation", action="store_true")
    options = parser.parse_args()
    every = read(options.rows)
    for name in options.form or FORMS:
        report(name, every, options.without, ablation=options.ablation)


if __name__ == "__main__":
    main()
