"""Whether memories about files next to those in view are worth telling: by what commits touched together.

    python bench/neighbours.py CLONE … [--changes 400] [--cases 60] [--memories 400] [--budget 700 2000]

Each CLONE is a clone of a repository. It is checked out before its last changes. The messages of the changes
before that become memories about the files that they touched, at most three. For each of the last changes of
two to ten files, one of its files is in view and the message is the task; needed are memories about the other
files. `context` is asked without neighbours, with the neighbours that the code gives, and with as many files
drawn at random. Told are: the share of needed files of which a memory is told, the share of what is told that
is about a file of the change, and how many memories that is. With --brief, the brief of a session that works
on the file is asked instead.
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
from typing import NamedTuple

import recortex.app.brief
from recortex import Cortex
from recortex.app.code import codebase
from recortex.codebase import neighbour_table
from recortex.domain.search import MemoryQuery
from recortex.engines.code.ranking import MOST

KINDS = ("tribal", "decision", "insight", "incident")


class Change(NamedTuple):
    commit: str
    subject: str
    body: str
    files: frozenset[str]


def changes_of(clone: Path, commit: str, most: int) -> list[Change]:
    """The last changes up to a commit, the latest first."""
    form = "--format=%x00%H%x01%s%x01%b%x01"
    log = ["git", "log", commit, "--no-merges", f"--max-count={most}", "--name-only", form]
    said = subprocess.run(log, cwd=clone, check=True, capture_output=True).stdout.decode("utf-8", "replace")
    parts = (part.split("\1") for part in said.split("\0")[1:])
    return [Change(one[0], one[1], one[2], frozenset(filter(None, one[3].split("\n")))) for one in parts]


def remembered(cx: Cortex, past: list[Change], known: set[str], most: int) -> dict[str, frozenset[str]]:
    """Memories of what former changes said, with the files that each is about."""
    few = [one for one in past if 1 <= len(one.files & known) <= 3 and len(one.subject) > 15][:most]
    cx.remember_many(
        [
            {"text": f"{one.subject}. {one.body[:200]}".strip(), "kind": KINDS[place % len(KINDS)],
             "files": sorted(one.files & known)}
            for place, one in enumerate(few)
        ]
    )  # fmt: skip
    found = cx._app.all_services()[0].store.memories.find(MemoryQuery(limit=most))  # noqa: SLF001
    return {one.id: frozenset(link.path for link in one.files) for one in found}


class Case(NamedTuple):
    task: str
    file: str
    touched: frozenset[str]
    needed: frozenset[str]


def cases_of(
    changes: list[Change], about: dict[str, frozenset[str]], known: set[str], most: int
) -> list[Case]:
    found = []
    for one in changes:
        touched = one.files & known
        for file in sorted(touched) if 2 <= len(touched) <= 10 else ():
            told = {path for files in about.values() if file not in files for path in files}
            if needed := (touched - {file}) & told:
                found.append(Case(one.subject, file, frozenset(touched), frozenset(needed)))
    random.Random(4).shuffle(found)
    return found[:most]


def given(cx: Cortex, case: Case, budget: int) -> list[str]:
    """The ids of what `context` tells, or without a budget the brief."""
    if budget:
        return [one.id for one in cx.context(case.task, files=[case.file], budget=budget).entries]
    recortex.app.brief._files = lambda *_: frozenset([case.file])  # noqa: SLF001  as git would say
    made = recortex.app.brief.brief(cx._app, branch="main", cwd="", fresh=True)  # noqa: SLF001
    return [one.memory for one in made.items]


def measured(
    cx: Cortex, cases: list[Case], about: dict[str, frozenset[str]], budget: int
) -> dict[str, float]:
    needed, fitting, told, spent = [], [], [], []
    for case in cases:
        began = time.perf_counter()
        ids = given(cx, case, budget)
        spent.append(1_000 * (time.perf_counter() - began))
        files = [about[one] for one in ids if one in about]
        needed.append(len(case.needed & frozenset().union(*files)) / len(case.needed))
        fitting.append(statistics.fmean(bool(one & case.touched) for one in files) if files else 0.0)
        told.append(len(files))
    means = {
        name: statistics.fmean(of) for name, of in (("needed", needed), ("fitting", fitting), ("told", told))
    }
    return means | {"ms": statistics.median(spent)}


def compared(clone: Path, given: argparse.Namespace) -> dict[str, dict[str, float]]:
    changes = changes_of(clone, "origin/HEAD", given.changes)
    before = f"{changes[-1].commit}~1"
    subprocess.run(["git", "checkout", "-q", "-f", before], cwd=clone, check=True)
    rows: dict[str, dict[str, float]] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        Cortex.open(clone, url=f"sqlite:///{folder}/cortex.db") as cx,
    ):
        app = cx._app  # noqa: SLF001
        known = codebase(app)
        files = set(known.project.files)
        about = remembered(cx, changes_of(clone, before, 3_000), files, given.memories)
        cases = cases_of(changes, about, files, given.cases)
        path, near = app.project.facts, random.Random(1)
        by_code = neighbour_table.near(path, known.root, files)
        drawn = {one: near.sample(sorted(files), min(MOST, len(files))) for one in files}
        for name, table in (("without", {}), ("neighbours", by_code), ("random", drawn)):
            neighbour_table.keep(path, known.root, table, b"", 0)
            for budget in [0] if given.brief else given.budget:
                rows[f"{budget} {name}"] = measured(cx, cases, about, budget)
    print(f"{clone.name}: {len(files)} files, {len(about)} memories, {len(cases)} cases")
    for label, row in sorted(rows.items()):
        print(f"  {label:16}", " ".join(f"{key} {value:.3f}" for key, value in row.items()), flush=True)
    return rows | {"cases": {"number": len(cases)}}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clones", type=Path, nargs="+")
    parser.add_argument("--changes", type=int, default=400)
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--memories", type=int, default=400)
    parser.add_argument("--budget", type=int, nargs="+", default=[700, 2_000])
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = {clone.name: compared(clone, given) for clone in given.clones}
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
