"""Trains what a correction is (`extraction/correction_chance.py`), and measures it on projects left out.

    python bench/correction_fit.py SESSIONS_DIR [--without-rules] [--learned] [--write]

Learned are sentences of the person, by the numbers of `correction_features.py`. A sentence is a correction
where it overlaps a mark, or where a reader judged what is learned from it to be one (verdicts `c` and `cs`,
and marks of a second reader, of what an earlier fit expected and nobody had marked;
bench/labels/GUIDELINES.md). All other sentences of the same sessions are none. Each project is left out of
the weights that judge it; the forms of the rules, which are among the numbers, were written after reading
these projects.

Printed are the share of corrections at limits of the chance, by message, and what `bench/corrections.py`
gives with those weights; then the same shares of the new projects, by weights of all others.
`--without-rules` leaves out the numbers that rules give, to see what is learned without them. `--learned`
prints what is learned, for the reader. `--write` trains on all projects and writes the package's table.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from corrections import (
    NEW,
    OPEN,
    SHUT,
    Finding,
    Message,
    figures,
    judged,
    key,
    labelled,
    lines_of,
    marked,
    of_message,
    read,
    report,
    show,
)
from judge import logistic
from recortex.engines.extraction import correction_rules
from recortex.engines.extraction.correction_chance import TABLE, Table, chance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recortex.engines.extraction.correction_features import Answered
    from recortex.engines.extraction.correction_rules import Sentence
    from recortex.engines.extraction.drafting import RuleFinding

    Numbers = npt.NDArray[np.float64]

PENALTY, LEAST_SPREAD = 200.0, 0.03
OF_RULES = ("rule_", "heard", "said_", "sign_")
"""How the names of numbers begin that rules give."""
LIMITS = (0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)


class Read(NamedTuple):
    """A message with its sentences, and which of them are corrections."""

    project: str
    message: Message
    answered: Answered
    told: list[Sentence]
    wanted: list[bool]


Judged: TypeAlias = tuple[Read, list[float]]
"""A message with the chance of each of its sentences."""


def messages(project: str, folder: Path) -> list[Read]:
    """The messages of a project that may correct something."""
    marks, verdicts = labelled(project)
    marks = marks + second(project)
    found = []
    for message in read(folder):
        if answered := correction_rules.read(message.turn, message.act):
            told = correction_rules.sentences(answered)
            own = of_message(marks, message)
            wanted = [
                marked(own, message, part) is not None
                or _verdict(message, place, told[place], answered, verdicts).startswith("c")
                for place, part in enumerate(answered.parts)
            ]
            found.append(Read(project, message, answered, told, wanted))
    return found


def second(project: str) -> list[dict[str, Any]]:
    """The marks of the second reader."""
    return [one for one in lines_of(project) if one.get("reader") == "second"]


def _verdict(
    message: Message,
    place: int,
    told: Sentence,
    answered: Answered,
    verdicts: dict[tuple[str, int, str], str],
) -> str:
    found = correction_rules.finding(place, told, 1.0, answered)
    return verdicts.get((message.session, message.ref, key(found.text)), "") if found else ""


def fitted(
    read_from: Iterable[Read], *, without: tuple[str, ...] = (), record: dict[str, Any] | None = None
) -> Table:
    """The weights of these messages, for raw features; without those whose names begin so."""
    told = [(one, wanted) for each in read_from for one, wanted in zip(each.told, each.wanted, strict=True)]
    names = [name for name in sorted(told[0][0].signs) if not name.startswith(without)]
    rows = np.array([[one.signs[name] for name in names] for one, _ in told])
    wanted = np.array([wanted for _, wanted in told])
    centre, spread = rows.mean(0), np.maximum(rows.std(0), LEAST_SPREAD)
    bias, weights = logistic((rows - centre) / spread, wanted, PENALTY)
    weights = weights / spread
    raw = {
        name: float(f"{value:.4g}") for name, value in zip(names, weights, strict=True) if abs(value) > 5e-4
    }
    return Table(float(f"{bias - centre @ weights:.5g}"), raw, record or {})


def chances(each: Read, used: Table) -> list[float]:
    return [chance(one.signs, trained=used) for one in each.told]


def curve(found: Sequence[Judged]) -> dict[str, list[float]]:
    """By limit: messages that are taken, the share of them that correct, and of all that do."""
    best = np.array([max(values, default=0.0) for _, values in found])
    wanted = np.array([any(each.wanted) for each, _ in found])
    ranked = wanted[np.argsort(-best, kind="stable")]
    precision = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
    print(
        f"  {len(found)} messages, {wanted.sum()} correct; average precision {precision[ranked].mean():.3f}"
    )
    rows = {}
    for limit in LIMITS:
        taken = best >= limit
        right = float(wanted[taken].mean()) if taken.any() else 0.0
        share = float(wanted[taken].sum() / wanted.sum())
        rows[str(limit)] = [int(taken.sum()), round(right, 3), round(share, 3)]
        print(f"  {limit:4.2f}: {taken.sum():4} taken, {right:.2f} right, {share:.2f} of all")
    return rows


def left_out(project: str, projects: dict[str, list[Read]], without: tuple[str, ...]) -> list[Judged]:
    """The messages of a project, with chances by the weights of all others."""
    others = (each for other, own in projects.items() if other != project for each in own)
    used = fitted(others, without=without)
    return [(each, chances(each, used)) for each in projects[project]]


def taught(project: str, scored: list[Judged]) -> tuple[list[dict[str, Any]], list[Finding]]:
    """The marks of a project, and what is learned by these chances."""
    of = {id(each.message): (each, values) for each, values in scored}

    def teach(message: Message) -> Iterable[RuleFinding]:
        each, values = of[id(message)]
        return correction_rules.found(each.answered, each.told, values)

    return judged(project, [each.message for each, _ in scored], teach)


def record_of(projects: dict[str, list[Read]], rows: dict[str, list[float]]) -> dict[str, Any]:
    """What the table was trained on, and what it was worth on projects left out."""
    told = [each for own in projects.values() for each in own]
    return {
        "script": "bench/correction_fit.py",
        "messages": len(told),
        "sentences": sum(len(each.told) for each in told),
        "corrections": sum(sum(each.wanted) for each in told),
        "projects": {name: len(own) for name, own in projects.items()},
        "penalty": PENALTY,
        "left out (by limit: messages taken, right, share of all)": rows,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--without-rules", action="store_true", help="without what the rules say")
    parser.add_argument("--learned", action="store_true", help="print what is learned, for the reader")
    parser.add_argument("--write", action="store_true", help="write the package's table")
    options = parser.parse_args()
    projects = {one: messages(one, options.sessions / one) for one in (*OPEN, *SHUT)}
    without = OF_RULES if options.without_rules else ()
    counts: Counter[str] = Counter()
    every: list[Judged] = []
    for project in projects:
        scored = left_out(project, projects, without)
        every += scored
        marks, found = taught(project, scored)
        counts += figures(marks, found)
        for one in found if options.learned else ():
            show(one)
    print("\nProjects left out: messages by their most likely sentence")
    rows = curve(every)
    report(counts)
    told = [each for own in projects.values() for each in own]
    made = fitted(told, without=without, record=record_of(projects, rows))
    print("\nNew projects")
    new = (each for one in NEW for each in messages(one, options.sessions / one))
    curve([(each, chances(each, made)) for each in new])
    if options.write:
        TABLE.write_text(json.dumps(made._asdict(), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
