"""What a project's own records become: decision records with standing and date, commits drawn to be read.

    python bench/project_records.py adr REPOSITORY [PATH]
    python bench/project_records.py git REPOSITORY [--draw N] [--seed N]

The repository is a checkout; its memory goes to a folder that is removed afterwards. `adr` prints a line for
each record, to be held against the file: path, status, since when, until when, by what replaced, title; then
the relations with their evidence. `git` prints how many commits were kept and left out, and why, and memories
drawn at random, to be judged by reading: whether each is true, and worth keeping.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from recortex import Cortex
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.relation import Relation


def main() -> None:
    """Import into a memory of its own, and print what came of it."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("what", choices=("adr", "git"))
    options.add_argument("repository", type=Path)
    options.add_argument("path", nargs="?", default="")
    options.add_argument("--draw", type=int, default=25)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"RECORTEX_HOME": home, "RECORTEX_EMBEDDER": "none"}
        os.chdir(given.repository)
        with Cortex.open(given.repository) as cortex:
            done = cortex.import_(given.what, given.path, embed=False)
            store = cortex._app.services(Scope.PROJECT).store  # noqa: SLF001
            memories = store.memories.find(MemoryQuery(statuses=(), descending=False))
            relations = store.relations.all()
    print(f"{done.files or done.commits} looked at: {done.added} added, {done.merged} merged")
    print(f"by kind: {done.by_kind}; left out: {done.skipped}; problems: {len(done.problems)}")
    if given.what == "adr":
        _records(memories, relations)
    else:
        _drawn(memories, given.draw, given.seed)


def _records(memories: Sequence[Memory], relations: Sequence[Relation]) -> None:
    paths = {one.id: one.source.path for one in memories}
    for one in sorted(memories, key=lambda one: one.source.path):
        until = f"{one.valid_until:%Y-%m-%d}" if one.valid_until else "-"
        by = paths.get(one.superseded_by or "", "-")
        print(
            f"{one.source.path} | {one.status} | {one.valid_from:%Y-%m-%d} | {until} | {by} | {one.summary}"
        )
    for relation in relations:
        ends = f"{paths[relation.source_id]} {relation.type} {paths[relation.target_id]}"
        print(f"{ends} | {'; '.join(relation.evidence)}")


def _drawn(memories: Sequence[Memory], count: int, seed: int) -> None:
    drawn = random.Random(seed).sample(list(memories), min(count, len(memories)))
    for number, one in enumerate(drawn, 1):
        print(f"\n{number}. {one.kind} [{one.status}] {one.valid_from:%Y-%m-%d} {one.source.commit}")
        print(one.text)


if __name__ == "__main__":
    main()
