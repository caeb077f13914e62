"""Trains the gate that says which memories come with a prompt, and measures it on projects left out.

    python bench/giving.py SESSIONS_DIR STORES [--write] [--json FILE]

Learned from are the labelled pairs of `bench/labels/pairs` and, with half their weight, the prompts of
`bench/gold` with each fact of an earlier session, of which those that it `needs` help. Pairs within one
session and prompts that a program made are left out, as nothing is given there. SESSIONS_DIR is as in
`bench/gold.py`; STORES keeps the imported projects, whose exchanges tell how rare words are.

Every figure leaves one project out, of the weights and of the shares of usual words. Printed are the area
under the curve; for several least chances how many of the labelled pairs and of the needed facts are given,
and with how many right; and how many prompts of all sessions are given any of what is worth keeping of
earlier sessions, in the first and the second half of each project. `--write` trains on all projects and
writes the package's table.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from judge_figures import area
from pairs import Said, kept, prompts
from recortex import Cortex
from recortex.domain.exchange import ExchangeQuery
from recortex.domain.vocabulary import Scope
from recortex.engines.sessions.relevance_gate import (
    TABLE,
    Features,
    asked,
    features,
    topic,
    weighed,
    words_of,
)
from session_text import Message, messages

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Numbers = npt.NDArray[np.float64]

HERE = Path(__file__).parent
PENALTY, OF_GOLD, LEAST_SPREAD, STEPS = 10.0, 0.5, 0.03, 20
LEAST_SHARE = 0.005
"""Of exchanges, as a mean over projects, for a usual word."""
FEWEST, DRAWN = 60, 150
"""Exchanges of a project that tells which words are usual; prompts that are drawn of a project."""
CHANCES = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6)
WAYS = {"words": False, "words, meaning": True}


class Pair(NamedTuple):
    """A prompt and what was said before; `helps` is 1, 0, or -1 where it misleads."""

    project: str
    prompt: str
    text: str
    helps: int
    gold: bool


class Project(NamedTuple):
    """A project's opened store, what is worth keeping of it, and prompts of it."""

    cortex: Cortex
    kept: list[tuple[Said, str]]
    prompts: list[Said]


# -- what there is


@cache
def said(path: Path) -> dict[int, Message]:
    return {one.ref: one for one in messages(path)}


def rows_of(path: Path) -> list[dict[str, Any]]:
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )


def pairs(folder: Path) -> Iterator[Pair]:
    """The labelled pairs of a project, then those of its gold."""

    def prompt(row: dict[str, Any]) -> str:
        return said(folder / row["session"])[row["ref"]].text

    for row in rows_of(HERE / "labels" / "pairs" / f"{folder.name}.jsonl"):
        place = row["memory"]
        if place["session"] == row["session"] or not words_of(prompt(row)):
            continue
        start, end = place["span"]
        text = said(folder / place["session"])[place["ref"]].text[start:end]
        yield Pair(folder.name, prompt(row), text, {"h": 1, "n": 0, "m": -1}[row["label"]], gold=False)
    gold = rows_of(HERE / "gold" / f"{folder.name}.jsonl")
    for row in gold:
        if row["type"] == "prompt" and row.get("needs"):
            for fact in gold:
                if fact["type"] == "fact" and fact["session"] < row["session"]:
                    yield Pair(
                        folder.name, prompt(row), fact["fact"], int(fact["id"] in row["needs"]), gold=True
                    )


def project_of(folder: Path, stores: Path) -> Project:
    """A project with its store, which is made where it is not there."""
    place = stores / folder.name
    (work := place / "work").mkdir(parents=True, exist_ok=True)
    cortex = Cortex.open(work, url=f"sqlite:///{place / 'store.db'}")
    if not (place / "done").exists():
        cortex.import_("any", str(folder), embed=False)
        (place / "done").touch()
    facts = {
        (row["session"], row["ref"], tuple(row["span"])): row["fact"]
        for row in rows_of(HERE / "gold" / f"{folder.name}.jsonl")
        if row["type"] == "fact"
    }
    found = [(one, facts.get((one.session, one.ref, one.span), one.text)) for one in kept(folder)]
    drawn = prompts(folder)
    Random(folder.name).shuffle(drawn)
    return Project(cortex, found, drawn[:DRAWN])


def held(project: Project) -> tuple[int, Counter[str]]:
    """How many exchanges there are, and how many of them hold each stem."""
    services = project.cortex._app.services(Scope.PROJECT)  # noqa: SLF001
    found = services.store.exchanges.find(ExchangeQuery())
    return len(found), Counter(
        one for said in found for one in topic(f"{said.asked}\n{said.message}\n{said.outcome}")
    )


