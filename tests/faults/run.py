"""Break stores in every way of `faultlib`, and say what was lost.

    python tests/faults/run.py [--faults 1000] [--seed 1] [--only CLASS] [--engine sqlite] [--json FILE]
    [--jobs 2]

Every statement boundary of each write and of each migration, and every upgrade, is tried once; `--faults`
more are drawn from the other classes by their shares. The exit code is 1 when anything acknowledged was
lost without a word, a store did not open or recover, or anything else was wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from faultlib.classes import CLASSES, drawn, every
from faultlib.model import Fault, Record, plain, shown
from faultlib.workbench import Workbench, ground


def main() -> None:
    """Run, print the table, end with 1 when the promise was broken."""
    options = _options()
    with ProcessPoolExecutor(options.jobs) as pool:
        parts = [pool.submit(_part, options, number) for number in range(options.jobs)]
        numbered = sorted((row for part in parts for row in part.result()), key=lambda row: row[0])
    records = [record for _, record in numbered]
    print(shown(records))  # noqa: T201
    if options.json:
        Path(options.json).write_text(json.dumps(plain(records), indent=1) + "\n")
    sys.exit(0 if all(one.ok for one in records) else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--faults", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--only", default="", help="classes whose names hold one of these, with commas between"
    )
    parser.add_argument("--engine", choices=list(CLASSES), default="sqlite")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--slow", type=float, default=0, help="name faults that take longer than so many seconds"
    )
    return parser.parse_args()


def _part(options: argparse.Namespace, number: int) -> list[tuple[int, Record]]:
    """Every so-many-th fault, in a process of its own."""
    for name in [name for name in os.environ if name.startswith("RECORTEX_")]:
        del os.environ[name]
    with ground() as folder:
        os.environ |= {"RECORTEX_HOME": f"{folder}/home", "RECORTEX_EMBEDDER": "hashed"}
        bench = Workbench(folder)
        try:
            return [
                (place, _timed(fault, options.slow))
                for place, fault in enumerate(_faults(bench, options))
                if place % options.jobs == number
            ]
        finally:
            bench.close()


def _timed(fault: Fault, slow: float) -> Record:
    started = time.monotonic()
    record = fault.run()
    seconds = time.monotonic() - started
    if slow and seconds > slow:
        print(f"{seconds:.1f} s: {fault.fault} / {record.name}", file=sys.stderr)  # noqa: T201
    return record


def _faults(bench: Workbench, options: argparse.Namespace) -> list[Fault]:
    words = options.only.split(",")
    found = [*every(bench, options.engine), *drawn(bench, options.engine, options.seed, options.faults)]
    return [one for one in found if any(word in one.fault for word in words)]


if __name__ == "__main__":
    main()
