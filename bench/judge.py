"""Trains the judge of statements (`engines/judging`), and measures it on projects left out.

    python bench/judge.py SESSIONS_DIR [--vectors FILE.npz] [--curve] [--write] [--json FILE]

Learned are the labels of `bench/labels/statements`. Every figure leaves one project out: weights come from
the others, the scores of all projects are pooled, and the mean over the projects that have ten positives or
more is given beside. Facts of gold of the other projects count as worth keeping in training, never in a
figure. `--curve` draws 500, 1,000, 2,000 and 4,000 labels for each way of judging, which takes some minutes.
`--write` trains on all projects and writes the package's table. `--vectors` keeps vectors for the next run.

Vectors add to what the features tell (`--curve`), but making one for every sentence would take a session's
import many times as long, so the table goes without.

Calibration is learned from scores of left-out projects; its figures leave the measured project out again.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from judge_data import Data, data, examples
from judge_figures import HEADING, both_figures, line
from recortex.engines.judging.judge import TABLE, TARGETS, calibrated, with_active

if TYPE_CHECKING:
    Numbers = npt.NDArray[np.float64]
    Flags = npt.NDArray[np.bool_]

PENALTY, OF_VECTOR = 333.0, 0.6
"""Of the squared weights, and how much a standardised dimension of the vector counts beside a feature."""
LEAST_SPREAD, STEPS, NEARLY = 0.03, 12, 1e-5
SIZES, SEEDS = (500, 1_000, 2_000, 4_000), 3


# -- the model


class Fit(NamedTuple):
    """Weights of raw columns: features, features of what the person typed, dimensions."""

    bias: float
    weights: Numbers
    centre: Numbers


def logistic(rows: Numbers, wanted: Flags, penalty: float) -> tuple[float, Numbers]:
    """A logistic regression with a penalty on the squared weights, by Newton's steps."""
    whole = np.hstack([np.ones((len(rows), 1)), rows])
    ridge = np.full(whole.shape[1], penalty)
    ridge[0] = 1e-9
    weights = np.zeros(whole.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(whole @ weights, -30, 30)))
        slope = whole.T @ (chance - wanted) + ridge * weights
        bend = (whole * (chance * (1 - chance))[:, None]).T @ whole + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < NEARLY:
            break
    return float(weights[0]), weights[1:]


def columns(one: Data, named: Numbers | None, vector: Numbers | None) -> tuple[Numbers, Numbers]:
    """Raw columns, and by how much each counts once it is standardised."""
    found, count = [], []
    if named is not None:
        found += [named, named * one.own[:, None], one.chosen[:, None]]
        count.append(np.ones(2 * named.shape[1] + 1))
    if vector is not None:
        found.append(vector)
        count.append(np.full(vector.shape[1], OF_VECTOR))
    return np.hstack(found), np.hstack(count)


def fitted(rows: Numbers, count: Numbers, wanted: Flags, penalty: float = PENALTY) -> Fit:
    centre, spread = rows.mean(axis=0), np.maximum(rows.std(axis=0), LEAST_SPREAD)
    bias, weights = logistic((rows - centre) / spread * count, wanted, penalty)
    return Fit(bias, weights * count / spread, centre)


def left_out(
    one: Data, rows: Numbers, count: Numbers, wanted: Flags, among: Flags, size: int = 0, seed: int = 0
) -> Numbers:
    """The logits of all examples, each by weights that its project had no part in."""
    scores, random = np.zeros(len(rows)), np.random.default_rng(seed)
    for project in sorted(set(one.project)):
        train = np.flatnonzero(among & (one.project != project))
        if size and size < len(train):
            train = random.choice(train, size, replace=False)
        fit, test = fitted(rows[train], count, wanted[train]), one.project == project
        scores[test] = fit.bias + (_as_used(one, rows[test]) - fit.centre) @ fit.weights
    return scores


def _as_used(one: Data, rows: Numbers) -> Numbers:
    """The rows without what only training knows: that a statement is one of those that were chosen."""
    place = 2 * len(one.names)
    return np.hstack([rows[:, :place], 0 * rows[:, place : place + 1], rows[:, place + 1 :]])


def ways(one: Data) -> dict[str, tuple[Numbers, Numbers]]:
    """The ways of judging that are compared, as columns."""
    wide = np.hstack([one.vector, one.around])
    return {
        "b features": columns(one, one.named, None),
        "c vector": columns(one, 0 * one.named, one.vector),
        "d features and vector": columns(one, one.named, one.vector),
        "e and context, rarity": columns(one, np.hstack([one.named, one.rarity]), wide),
    }


def curve(one: Data) -> dict[str, list[float]]:
    """By way and number of labels: the figures for what is kept, means of some draws."""
    found = {"a rules": both_figures(one, one.keep, one.rule, one.labelled)}
    print(f"\nLearning curve of keep\n{HEADING}\n{line('a rules', found['a rules'])}")
    for name, (rows, count) in ways(one).items():
        for size in SIZES:
            seeds = SEEDS if size < SIZES[-1] else 1
            several = [
                both_figures(
                    one,
                    one.keep,
                    left_out(one, rows, count, one.keep, one.labelled, size, seed),
                    one.labelled,
                )
                for seed in range(seeds)
            ]
            title = f"{name}, {size} labels"
            found[title] = [float(value) for value in np.mean(several, axis=0)]
            print(line(title, found[title]), flush=True)
    return found