def usual(counts: Mapping[str, tuple[int, Counter[str]]], without: str = "") -> dict[str, float]:
    """The stems that stand in many exchanges, as a mean over projects, with their shares."""
    many = [found for name, found in counts.items() if found[0] >= FEWEST and name != without]
    shares: dict[str, float] = defaultdict(float)
    for size, held_by in many:
        for one, count in held_by.items():
            shares[one] += count / size / len(many)
    return {one: share for one, share in shares.items() if share >= LEAST_SHARE}


class Looking:
    """Features of prompts and texts, by the shares of usual words in other projects."""

    def __init__(self, projects: Mapping[str, Project], vectors: Mapping[str, Numbers]) -> None:
        self.projects, self.vectors = projects, vectors
        counts = {name: held(one) for name, one in projects.items()}
        self.usual = {name: usual(counts, name) for name in projects}
        self.shipped = usual(counts)

    @cache  # noqa: B019  there is one
    def asked(self, project: str, prompt: str, *, shipped: bool) -> Any:
        store = self.projects[project].cortex._app.services(Scope.PROJECT).store  # noqa: SLF001
        found = words_of(prompt)
        numbers = zip(store.search.frequencies(found), store.exchange_search.frequencies(found), strict=True)
        size = store.search.searchable() + store.exchange_search.size()
        counts = dict(zip(found, map(sum, numbers), strict=True))
        return asked(counts, size, self.shipped if shipped else self.usual[project])

    def features(self, project: str, prompt: str, text: str, *, shipped: bool = False) -> Features:
        meaning = float(self.vectors[prompt] @ self.vectors[text])
        return features(self.asked(project, prompt, shipped=shipped), text, meaning)


def embedded(cortex: Cortex, texts: Sequence[str]) -> dict[str, Numbers]:
    embedder: Any = cortex._app.embedder  # noqa: SLF001
    found: dict[str, Numbers] = {}
    for start in range(0, len(texts), 64):
        part = texts[start : start + 64]
        made = embedder.embed_named([text[:2_000] for text in part])[1]
        found |= zip(part, map(np.array, made), strict=True)
    return found


# -- the model


def fitted(rows: Numbers, wanted: Numbers, counts: Numbers) -> list[float]:
    """The bias and the weights of raw columns: a logistic regression with a penalty on the squared weights.

    A column whose weight would fall below 0 gets none: more of any feature never speaks against.
    """
    left = list(range(rows.shape[1]))
    while True:
        part = rows[:, left]
        centre, spread = part.mean(axis=0), np.maximum(part.std(axis=0), LEAST_SPREAD)
        bias, weights = _newton((part - centre) / spread, wanted, counts)
        if not left or weights.min() >= 0:
            break
        del left[int(weights.argmin())]
    found = np.zeros(rows.shape[1])
    found[left] = weights / spread
    return [bias - float(centre @ (weights / spread)), *map(float, found)]


def _newton(rows: Numbers, wanted: Numbers, counts: Numbers) -> tuple[float, Numbers]:
    whole = np.hstack([np.ones((len(rows), 1)), rows])
    ridge = np.full(whole.shape[1], PENALTY)
    ridge[0] = 1e-9
    weights = np.zeros(whole.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(whole @ weights, -30, 30)))
        slope = whole.T @ ((chance - wanted) * counts) + ridge * weights
        bend = (whole * (counts * chance * (1 - chance))[:, None]).T @ whole + np.diag(ridge)
        weights -= np.linalg.solve(bend, slope)
    return float(weights[0]), weights[1:]


def columns(found: Sequence[Features], *, meaning: bool) -> Numbers:
    return np.array([one if meaning else one[:2] for one in found], dtype=float)


def trained(
    found: Sequence[Features], pairs_: Sequence[Pair], *, meaning: bool, without: str = ""
) -> list[float]:
    among = np.array([one.project != without for one in pairs_])
    counts = np.array([OF_GOLD if one.gold else 1.0 for one in pairs_])
    wanted = np.array([float(one.helps > 0) for one in pairs_])
    return fitted(columns(found, meaning=meaning)[among], wanted[among], counts[among])


def chance(found: Features, weights: Sequence[float], *, meaning: bool) -> float:
    return weighed(found if meaning else found._replace(meaning=None), weights)


# -- figures


