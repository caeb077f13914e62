"""How long `why` takes: of memories and of questions, without git; of lines and of symbols, with git.

    python bench/why.py [--repository DIR] [--memories 10000] [--edges 20000] [--asked 60] [--json FILE]

A clone of the repository, this project's own unless said, gets a store of made-up memories (`latency.py`)
that cite its files and lines, relations between earlier and later ones, and exchanges that made its last
commits.
Each answer's budget is checked too.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from latency import PARTS, Prose, give_vectors
from recortex import Cortex
from recortex.domain.code import enclosing
from recortex.domain.exchange import Exchange
from recortex.domain.memory import Relation
from recortex.domain.vocabulary import RelationType
from recortex.engines.exchanges.service import terms

TYPES = tuple(
    map(RelationType, ("caused", "enabled", "derived_from", "supports", "triggered_by", "supersedes"))
)
BACKWARD = frozenset(("derived_from", "triggered_by", "supersedes"))
BUDGET = 3_000


def git(root: Path, *words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def sources(root: Path) -> dict[str, list[str]]:
    """The Python files of a working tree, with their lines."""
    paths = [path for path in git(root, "ls-files", "*.py") if (root / path).stat().st_size > 2_000]
    return {path: (root / path).read_text(errors="replace").split("\n") for path in paths}


def fill(cx: Cortex, prose: Prose, files: dict[str, list[str]], count: int) -> list[str]:
    kinds, names = ("tribal", "decision", "insight", "incident"), list(files)
    ids: list[str] = []
    for start in range(0, count, 1_000):
        wishes: list[dict[str, Any]] = []
        for place in range(start, min(start + 1_000, count)):
            path = prose.random.choice(names)
            first = prose.random.randint(1, len(files[path]))
            link = f"{path}:{first}-{min(first + 12, len(files[path]))}" if place % 2 else path
            wishes.append({"text": prose.statement(), "kind": kinds[place % 4], "files": [link],
                           "tags": [PARTS[place % len(PARTS)]]})  # fmt: skip
        ids += cx.remember_many(wishes, embed=False).ids
    return ids


def relate(cx: Cortex, ids: list[str], count: int, seed: int) -> None:
    """Relations from earlier to later memories: no circle can come of them."""
    store, chance = cx._app.all_services()[0].store, random.Random(seed)  # noqa: SLF001
    made = []
    for _ in range(count):
        cause, effect = sorted(chance.sample(range(len(ids)), 2))
        type_ = chance.choice(TYPES)
        ends = (ids[effect], ids[cause]) if type_ in BACKWARD else (ids[cause], ids[effect])
        made.append(Relation(*ends, type_, cx._app.clock(), chance.uniform(0.3, 1.0)))  # noqa: SLF001
    for start in range(0, count, 1_000):
        with store.transaction():
            store.relations.put_all(made[start : start + 1_000])


def converse(cx: Cortex, root: Path) -> None:
    """Exchanges that made the last thousand commits."""
    store, said = cx._app.all_services()[0].store, []  # noqa: SLF001
    for number, line in enumerate(git(root, "log", "-1000", "--format=%h %s")):
        commit, _, subject = line.partition(" ")
        said.append(
            Exchange(id=f"{number:032x}", session=f"s{number // 20}", client="claude-code", opener="person",
                     first_turn=number % 20 * 4, last_turn=number % 20 * 4 + 3, root_turn=number % 20 * 4,
                     message=subject, commit=commit[:12])
        )  # fmt: skip
    with store.transaction():
        store.exchanges.put([(one, terms(one)) for one in said], cx._app.clock())  # noqa: SLF001


def questions(
    prose: Prose, files: dict[str, list[str]], ids: list[str], texts: list[str], count: int
) -> dict[str, list[str]]:
    """What is asked in turns, by its sort."""
    chance = prose.random
    places = [
        (path, chance.randint(1, len(lines))) for path, lines in chance.sample(list(files.items()), count)
    ]
    symbols = [found.name for path, line in places if (found := enclosing(files[path], line))]
    return {
        "memory": chance.sample(ids, count),
        "question": [prose.question(text) for text in chance.sample(texts, count)],
        "line": [f"{path}:{line}" for path, line in places],
        "file": [path for path, _ in places],
        "symbol": symbols[:count],
    }


def measured(cx: Cortex, asked: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    found: dict[str, list[float]] = {sort: [] for sort in asked}
    over = dict.fromkeys(asked, 0)
    for turn in range(max(map(len, asked.values()))):
        for sort, subjects in asked.items():
            if turn < len(subjects):
                began = time.perf_counter()
                answer = cx.why(subjects[turn], budget=BUDGET)
                found[sort].append(1_000 * (time.perf_counter() - began))
                over[sort] += answer.tokens > BUDGET
    return {
        sort: {
            "n": len(times),
            "p50": round(statistics.median(times), 1),
            "p95": round(statistics.quantiles(times, n=20)[-1], 1),
            "over": over[sort],
        }
        for sort, times in found.items()
        if len(times) > 1
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--repository", type=Path, default=Path(__file__).resolve().parent.parent)
    options.add_argument("--memories", type=int, default=10_000)
    options.add_argument("--edges", type=int, default=20_000)
    options.add_argument("--asked", type=int, default=60)
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="why-") as folder:
        root = Path(folder) / "clone"
        subprocess.run(["git", "clone", "-q", str(given.repository), str(root)], check=True)
        prose, files = Prose(5), sources(root)
        with Cortex.open(root, url=f"sqlite:///{folder}/cortex.db") as cx:
            ids = fill(cx, prose, files, given.memories)
            give_vectors(cx, 5)
            relate(cx, ids, given.edges, 5)
            converse(cx, root)
            texts = [one.text for one in cx.list(limit=500).memories]
            cx.why("warm up the model")
            figures = measured(cx, questions(prose, files, ids, texts, given.asked))
    for sort, one in figures.items():
        times = f"p50 {one['p50']:7.1f} ms  p95 {one['p95']:7.1f} ms"
        print(f"{sort:9} n {one['n']:3} {times}  above budget {one['over']}")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