def scores_of_targets(one: Data) -> Numbers:
    """The left-out logits of keep, alone and durable, as the package's table gives them."""
    rows, count = columns(one, one.named, None)
    return np.column_stack(
        [
            left_out(one, rows, count, one.keep, np.ones(len(rows), dtype=bool)),
            left_out(one, rows, count, one.alone, one.labelled),
            left_out(one, rows, count, one.durable, one.labelled),
        ]
    )


def calibration(one: Data, scores: Numbers, among: Flags) -> dict[str, list[float]]:
    """By target: the bias and the weight of its score."""
    part = among & one.labelled & ~one.chosen
    found = {}
    for name, values in zip((*TARGETS, "active"), with_active(scores).T, strict=True):
        bias, weights = logistic(values[part, None], getattr(one, name)[part], 1.0)
        found[name] = [float(f"{value:.4g}") for value in (bias, weights[0])]
    return found


def probabilities(one: Data, scores: Numbers) -> dict[str, Numbers]:
    """Calibrated, each project by a calibration that it had no part in."""
    found = {name: np.zeros(len(scores)) for name in (*TARGETS, "active")}
    for project in sorted(set(one.project)):
        test = one.project == project
        for name, values in calibrated(scores[test], calibration(one, scores, ~test)).items():
            found[name][test] = values
    return found


def report(one: Data, scores: Numbers, found: dict[str, Numbers]) -> dict[str, list[float]]:
    """Prints what the judge is worth on projects left out, by target, speaker and draw."""
    everyone = one.labelled & ~one.chosen
    own, chosen = everyone & one.own, one.chosen & one.own
    rows = {
        "keep": (one.keep, found["keep"], everyone),
        "keep, of the person": (one.keep, found["keep"], own),
        "keep, of others": (one.keep, found["keep"], everyone & ~one.own),
        "keep, drawn evenly": (one.keep, found["keep"], everyone & one.even),
        "keep, drawn by cues": (one.keep, found["keep"], everyone & ~one.even),
        "alone": (one.alone, found["alone"], everyone),
        "alone, of what is worth keeping": (one.alone, found["alone"], everyone & one.worth),
        "durable": (one.durable, found["durable"], everyone),
        "active": (one.active, found["active"], everyone),
        "active, of the person": (one.active, found["active"], own),
        "active, of others": (one.active, found["active"], everyone & ~one.own),
        "keep, chosen": (one.keep, found["keep"], chosen),
        "active, chosen": (one.active, found["active"], chosen),
        "active by keep alone": (one.active, scores[:, 0], everyone),
    }
    print(f"\nProjects left out\n{HEADING}")
    figures_of = {name: both_figures(one, *row) for name, row in rows.items()}
    for name, values in figures_of.items():
        print(line(name, values))
    return figures_of


def thresholds(one: Data, found: dict[str, Numbers]) -> dict[str, dict[str, float]]:
    """Prints what each threshold on `active` gives, for the person's statements and for others."""
    print("\nWorth, alone and true from a threshold on `active`: of statements, and of facts of gold")
    result = {}
    for title, own in (("person", one.own), ("others", ~one.own)):
        part, gold = one.labelled & own & ~one.chosen, ~one.labelled & own
        for least in (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7):
            values = _taken(one, part, part & (found["active"] >= least))
            values["gold"] = float((found["active"][gold] >= least).mean())
            ruled = _taken(one, part, part & (found["active"] >= least) & (one.rule > 0))
            values |= {f"{name} if a rule fires": ruled[name] for name in ("precision", "recall")}
            result[f"{title} {least}"] = values
            shown = ", ".join(f"{name} {value:.3f}" for name, value in values.items() if name != "count")
            print(f"{title:7} {least:4.2f}: {values['count']:5} {shown}")
    return result


def _taken(one: Data, part: Flags, taken: Flags) -> dict[str, float]:
    def share(wanted: Flags, among: Flags) -> float:
        return float(wanted[among].mean()) if among.any() else 0.0

    return {
        "count": int(taken.sum()),
        "precision": share(one.active, taken),
        "evenly": share(one.active, taken & one.even),
        "recall": float((one.active & taken).sum() / (one.active & part).sum()),
        "keep": share(one.keep, taken),
    }


def reliability(one: Data, found: dict[str, Numbers]) -> None:
    """Prints what was expected and what was so, by bins of the probability."""
    print("\nCalibration: expected → so (count)")
    for name, values in found.items():
        for title, part in (
            ("person", one.labelled & one.own & ~one.chosen),
            ("others", one.labelled & ~one.own),
        ):
            cells, error = _bins(values[part], getattr(one, name)[part])
            print(f"{name:8} {title}: {', '.join(cells)}; mean error {error:.3f}")


