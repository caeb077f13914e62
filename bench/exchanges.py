"""How well what was said in sessions is found again: gold questions asked of imported sessions.

    python bench/exchanges.py GOLD_DIR SESSIONS_DIR [--stores DIR] [--projects A,B]
        [--ablation] [--fit]

GOLD_DIR and SESSIONS_DIR are as in `bench/gold.py`. Each project is imported into a store of its own; with
--stores they are kept and used again. A fact counts as found where the text of a place (the exchange and
those stretches of its work that were found) holds its keys; `shown` where the passage that `recall` shows
does. Facts are asked for in two wordings: `asked` as people ask, `question` by meaning alone, and sessions in
other languages also in their own. Facts that ended are left out.

--ablation drops one signal at a time; --fit fits the probability of an answer on all projects but one, and
prints what it marks as weak on that one.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gold import holds
from recortex.engines.exchanges.ranking import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.app.store_services import StoreServices
    from recortex.engines.exchanges.ranking import Weights

DEPTHS = (1, 5, 10, 20)
WORDINGS = ("asked", "question", "own_asked", "own")
NEUTRAL = 0.5


@dataclass
class Question:
    """A question of gold with what was found for it."""

    project: str
    wording: str
    text: str
    keys: list[list[str]]
    evidence: Evidence
    foreign: bool
    texts: dict[tuple[str, int], str] = field(default_factory=dict)


def store_of(project: str, sessions: Path, stores: Path) -> Path:
    """The store of a project's sessions, made where it is not there."""
    from recortex import Cortex

    folder = stores / project
    if not (folder / "done").exists():
        work = folder / "work"
        work.mkdir(parents=True, exist_ok=True)
        began = time.perf_counter()
        with Cortex.open(work, url=f"sqlite:///{folder / 'store.db'}") as cortex:
            found = cortex.import_("any", str(sessions / project))
        print(f"{project}: {found.files} sessions in {time.perf_counter() - began:.0f} s", file=sys.stderr)
        (folder / "done").touch()
    return folder


def opened(folder: Path) -> tuple[Any, StoreServices]:
    """The facade of a store, and its services."""
    from recortex import Cortex
    from recortex.domain.vocabulary import Scope

    cortex = Cortex.open(folder / "work", url=f"sqlite:///{folder / 'store.db'}")
    return cortex, cortex._app.services(Scope.PROJECT)  # noqa: SLF001


