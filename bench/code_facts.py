"""What reading the code of a project takes: cold, unchanged, after an edit; size and memory of the facts.

    python bench/code_facts.py FOLDER … [--lines 100000] [--files 5000] [--json FILE]

Code files are copied until there are so many lines, of each FOLDER its share. Times are medians; `cpu` is the
time of the process and those that it starts, which other programs on the machine change less. Several
processes read where several cores are allowed: compare with `taskset -c 0`.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.codebase.syntax.fact_store import FactStore, Tree
from recortex.codebase.syntax.grammars import BY_ENDING
from recortex.codebase.syntax.working_tree import visits
from recortex.engines.code.project import Project
from recortex.engines.code.resolution import Resolver, callers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SETTLED = 2.2
"""Seconds after which the time of a file is relied on."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--cold", nargs=2, help="a tree and a file for its facts: read it once, in this process"
    )
    given = parser.parse_args()
    if given.cold:
        print(json.dumps(cold(Path(given.cold[0]), Path(given.cold[1]))))
        return
    with tempfile.TemporaryDirectory() as folder:
        rows = measured(Path(folder), given)
    for name, value in rows.items():
        print(f"{name:40} {value:12,.1f}")
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def measured(folder: Path, given: argparse.Namespace) -> dict[str, float]:
    tree, many = folder / "tree", folder / "many"
    rows = copied(given.folders, tree, given.lines)
    time.sleep(SETTLED)
    runs = []
    for number in range(given.rounds):
        command = [sys.executable, __file__, str(tree), "--cold", str(tree), str(folder / f"{number}.db")]
        runs.append(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    for name in runs[0]:
        rows[name] = statistics.median(run[name] for run in runs)
    for number in range(given.files):
        path = many / f"part{number // 100}" / f"m{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def f{number}():\n    return {number}\n")
    time.sleep(SETTLED)
    with closing(FactStore(folder / "facts.db")) as store:
        store.refresh(many)
        rows |= timed(f"{given.files} files unchanged", lambda: store.refresh(many), 9)
        found = store.refresh(tree)
        time.sleep(SETTLED)
        store.refresh(tree)
        rows |= timed("unchanged", lambda: store.refresh(tree), 9)
        rows |= timed("one file edited", edit(tree, found, store), 9)
        known = dict(store.facts(set(found.files.values())))
        rows |= timed("facts loaded", lambda: dict(store.facts(set(found.files.values()))), 5)
    project = Project({path: known[key] for path, key in found.files.items() if key in known})
    rows |= timed("project put together", lambda: Project(project.files), 5)
    functions = [address for address, one in project.symbols() if one.kind == "function"][::50][:20]
    rows |= timed(
        "callers of 20 functions",
        lambda: [callers(project, Resolver(project), [one]) for one in functions],
        3,
    )
    return rows


def copied(folders: Sequence[Path], tree: Path, lines: int) -> dict[str, float]:
    """Copy code until there are so many lines: of each folder its share, and what others lack."""
    total = count = 0
    for number, folder in enumerate(folders):
        until = total + (lines - total) // (len(folders) - number)
        for path, seen, _ in visits(folder.resolve(), {}):
            for one in seen.files:
                if total >= until or Path(one.name).suffix not in BY_ENDING:
                    continue
                data = (folder / path / one.name).read_bytes()
                target = tree / folder.resolve().name / path / one.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
                total += data.count(b"\n")
                count += 1
    return {"lines": total, "files": count}


def cold(tree: Path, path: Path) -> dict[str, float]:
    began, worked = time.perf_counter(), time.process_time()
    with closing(FactStore(path)) as store:
        found = store.refresh(tree)
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        work = time.process_time() - worked + children.ru_utime + children.ru_stime
        rows = {"cold s": time.perf_counter() - began, "cold cpu s": work}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        symbols = sum(len(facts.symbols) for _, facts in store.facts(set(found.files.values())))
    return rows | {
        "peak MB": peak,
        "peak MB of each process that reads": children.ru_maxrss / 1024,
        "symbols": symbols,
        "bytes a symbol": path.stat().st_size / max(1, symbols),
    }


def edit(tree: Path, found: Tree, store: FactStore) -> Callable[[], Tree]:
    paths = iter(sorted(found.files)[:: max(1, len(found.files) // 20)])

    def once() -> Tree:
        path = tree / next(paths)
        data = path.read_bytes()
        path.write_bytes(data + b"\n\n")
        return store.refresh(tree)

    return once


def timed(name: str, run: Callable[[], object], rounds: int) -> dict[str, float]:
    """Medians in milliseconds; an edit counts with the writing of its file."""
    walls, works = [], []
    for _ in range(rounds):
        began, worked = time.perf_counter(), time.process_time()
        run()
        walls.append(1000 * (time.perf_counter() - began))
        works.append(1000 * (time.process_time() - worked))
    return {f"{name} ms": statistics.median(walls), f"{name} cpu ms": statistics.median(works)}


if __name__ == "__main__":
    main()