def _bins(values: Numbers, wanted: Flags) -> tuple[list[str], float]:
    cells, error = [], 0.0
    for low, high in pairwise((0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.01)):
        part = (values >= low) & (values < high)
        if part.any():
            expected, so = float(values[part].mean()), float(wanted[part].mean())
            error += abs(expected - so) * float(part.mean())
            cells.append(f"{expected:.2f}→{so:.2f} ({part.sum()})")
    return cells, error


def kinds_report(one: Data) -> float:
    """Prints how often the kind of what is worth keeping is right on projects left out."""
    rows, count = columns(one, one.named, None)
    names = sorted(set(one.kind) - {""})
    known = one.kind != ""
    scores = np.column_stack([left_out(one, rows, count, one.kind == name, known) for name in names])
    part = one.labelled & known
    order = np.argsort(-scores[part], axis=1)
    said, truth = np.array(names)[order], one.kind[part]
    right, second = (said[:, 0] == truth).mean(), (said[:, :2] == truth[:, None]).any(axis=1).mean()
    most = Counter(truth).most_common(1)[0][1] / part.sum()
    print(f"\nKinds: right {right:.3f}, among the first two {second:.3f}, always the commonest {most:.3f}")
    for name in names:
        taken = said[:, 0] == name
        hits = (taken & (truth == name)).sum()
        print(f"  {name:13} {hits:3} right of {taken.sum():3} said and {(truth == name).sum():3} that are")
    return float(right)


def rules_report(one: Data) -> None:
    """Prints what today's rules make active among the labelled statements."""
    for title, part in (
        ("person", one.labelled & one.own & ~one.chosen),
        ("others", one.labelled & ~one.own),
    ):
        values = _taken(one, part, part & one.ruled)
        print(
            f"rules, active of {title}: {', '.join(f'{name} {value:.3f}' for name, value in values.items())}"
        )


# -- the table


def table(one: Data, scores: Numbers, record: dict[str, Any]) -> dict[str, Any]:
    """Trained on all projects, as the package reads it."""
    rows, count = columns(one, one.named, None)
    names = sorted(set(one.kind) - {""})
    every, known = np.ones(len(rows), dtype=bool), one.kind != ""
    wanted: list[tuple[Flags, Flags]] = [
        (one.keep, every),
        (one.alone, one.labelled),
        (one.durable, one.labelled),
        *((one.kind == name, known) for name in names),
    ]
    fits = [fitted(rows[among], count, target[among]) for target, among in wanted]
    width = len(one.names)
    weights = np.column_stack([fit.weights for fit in fits])
    middle = np.array([fit.centre @ fit.weights for fit in fits])
    parts = {
        "bias": np.array([fit.bias for fit in fits]) - middle,
        "named": weights[:width],
        "typed": weights[width : 2 * width],
    }
    rounded = {name: _rounded(values) for name, values in parts.items()}
    weights_of = calibration(one, scores, every)
    return {"record": record, "names": one.names, "kinds": names, "calibration": weights_of, **rounded}


def _rounded(values: Numbers) -> Any:
    return [_rounded(one) for one in values] if values.ndim > 1 else [float(f"{one:.4g}") for one in values]


def record_of(one: Data, figures_of: dict[str, list[float]]) -> dict[str, Any]:
    """What the table was trained on, and what it was worth on projects left out."""
    projects = Counter(map(str, one.project[one.labelled]))
    return {
        "script": "bench/judge.py",
        "statements": int(one.labelled.sum()),
        "facts of gold": int((~one.labelled).sum()),
        "projects": dict(sorted(projects.items())),
        "worth keeping, true, durable": int((one.keep & one.labelled).sum()),
        "worth keeping, true, alone": int((one.active & one.labelled).sum()),
        "penalty": PENALTY,
        "left out (area, average precision, precision at recall 45 and 70 %)": {
            name: [round(value, 3) for value in values[:4]] for name, values in figures_of.items()
        },
    }


def write(path: Path, made: dict[str, Any]) -> None:
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in made.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--vectors", type=Path, help="where vectors are kept for the next run (.npz)")
    parser.add_argument("--curve", action="store_true")
    parser.add_argument("--write", action="store_true", help="write the package's table")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = examples(options.sessions)
    one = data(found, options.sessions, options.vectors)
    labelled, kept = one.labelled.sum(), (one.labelled & one.keep).sum()
    print(f"{labelled} statements, {kept} kept; {len(found) - labelled} facts of gold")
    result: dict[str, Any] = {"curve": curve(one)} if options.curve else {}
    scores = scores_of_targets(one)
    chances = probabilities(one, scores)
    result["figures"] = report(one, scores, chances)
    rules_report(one)
    result["thresholds"] = thresholds(one, chances)
    reliability(one, chances)
    result["kinds"] = kinds_report(one)
    if options.write:
        write(TABLE, table(one, scores, record_of(one, result["figures"])))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
