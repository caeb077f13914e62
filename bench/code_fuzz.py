"""Hostile files of code: truncated, damaged, shuffled and deeply nested ones, and what reading them takes.

    python bench/code_fuzz.py [--files 1000] [--seed 1] [FOLDER …]
    python bench/code_fuzz.py --real FOLDER …       # how near the files there come to the limits

Sources are files of FOLDERs, else those of the tests. Each grammar reads its files in a process of its own,
so that a crash is seen; the slowest file and the number above one second are printed.
`--repeated` makes each file of a few random words and signs that are repeated, `--files` times.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tree_sitter import Parser

from recortex.codebase.syntax import extraction, working_tree
from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.grammars import BY_ENDING, BY_NAME, GRAMMARS, grammar_of, load

if TYPE_CHECKING:
    from collections.abc import Sequence

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "unit" / "code"))

from hostile_code import (  # type: ignore[import-not-found]
    hostile,
    sources,
)

MOST_MEMORY = 2 * 1024**3
"""Bytes: a process that wants more ends."""
SIGNS = """x y 1 "s" 's' ( ) [ ] { } < > , ; : . = => -> :: + - * / & | ! ? @ # $ ~ ^ % == ++ && ... if
else for while return class struct enum fn def func function int new case switch template namespace import
use let var const static async await yield lambda in of typeof extends where impl match try catch throw
delete""".split()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one grammar, in this process")
    parser.add_argument("--repeated", action="store_true")
    parser.add_argument("--real", action="store_true")
    given = parser.parse_args()
    if given.real:
        print(nearest(given.folders))
        return
    if given.only:
        found = [] if given.repeated else sources(given.only, given.folders)
        print(measured(given.only, found, given.files, given.seed))
        return
    for one in GRAMMARS:
        command = [sys.executable, __file__, "--only", one.name, "--files", str(given.files)]
        command += ["--seed", str(given.seed), *map(str, given.folders)]
        command += ["--repeated"] * given.repeated
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        ended = (
            done.stdout.strip() if done.returncode == 0 else f"CRASHED {done.returncode} {done.stderr[-300:]}"
        )
        print(f"{one.name:12} {ended}", flush=True)


def measured(name: str, given: Sequence[bytes], files: int, seed: int) -> str:
    """Read files, and tell what it took."""
    draw = random.Random(f"{name} {seed}")
    ending = BY_NAME[name].endings[0]
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    times, works, read, skipped, worst = [], [], 0, 0, b""
    for _ in range(files):
        data = (hostile(draw.choice(given), draw) if given else repeated(draw))[: 1024 * 1024]
        if "\n" not in data[:2_000].decode("utf-8", "replace"):
            data = (
                data.replace(b" ", b"\n")
                if len(data) < 2_000
                else b"\n".join(re.findall(rb"(?s).{1,90}", data))
            )
        began, worked = time.perf_counter(), time.process_time()
        facts = read_facts(f"a{ending}", data)
        times.append(time.perf_counter() - began)
        works.append(time.process_time() - worked)
        worst = data if works[-1] == max(works) else worst
        assert facts is not None
        read += not facts.skipped
        skipped += bool(facts.skipped)
    times.sort()
    late, usual = sum(one > 1 for one in times), times[files * 99 // 100]
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return (
        f"{read} read, {skipped} left out, slowest {times[-1]:.2f} s, work {max(works):.2f} s,"
        f" 99 of 100 below {usual:.3f} s, {late} above 1 s, {megabytes} MB,"
        f" most work for {worst[:40]!r} of {len(worst)} bytes"
    )


def repeated(draw: random.Random) -> bytes:
    """A few words and signs, repeated to up to 200,000 of them."""
    words = [draw.choice(SIGNS) for _ in range(draw.randrange(1, 6))]
    return " ".join([*words, ""]).encode() * (draw.choice([1_400, 6_000, 30_000, 200_000]) // len(words))


def nearest(folders: Sequence[Path]) -> str:
    """How near real files come to the limits: the highest value of each, and whose it is."""
    files, highest = 0, dict[str, tuple[float, str]]()
    for path in (one for folder in folders for one in folder.rglob("*") if one.suffix in BY_ENDING):
        data = path.read_bytes() if path.is_file() else b"\0"
        grammar = grammar_of(path.name, data)
        if grammar is None or ((why := working_tree.refusal(str(path), data)) and why != "nested too deeply"):
            continue
        files += 1
        parser = Parser(load(grammar.name).language)
        values = {"open brackets": float(working_tree.open_brackets(data)), "errors in a run": 0.0}
        for start, end in extraction.long_runs(data):
            root = parser.parse(data[:end]).root_node
            values["errors in a run"] = max(values["errors in a run"], extraction.errors(root, start))
        worked = time.process_time()
        facts = read_facts(path.name, data)
        values["work s"] = time.process_time() - worked
        if facts and not facts.skipped:
            highest |= {
                name: max(highest.get(name, (0.0, "")), (value, str(path))) for name, value in values.items()
            }
        elif facts:
            print(f"{path}: {facts.skipped}, {values}")
    return f"{files} files; {highest}"


if __name__ == "__main__":
    main()
