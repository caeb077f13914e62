"""How well what was said in sessions is found again: gold questions asked of imported sessions.

    python bench/exchanges.py GOLD_DIR SESSIONS_DIR [--stores DIR] [--projects A,B] [--ablation] [--fit]

GOLD_DIR and SESSIONS_DIR are as in `bench/gold.py`. Each project is imported into a store of its own; with
--stores they are kept and used again. Facts are asked for in two wordings: `asked` as people ask, `question`
by meaning alone, and sessions in other languages also in their own. Facts that ended are left out.

- `places`: a fact is found where the text of a place (the exchange, and those stretches of its work that were
  found) holds its keys.
- `answers`: the same for the answers of `recall` in their order, memories first, each opened.
- `shown`: the keys are in what `recall` shows of its first five exchanges.

--ablation leaves out each signal and each part of an exchange; --fit fits the probability of an answer on all
projects but one and prints, for several limits, what it marks as weak on that one.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gold import holds
from recortex.engines.exchanges.service import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from recortex import Cortex
    from recortex.app.application import StoreServices
    from recortex.domain.exchange import Exchange
    from recortex.engines.exchanges.service import Place, Weights

DEPTHS = (1, 5, 10, 20)
WORDINGS = ("asked", "question", "own_asked", "own")
PARTS: dict[str, Callable[[Exchange], Exchange | None]] = {
    "what it answers": lambda one: replace(one, asked=""),
    "the message": lambda one: replace(one, message=""),
    "what came of it": lambda one: replace(one, opening="", conclusion=""),
    "stretches of work": lambda one: None if one.part else one,
}
"""What is left of an exchange without a part of it; None: nothing."""
LIMITS = (0.05, 0.08, 0.11, 0.14, 0.2, 0.3, 0.5)


class Project(NamedTuple):
    """A project's opened store, its facts and its questions without an answer."""

    name: str
    cortex: Cortex
    services: StoreServices
    facts: list[dict[str, Any]]
    unanswerable: list[dict[str, Any]]

    @property
    def language(self) -> str:
        """Whether it was spoken of in English."""
        return "other languages" if any("own" in fact for fact in self.facts) else "English"


@dataclass(frozen=True)
class Question:
    """A question with what is known of its candidates."""

    project: Project
    wording: str
    keys: list[list[str]]
    evidence: Evidence


def opened(name: str, sessions: Path, stores: Path) -> Cortex:
    """The store of a project, which is made where it is not there."""
    from recortex import Cortex

    folder = stores / name
    (work := folder / "work").mkdir(parents=True, exist_ok=True)
    cortex = Cortex.open(work, url=f"sqlite:///{folder / 'store.db'}")
    if not (folder / "done").exists():
        began = time.perf_counter()
        found = cortex.import_("any", str(sessions / name))
        print(f"{name}: {found.files} sessions in {time.perf_counter() - began:.0f} s", file=sys.stderr)
        (folder / "done").touch()
    return cortex