def gold_of(path: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The facts that still hold, and the questions without an answer."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    facts = [line for line in lines if line["type"] == "fact" and not line.get("ended_by")]
    return facts, [line for line in lines if line["type"] == "unanswerable"]


def questions(project: str, gold: Path, services: StoreServices) -> Iterator[Question]:
    """Each question in each wording, with its evidence."""
    facts, unanswerable = gold_of(gold / f"{project}.jsonl")
    foreign = any("own" in fact for fact in facts)
    for line in (*facts, *unanswerable):
        for wording in WORDINGS:
            if text := line.get(wording):
                vector = services.retrieval.meaning(text).vector
                evidence = services.exchange_retrieval.evidence(text, only=None, vector=vector, words=True)
                yield Question(project, wording, text, line.get("keys", []), evidence, foreign)


def text_of(services: StoreServices, question: Question, place: Any) -> str:
    """All that a place says."""
    search = services.store.exchange_search
    known = question.texts.get(place.parts)
    if known is None:
        root = search.beginning_at([(place.session, place.turn)])
        found = [*root.values(), *search.exchanges(place.parts).values()]
        known = "\n".join(f"{one.asked}\n{one.message}\n{one.outcome}" for one in found)
        question.texts[place.parts] = known
    return known


def ranks(services: StoreServices, asked: Sequence[Question], weights: Weights) -> list[int]:
    """The rank of the first place that holds the fact, from 1; 0: none of the first."""
    from recortex.engines.exchanges.ranking import ranked

    found = []
    for one in asked:
        places = islice(ranked(one.evidence, weights), DEPTHS[-1])
        hits = (
            rank for rank, place in enumerate(places, 1) if holds(text_of(services, one, place), one.keys)
        )
        found.append(next(hits, 0))
    return found


def shares(found: Sequence[int]) -> str:
    """The shares found among the first 1, 5, 10 and 20."""
    count = max(len(found), 1)
    return " / ".join(f"{100 * sum(0 < rank <= depth for rank in found) / count:5.1f}" for depth in DEPTHS)


def report(stores: dict[str, StoreServices], asked: Sequence[Question], weights: Weights, name: str) -> None:
    """What is found, by wording: of English sessions, and of others."""
    for wording in WORDINGS:
        for foreign in (False, True):
            of = [one for one in asked if one.keys and one.wording == wording and one.foreign == foreign]
            if of:
                found = [rank for one in of for rank in ranks(stores[one.project], [one], weights)]
                language = "other languages" if foreign else "English"
                print(f"{name:<24} {wording:<10} {language:<16} {len(of):4}  {shares(found)}", flush=True)


def per_project(stores: dict[str, StoreServices], asked: Sequence[Question], weights: Weights) -> None:
    """What is found in each project."""
    for project, services in stores.items():
        for wording in WORDINGS:
            of = [one for one in asked if one.keys and (one.project, one.wording) == (project, wording)]
            if of:
                print(f"  {project:<22} {wording:<10} {len(of):4}  {shares(ranks(services, of, weights))}")


def shown(stores: dict[str, Any], gold: Path, wordings: Sequence[str]) -> None:
    """What `recall` shows: facts in the passages of the first five, their tokens, and weak answers."""
    counts: dict[str, list[tuple[bool, bool, int]]] = defaultdict(list)
    empty: dict[str, list[bool]] = defaultdict(list)
    for project, cortex in stores.items():
        facts, unanswerable = gold_of(gold / f"{project}.jsonl")
        for wording in wordings:
            for line in facts:
                if text := line.get(wording):
                    hits = cortex.recall(text, among="exchanges").exchanges
                    right = [
                        one
                        for one in hits
                        if holds(f"{one.asked}\n{one.message}\n{one.outcome}", line["keys"])
                    ]
                    weak = bool(right) and all(one.weak for one in right)
                    counts[wording].append((bool(right), weak, max((one.tokens for one in hits), default=0)))
            empty[wording] += [
                all(one.weak for one in cortex.recall(line[wording], among="exchanges").exchanges)
                for line in unanswerable
                if line.get(wording)
            ]
    for wording, found in counts.items():
        right = [one for one in found if one[0]]
        print(
            f"shown, {wording}: {percent(len(right), len(found))} of {len(found)} facts in the passages, "
            f"{percent(sum(one[1] for one in right), len(right))} of these marked weak, at most "
            f"{max(one[2] for one in found)} tokens each; of {len(empty[wording])} unanswerable questions "
            f"{percent(sum(empty[wording]), len(empty[wording]))} empty or weak only"
        )


def percent(part: int, of: int) -> str:
    """A share in words."""
    return f"{100 * part / max(of, 1):.1f} %"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("gold", type=Path)
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--stores", type=Path)
    parser.add_argument("--projects", default="")
    parser.add_argument("--ablation", action="store_true")
    parser.add_argument("--fit", action="store_true")
    options = parser.parse_args()
    from recortex.engines.exchanges.ranking import WEIGHTS

    with tempfile.TemporaryDirectory() as temporary:
        os.environ.setdefault("RECORTEX_HOME", str(Path(temporary) / "home"))
        stores = options.stores or Path(temporary)
        names = (
            options.projects.split(",")
            if options.projects
            else [p.stem for p in sorted(options.gold.glob("*.jsonl"))]
        )
        both = {name: opened(store_of(name, options.sessions, stores)) for name in names}
        services = {name: one for name, (_, one) in both.items()}
        asked = [one for name in names for one in questions(name, options.gold, services[name])]
        print(f"{'':<24} {'wording':<10} {'sessions':<16} facts  in the first {DEPTHS}")
        report(services, asked, WEIGHTS, "all")
        per_project(services, asked, WEIGHTS)
        if options.ablation:
            for signal in WEIGHTS._fields:
                report(services, asked, WEIGHTS._replace(**{signal: 0.0}), f"without {signal}")
        shown({name: cortex for name, (cortex, _) in both.items()}, options.gold, WORDINGS[:2])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
