"""Do questions of a later session find the turns that answer them? Through `recall`, as the product answers.

    python bench/session_questions.py SESSIONS_DIR [--half open|shut] [--projects A,B] [--stores DIR]
        [--meaning] [--misses] [--check] [--json FILE]

SESSIONS_DIR has a folder of sessions for each project. Each project is imported into a store of its own;
with --stores these are kept and used again, each run on a copy. Questions are in `session_questions/`; the
shut half lies in its archive and is asked when the work is frozen (`gold/GUIDELINES.md`).

- `together`: the one list of `recall` with its defaults: memories first, then exchanges.
- `memories`, `exchanges`: ten of each alone.

An answer is right when it covers a turn of gold: a memory that was learned there, an exchange that holds it.
`told` is stricter: the right answer's own words, opened, hold the quote. --meaning asks by vectors too, as
where a server runs; without it by words alone. --misses prints the ids of what was not found, of the open
half only. --check resolves every reference and counts, without a store.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from exchanges import Project as Opened
from exchanges import opened, stretches, text_of
from question_set import HALVES, problems, questions
from question_turns import Turns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex import Cortex
    from recortex.domain.exchange import Exchange
    from recortex.domain.memory import Memory
    from recortex.domain.search import Recall

DEPTH = 10
AMONG: dict[str, dict[str, Any]] = {
    "together": {},
    "memories": {"among": "memories", "limit": DEPTH},
    "exchanges": {"among": "exchanges", "limit": DEPTH},
}
Places = frozenset[tuple[str, int]]
"""Turns: session and position."""


class Answer(NamedTuple):
    """One of the answers of a recall: the turns that it covers, and all that it says."""

    turns: Places
    text: str
    weak: bool


@dataclass(frozen=True)
class Asked:
    """What came back for a question.

    Attributes:
        rank: of the first right answer, from 1; 0: none.
        told: whether one of the first ten right answers holds the quote.
        stale: whether an answer that was true once comes before the right one; only where gold has such.
        empty: there was no answer; `weak`: none, or weak ones alone.
    """

    question: dict[str, Any]
    rank: int
    told: bool
    stale: bool
    empty: bool
    weak: bool


def answers(project: Opened, found: Recall) -> list[Answer]:
    """The answers of a recall in their order."""
    hits = [Answer(learned_at(hit.memory), said(hit.memory), hit.weak) for hit in found.hits]
    return hits + [
        Answer(covered([whole, *parts]), text_of(project.services, [whole, *parts]), hit.weak)
        for hit in found.exchanges
        for whole in project.services.store.exchanges.get([hit.id])
        for parts in [stretches(project, whole)]
    ]


def learned_at(memory: Memory) -> Places:
    """Where a memory was learned: each place, if it was said more than once."""
    source = memory.source
    places = [(source.session, source.turn), *memory.metadata.get("repeated", ())]
    return frozenset((session, turn) for session, turn in places if turn is not None)


def said(memory: Memory) -> str:
    """What a reader is given of a memory."""
    return f"{memory.text}\n{memory.source.quote}"


def covered(exchanges: Sequence[Exchange]) -> Places:
    """The turns of an exchange and its stretches of work."""
    return frozenset(
        (one.session, turn) for one in exchanges for turn in range(one.first_turn, one.last_turn + 1)
    )


def holds(text: str, quote: str) -> bool:
    """Whether most words of a quote are in a text."""
    words = set(quote.casefold().split())
    return sum(word in text.casefold() for word in words) >= 0.8 * len(words)


def ask(project: Opened, question: dict[str, Any], turns: Turns, among: dict[str, Any]) -> Asked:
    """A question through `recall`."""
    found = answers(project, project.cortex.recall(question["question"], **among))
    gold = [(turns.places(one), turns.quote(one)) for one in question.get("gold", ())]
    older = frozenset(place for one in question.get("older", ()) for place in turns.places(one))
    right = frozenset(place for places, _ in gold for place in places)
    rank = first(found, right)
    told = any(
        one.turns & places and holds(one.text, quote) for one in found[:DEPTH] for places, quote in gold
    )
    before = first(found[: rank - 1] if rank else found, older - right)
    return Asked(question, rank, told, before > 0, not found, all(one.weak for one in found))


def first(found: Sequence[Answer], places: Places) -> int:
    """The rank of the first answer that covers one of the turns; 0: none."""
    return next((number for number, one in enumerate(found, 1) if one.turns & places), 0)


def figures(asked: Sequence[Asked]) -> dict[str, float]:
    """The measures of answerable questions, in percent."""
    return {
        "n": len(asked),
        **{f"R@{depth}": percent([0 < one.rank <= depth for one in asked]) for depth in (5, DEPTH)},
        "MRR": 100 * fmean(1 / one.rank if one.rank else 0.0 for one in asked),
        f"told@{DEPTH}": percent([one.told for one in asked]),
        "empty": percent([one.empty for one in asked]),
    }


def percent(found: Sequence[bool]) -> float:
    return 100 * fmean(found) if found else 0.0


def groups(asked: Sequence[Asked]) -> dict[str, list[Asked]]:
    """Answerable questions: all, by wording, by kind, by project."""
    found: defaultdict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        line = one.question
        if "gold" in line:
            for group in ("all", line["wording"], line["ask"], line["project"]):
                found[group].append(one)
    return dict(found)


def summary(asked: Sequence[Asked]) -> dict[str, Any]:
    """All figures of one way of asking."""
    nothing = [one for one in asked if "gold" not in one.question]
    sharing = [one for one in nothing if one.question["shares_words"]]
    changed = [one for one in asked if "older" in one.question]
    return {
        "answerable": {name: figures(group) for name, group in groups(asked).items()},
        "changed": {"n": len(changed), "older first": percent([one.stale for one in changed])},
        "unanswerable": {
            name: {
                "n": len(group),
                "empty": percent([one.empty for one in group]),
                "empty or weak": percent([one.weak for one in group]),
            }
            for name, group in {"all": nothing, "sharing words": sharing}.items()
        },
    }


def kept(project: Opened, lines: Sequence[dict[str, Any]], turns: Turns) -> list[bool]:
    """For each answerable question, whether anything in the store covers one of its turns."""
    from recortex.domain.exchange import ExchangeQuery
    from recortex.domain.search import MemoryQuery

    store = project.services.store
    all_turns = covered(store.exchanges.find(ExchangeQuery()))
    for memory in store.memories.find(MemoryQuery(statuses=())):
        all_turns |= learned_at(memory)
    return [any(turns.places(one) & all_turns for one in line["gold"]) for line in lines if "gold" in line]


def show(title: str, result: dict[str, Any]) -> None:
    table = result["answerable"]
    columns = list(table["all"])
    print(f"\n{title}\n{'':18}" + "".join(f"{column:>9}" for column in columns))
    for name, row in table.items():
        print(f"{name[:17]:18}{row['n']:9.0f}" + "".join(f"{row[column]:9.1f}" for column in columns[1:]))
    for name, row in result["unanswerable"].items():
        print(
            f"unanswerable, {name}: {row['empty']:.1f} % of {row['n']} empty,"
            f" {row['empty or weak']:.1f} % empty or weak"
        )
    changed = result["changed"]
    print(f"changed: an older answer first or alone in {changed['older first']:.1f} % of {changed['n']}")


def projects(
    names: Sequence[str], sessions: Path, stores: Path, scratch: Path, *, meaning: bool
) -> Iterator[Opened]:
    """Each project on a copy of its store: recalls are counted in it, and must not tell on later runs."""
    from recortex.domain.vocabulary import Scope

    for name in names:
        opened(name, sessions, stores).close()
        shutil.copytree(stores / name, scratch / name)
        if not meaning:
            os.environ["RECORTEX_EMBEDDER"] = "none"
        cortex: Cortex = opened(name, sessions, scratch)
        os.environ.pop("RECORTEX_EMBEDDER", None)
        yield Opened(name, cortex, cortex._app.services(Scope.PROJECT), [], [])  # noqa: SLF001
        cortex.close()


def run(options: argparse.Namespace, stores: Path, scratch: Path) -> dict[str, Any]:
    lines = questions(options.half, options.projects.split(",") if options.projects else ())
    found: dict[str, list[Asked]] = {name: [] for name in AMONG}
    stored: list[bool] = []
    names = sorted({line["project"] for line in lines})
    for project in projects(names, options.sessions, stores, scratch, meaning=options.meaning):
        own = [line for line in lines if line["project"] == project.name]
        turns = Turns(options.sessions / project.name)
        stored += kept(project, own, turns)
        for name, among in AMONG.items():
            found[name] += [ask(project, line, turns, among) for line in own]
    for name, asked in found.items():
        show(f"{options.half}, {name}, {'words and meaning' if options.meaning else 'words'}", summary(asked))
    print(f"\nin the store at all: {percent(stored):.1f} % of the answerable questions")
    if options.misses and options.half == "open":
        missed = [one.question["id"] for one in found["together"] if "gold" in one.question and not one.rank]
        print("not found: " + " ".join(missed))
    return {"in store": percent(stored)} | {name: summary(asked) for name, asked in found.items()}


def check(options: argparse.Namespace) -> int:
    """Print what is wrong with the questions of a half, and counts; nothing of their texts."""
    lines = questions(options.half, options.projects.split(",") if options.projects else ())
    wrong = list(problems(lines, options.sessions))
    print("\n".join(wrong))
    for name in ("project", "ask", "wording"):
        print(dict(Counter(line[name] for line in lines)))
    print(f"{len(lines)} questions, {len(wrong)} problems")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("sessions", type=Path)
    parser.add_argument("--half", choices=HALVES, default="open")
    parser.add_argument("--projects", default="")
    parser.add_argument("--stores", type=Path)
    parser.add_argument("--meaning", action="store_true")
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.check:
        return check(options)
    with tempfile.TemporaryDirectory() as temporary:
        os.environ.setdefault("RECORTEX_HOME", str(Path(temporary) / "home"))
        result = run(options, options.stores or Path(temporary) / "stores", Path(temporary) / "copies")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