def project_of(name: str, gold: Path, sessions: Path, stores: Path) -> Project:
    """A project with its store and its gold."""
    from recortex.domain.vocabulary import Scope

    cortex = opened(name, sessions, stores)
    lines = [json.loads(line) for line in (gold / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    facts = [line for line in lines if line["type"] == "fact" and not line.get("ended_by")]
    unanswerable = [line for line in lines if line["type"] == "unanswerable"]
    return Project(name, cortex, cortex._app.services(Scope.PROJECT), facts, unanswerable)  # noqa: SLF001


def questions(project: Project, services: StoreServices | None = None) -> Iterator[Question]:
    """Each question in each wording, with its evidence from a store; the project's own unless said."""
    services = services or project.services
    for line in (*project.facts, *project.unanswerable):
        for wording in WORDINGS:
            if text := line.get(wording):
                vector = project.services.retrieval.meaning(text).vector
                evidence = services.exchange_retrieval.evidence(text, only=None, vector=vector, words=True)
                yield Question(project, wording, line.get("keys", []), evidence)


def text_of(services: StoreServices, exchanges: Iterable[Exchange]) -> str:
    """All that a place says: of its exchange, and of those stretches of its work that were found."""
    found = list(exchanges)
    roots = services.store.exchange_search.beginning_at([(one.session, one.root_turn) for one in found])
    return "\n".join(f"{one.asked}\n{one.message}\n{one.outcome}" for one in (*roots.values(), *found))


def place_text(question: Question, place: Place, found_in: StoreServices) -> str:
    """The text of a place, whole, also where it was found in a store that lacks a part of it."""
    ids = [one.id for one in found_in.store.exchange_search.exchanges(place.parts).values()]
    own = question.project.services
    return text_of(own, own.store.exchanges.get(ids))


def rank(question: Question, weights: Weights, found_in: StoreServices) -> int:
    """The rank of the first place that holds the fact, from 1; 0: none of the first twenty."""
    from recortex.engines.exchanges.service import ranked

    places = islice(ranked(question.evidence, weights), DEPTHS[-1])
    right = (holds(place_text(question, place, found_in), question.keys) for place in places)
    return next((number for number, held in enumerate(right, 1) if held), 0)


def shares(found: Sequence[int]) -> str:
    """The shares found among the first 1, 5, 10 and 20."""
    count = max(len(found), 1)
    return " / ".join(f"{100 * sum(0 < one <= depth for one in found) / count:5.1f}" for depth in DEPTHS)


def report(
    name: str, asked: Iterable[Question], weights: Weights, found_in: dict[str, StoreServices] | None = None
) -> None:
    """What is found by language and wording."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for one in asked:
        if one.keys:
            services = (found_in or {}).get(one.project.name, one.project.services)
            found[one.project.language, one.wording].append(rank(one, weights, services))
    for (language, wording), ranks in sorted(found.items(), key=lambda entry: WORDINGS.index(entry[0][1])):
        print(f"{name:<26} {wording:<10} {language:<16} {len(ranks):4}  {shares(ranks)}", flush=True)


def without(part: str, project: Project) -> StoreServices:
    """The services of a store in memory with a project's exchanges, each without a part."""
    from recortex.domain.exchange import ExchangeQuery
    from recortex.engines.exchanges.service import terms

    own = project.services
    store = own.store.empty_in_memory()
    left = [PARTS[part](one) for one in own.store.exchanges.find(ExchangeQuery())]
    with store.transaction():
        store.exchanges.put([(one, terms(one)) for one in left if one], own_clock(project))
    services = replace(own, store=store)
    while services.exchange_embedding.embed_batch():
        pass
    return services


def own_clock(project: Project) -> Any:
    """The time by the project's clock."""
    return project.cortex._app.clock()  # noqa: SLF001


def answers(project: Project, text: str) -> Iterator[str]:
    """The texts of a recall's answers in their order, exchanges opened whole."""
    found = project.cortex.recall(text, limit=DEPTHS[-1])
    yield from (hit.memory.text for hit in found.hits)
    for hit in found.exchanges:
        (exchange,) = project.services.store.exchanges.get([hit.id])
        yield text_of(project.services, [exchange, *stretches(project, exchange)])


def stretches(project: Project, exchange: Exchange) -> list[Exchange]:
    """The stretches of work of an exchange, as opening it shows them."""
    around = project.services.store.exchanges.around(exchange, 0, DEPTHS[-1])
    return [one for one in around if one.root_turn == exchange.first_turn]


def given(projects: Sequence[Project], wording: str) -> None:
    """What `recall` gives: the rank of the first right answer, right passages, and what is marked weak."""
    found: dict[str, list[int]] = defaultdict(list)
    shown, weak, tokens = [], [], []
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for project in projects:
        for fact in project.facts:
            held = (holds(text, fact["keys"]) for text in answers(project, fact[wording]))
            found[project.language].append(next((place for place, one in enumerate(held, 1) if one), 0))
            hits = project.cortex.recall(fact[wording], among="exchanges").exchanges[:5]
            right = [one for one in hits if holds(f"{one.asked}\n{one.message}\n{one.outcome}", fact["keys"])]
            shown.append(bool(right))
            tokens += [one.tokens for one in hits]
            for one in hits:
                bins[int(one.score * 10)].append((one.score, one in right))
            weak += [all(one.weak for one in right)] if right else []
    empty = [
        all(hit.weak for hit in project.cortex.recall(line[wording], among="exchanges").exchanges)
        for project in projects
        for line in project.unanswerable
    ]
    for language, ranks in found.items():
        print(f"{'answers of recall':<26} {wording:<10} {language:<16} {len(ranks):4}  {shares(ranks)}")
    print(
        f"{wording}: {percent(shown)} of the facts are in five passages of at most {max(tokens)} tokens;"
        f" {percent(weak)} of these are marked weak; {percent(empty)} of {len(empty)} questions without an"
        " answer get none or weak ones only"
    )
    for _, judged in sorted(bins.items()):
        expected, right_ones = (sum(one) / len(judged) for one in zip(*judged, strict=True))
        print(f"  probability {expected:.2f}, found {right_ones:.2f} of {len(judged)}")


def marked(asked: Iterable[Question]) -> None:
    """What is marked as weak: of the right places among the first five, and of what nothing answers."""
    from recortex.engines.exchanges.service import WEAK, ranked

    right: dict[tuple[str, str], list[bool]] = defaultdict(list)
    empty: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in asked:
        places = list(islice(ranked(one.evidence), 5))
        kind = (one.wording, one.project.language)
        if not one.keys:
            empty[kind].append(all(place.probability < WEAK for place in places))
        held = (place for place in places if holds(place_text(one, place, one.project.services), one.keys))
        right[kind] += [place.probability < WEAK for place in held if one.keys]
    for kind, weak in right.items():
        print(f"weak: {kind[0]:<10} {kind[1]:<16} {percent(weak)} of {len(weak)} right places,", end=" ")
        print(f"{percent(empty[kind])} of {len(empty[kind])} questions without an answer")


def percent(found: Sequence[bool]) -> str:
    """A share in words."""
    return f"{100 * sum(found) / max(len(found), 1):.1f} %"


def fit(asked: Sequence[Question]) -> None:
    """Fits the probability of an answer on all projects but one; prints what it marks as weak on that one."""
    import numpy as np

    from recortex.engines.exchanges.service import evidence_of_answer, ranked

    rows = [
        (number, one, evidence_of_answer(one.evidence, place.parts[0]), bool(one.keys) and held)
        for number, one in enumerate(asked)
        for place in islice(ranked(one.evidence), 5)
        for held in [holds(place_text(one, place, one.project.services), one.keys)]
    ]
    judged = []
    for left_out in {one.project.name for one in asked}:
        seen = [row for row in rows if row[1].project.name != left_out]
        model = logistic_regression(np.array([row[2] for row in seen]), np.array([row[3] for row in seen]))
        judged += [
            (*row, 1 / (1 + np.exp(-(model[0] + np.dot(model[1:], row[2])))))
            for row in rows
            if row[1].project.name == left_out
        ]
    model = logistic_regression(np.array([row[2] for row in rows]), np.array([row[3] for row in rows]))
    print(f"all projects: bias {model[0]:.2f}, coverage {model[1]:.2f}, likeness {model[2]:.2f}")
    for limit in LIMITS:
        right = [probability < limit for _, _, _, held, probability in judged if held]
        strong = {number for number, _, _, _, probability in judged if probability >= limit}
        empty = [number not in strong for number, one in enumerate(asked) if not one.keys]
        print(f"limit {limit:.2f}: {percent(empty)} of the unanswerable weak, {percent(right)} of the right")


def logistic_regression(features: Any, right: Any, steps: int = 60, penalty: float = 0.01) -> Any:
    """Bias and weights by Newton's method, with a small penalty on the weights."""
    import numpy as np

    rows = np.c_[np.ones(len(features)), features]
    model = np.zeros(rows.shape[1])
    for _ in range(steps):
        likely = 1 / (1 + np.exp(-rows @ model))
        slope = rows.T @ (likely - right) + penalty * np.r_[0, model[1:]]
        curve = (rows * (likely * (1 - likely))[:, None]).T @ rows + penalty * np.eye(len(model))
        model -= np.linalg.solve(curve, slope)
    return model


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("gold", type=Path)
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--stores", type=Path)
    parser.add_argument("--projects", default="")
    parser.add_argument("--ablation", action="store_true")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        os.environ.setdefault("RECORTEX_HOME", str(Path(temporary) / "home"))
        stores = options.stores or Path(temporary)
        every = [path.stem for path in sorted(options.gold.glob("*.jsonl"))]
        names = options.projects.split(",") if options.projects else every
        run([project_of(name, options.gold, options.sessions, stores) for name in names], options)
    return 0


def run(projects: Sequence[Project], options: argparse.Namespace) -> None:
    """Print what was asked for."""
    from recortex.engines.exchanges.service import WEIGHTS

    asked = [one for project in projects for one in questions(project)]
    print(f"{'':<26} {'wording':<10} {'sessions':<16} facts  % in the first {DEPTHS}")
    report("places", asked, WEIGHTS)
    for project in projects:
        report(f"  {project.name}", [one for one in asked if one.project is project], WEIGHTS)
    marked(asked)
    for wording in ("asked", "question"):
        given(projects, wording)
    if options.fit:
        for wordings in (("asked", "own_asked"), ("question", "own")):
            print(f"probability of an answer, {' and '.join(wordings)}")
            fit([one for one in asked if one.wording in wordings])
    if options.ablation:
        for signal in WEIGHTS._fields:
            report(f"without {signal}", asked, WEIGHTS._replace(**{signal: 0.0}))
        for part in PARTS:
            lacking = {project.name: without(part, project) for project in projects}
            again = [one for project in projects for one in questions(project, lacking[project.name])]
            report(f"without {part}", again, WEIGHTS, lacking)


if __name__ == "__main__":
    raise SystemExit(main())
