"""Hostile files of code: truncated, damaged, shuffled and deeply nested ones, and what reading them takes.

    python bench/code_fuzz.py [--files 1000] [--seed 1] [FOLDER …]

Sources are files of FOLDERs, else those of the tests. Each grammar reads its files in a process of its own,
so that a crash is seen; the slowest file and the number above one second are printed.
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

from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.grammars import BY_NAME, GRAMMARS

if TYPE_CHECKING:
    from collections.abc import Sequence

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "unit" / "code"))

from hostile_code import (  # type: ignore[import-not-found]
    hostile,
    sources,
)

MOST_MEMORY = 2 * 1024**3
"""Bytes: a process that wants more ends."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one grammar, in this process")
    given = parser.parse_args()
    if given.only:
        print(measured(given.only, sources(given.only, given.folders), given.files, given.seed))
        return
    for one in GRAMMARS:
        command = [sys.executable, __file__, "--only", one.name, "--files", str(given.files)]
        command += ["--seed", str(given.seed), *map(str, given.folders)]
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
    times, works, read, skipped = [], [], 0, 0
    for _ in range(files):
        data = hostile(draw.choice(given), draw)[: 1024 * 1024]
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
        assert facts is not None
        read += not facts.skipped
        skipped += bool(facts.skipped)
    times.sort()
    late, usual = sum(one > 1 for one in times), times[files * 99 // 100]
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return (
        f"{read} read, {skipped} left out, slowest {times[-1]:.2f} s, work {max(works):.2f} s,"
        f" 99 of 100 below {usual:.3f} s, {late} above 1 s, {megabytes} MB"
    )


if __name__ == "__main__":
    main()
