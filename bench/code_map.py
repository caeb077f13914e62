"""The map of the code against a plain list of files: what commits touched, within 1,000 tokens.

    python bench/code_map.py CLONE … [--changes 250] [--budget 1000]

Each CLONE is a clone of a repository, named as the last part of its name. One that is in
`commits/commit_to_file.jsonl.gz` of RECORTEX_BENCH_DATA is checked out at the commit that the data names and
asked for its changes; of another one the last changes are asked for, at the commit before them. The message
of a change is the task. Recall is the share of the files it touched that are in the text: of the map for the
task, of the map without a task, and of lists of all files cut at the same number of tokens, in the order of
git and in the order in which files have the words of the message in their paths.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import statistics
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.codebase.syntax.fact_store import FactStore
from recortex.engines.code.project import Project
from recortex.engines.code.ranking import outline, rank, words_of
from recortex.engines.code.resolution import references
from recortex.engines.tokens.counter import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DATA = "commits/commit_to_file.jsonl.gz"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clones", type=Path, nargs="+")
    parser.add_argument("--changes", type=int, default=250)
    parser.add_argument("--budget", type=int, nargs="+", default=[1_000])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = {}
    for clone in given.clones:
        commit, changes = prepared(clone) or recent(clone, given.changes)
        subprocess.run(["git", "checkout", "-q", commit], cwd=clone, check=True)
        for budget in given.budget:
            row = measured(clone, changes, budget)
            rows[f"{clone.name} {budget}"] = row
            print(
                clone.name, budget, " ".join(f"{key} {value:.3f}" for key, value in row.items()), flush=True
            )
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


Change = tuple[str, list[str]]


def prepared(clone: Path) -> tuple[str, list[Change]] | None:
    """The commit and changes of a repository that the data has."""
    with gzip.open(Path(os.environ["RECORTEX_BENCH_DATA"]) / DATA, "rt", encoding="utf-8") as lines:
        for one in map(json.loads, lines):
            if one["repo"].rpartition("/")[2] == clone.name:
                return one["commit"], [(query["query"], query["gold"]) for query in one["queries"]]
    return None


def recent(clone: Path, most: int) -> tuple[str, list[Change]]:
    """The last changes of one to ten files, and the commit before them."""
    log = [
        "git",
        "log",
        "origin/HEAD",
        "--no-merges",
        f"--max-count={most}",
        "--name-only",
        "--format=%x00%H%x01%s%x01",
    ]
    said = subprocess.run(log, cwd=clone, check=True, capture_output=True, text=True).stdout
    changes, oldest = [], ""
    for part in said.split("\0")[1:]:
        oldest, subject, names = part.split("\1")
        touched = names.split()
        if 1 <= len(touched) <= 10:
            changes.append((subject, touched))
    return f"{oldest}~1", changes


def measured(root: Path, changes: Sequence[Change], budget: int) -> dict[str, float]:
    """Mean recall of each way."""
    count = TokenCounter().count
    with tempfile.TemporaryDirectory() as folder, closing(FactStore(Path(folder) / "facts.db")) as store:
        tree = store.refresh(root)
        known = dict(store.facts(set(tree.files.values())))
    project = Project({path: known[key] for path, key in tree.files.items()})
    found = references(project)
    files = sorted(project.files)
    general = outline(project, rank(project, found), budget, count).files
    recalls: dict[str, list[float]] = {"task": [], "general": [], "list": [], "list_by_path": []}
    for message, touched in changes:
        gold = set(touched) & set(files)
        if not gold:
            continue
        task = outline(project, rank(project, found, (), message), budget, count).files
        ways = {
            "task": task,
            "general": general,
            "list": cut(files, budget, count),
            "list_by_path": cut(by_path(files, message), budget, count),
        }
        for name, shown in ways.items():
            recalls[name].append(len(gold & set(shown)) / len(gold))
    return {"files": len(files), "changes": len(recalls["task"])} | {
        name: statistics.fmean(values) for name, values in recalls.items()
    }


def cut(files: Sequence[str], budget: int, count: Callable[[str], int]) -> list[str]:
    """The files of a list that fit the budget."""
    kept: list[str] = []
    for path in files:
        if count("\n".join([*kept, path])) > budget:
            break
        kept.append(path)
    return kept


def by_path(files: Sequence[str], task: str) -> list[str]:
    """Files that have words of the task in their paths first."""
    words = words_of(task)
    return sorted(files, key=lambda path: (-len(words_of(path) & words), path))


if __name__ == "__main__":
    main()