def report(look: Looking, pairs_: list[Pair], *, meaning: bool) -> dict[str, Any]:
    """Prints what the gate is worth on projects left out."""
    found = [look.features(one.project, one.prompt, one.text) for one in pairs_]
    names = sorted({one.project for one in pairs_})
    models = {name: trained(found, pairs_, meaning=meaning, without=name) for name in names}
    chances = np.array(
        [chance(one, models[pair.project], meaning=meaning) for one, pair in zip(found, pairs_, strict=True)]
    )
    helps, gold = np.array([one.helps for one in pairs_]), np.array([one.gold for one in pairs_])
    areas = [area(helps[part] > 0, chances[part]) for part in (~gold, gold)]
    print(f"area under the curve: pairs {areas[0]:.3f}, gold {areas[1]:.3f}")
    best = best_chances(look, models, meaning=meaning)
    rows = {}
    for least in CHANCES:
        given = chances >= least
        rows[str(least)] = {
            "given": int((given & ~gold).sum()),
            "help": int((given & ~gold & (helps > 0)).sum()),
            "mislead": int((given & (helps < 0)).sum()),
            "needed given": int((given & gold & (helps > 0)).sum()),
            "gold given": int((given & gold).sum()),
            **{name: round(float((values >= least).mean()), 3) for name, values in best.items()},
        }
        print(f"{least:4.2f}: {', '.join(f'{name} {value}' for name, value in rows[str(least)].items())}")
    return {"area, pairs": round(areas[0], 3), "area, gold": round(areas[1], 3), "by least chance": rows}


def best_chances(look: Looking, models: Mapping[str, list[float]], *, meaning: bool) -> dict[str, Numbers]:
    """The highest chance of anything that earlier sessions left, by prompt: all, and by halves."""
    found: dict[str, list[float]] = defaultdict(list)
    for name, weights in models.items():
        project = look.projects[name]
        ordered = sorted(project.prompts, key=lambda one: one.at)
        for number, prompt in enumerate(ordered):
            earlier = [text for one, text in project.kept if one.session < prompt.session]
            values = [
                chance(look.features(name, prompt.text, text), weights, meaning=meaning) for text in earlier
            ]
            half = "prompts, first half" if number < len(ordered) / 2 else "prompts, second half"
            for key in ("prompts", half):
                found[key].append(max(values, default=0.0))
    return {name: np.array(values) for name, values in sorted(found.items())}


# -- the table


def table(look: Looking, pairs_: list[Pair], record: dict[str, Any]) -> dict[str, Any]:
    """Trained on all projects, as the package reads it."""
    found = [look.features(one.project, one.prompt, one.text, shipped=True) for one in pairs_]
    weights = {
        name: [float(f"{value:.4g}") for value in trained(found, pairs_, meaning=meaning)]
        for name, meaning in WAYS.items()
    }
    by_share: dict[int, list[str]] = defaultdict(list)
    for one, share in sorted(look.shipped.items()):
        by_share[math.floor(1_000 * share + 0.5)].append(one)
    listed = [f"{share} {' '.join(by_share[share])}" for share in sorted(by_share, reverse=True)]
    return {"record": record, **weights, "usual": listed}


def record_of(pairs_: Sequence[Pair], figures: dict[str, Any]) -> dict[str, Any]:
    return {
        "script": "bench/giving.py",
        "labelled pairs": dict(sorted(Counter(one.project for one in pairs_ if not one.gold).items())),
        "that help": sum(one.helps > 0 for one in pairs_ if not one.gold),
        "needed facts of gold": sum(one.helps for one in pairs_ if one.gold),
        "penalty": PENALTY,
        "area under the curve on projects left out, pairs and gold": {
            name: [one["area, pairs"], one["area, gold"]] for name, one in figures.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("sessions", type=Path)
    parser.add_argument("stores", type=Path)
    parser.add_argument("--write", action="store_true", help="write the package's table")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    names = sorted({path.stem for part in ("labels/pairs", "gold") for path in (HERE / part).glob("*.jsonl")})
    pairs_ = [one for name in names for one in pairs(options.sessions / name)]
    projects = {name: project_of(options.sessions / name, options.stores) for name in names}
    texts = {text for one in pairs_ for text in (one.prompt, one.text)}
    for one in projects.values():
        texts |= {text for _, text in one.kept} | {prompt.text for prompt in one.prompts}
    look = Looking(projects, embedded(next(iter(projects.values())).cortex, sorted(texts)))
    figures = {}
    for name, meaning in WAYS.items():
        print(f"\n{name}", file=sys.stdout)
        figures[name] = report(look, pairs_, meaning=meaning)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    if options.write:
        made = table(look, pairs_, record_of(pairs_, figures))
        parts = ",\n".join(
            f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in made.items()
        )
        TABLE.write_text("{\n" + parts + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
