"""The checks of the project, in order, as the README's second command runs them; CI also runs `--full`.

Ends at the first that fails.

`--full` runs what is left out without it: the tests that are marked `full` (real clients, faults, and what
takes long), the property tests with more examples, and a quick part on every other supported Python that the
machine has. `--coverage` runs all tests and measures how much of the package they run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import pythons

ROOT = Path(__file__).resolve().parent.parent
COVERED = 90

# Tests wait for a part of their time for programs and servers, and each worker needs seconds to begin; who is
# done takes over what others have not begun.
WORKERS = min(os.cpu_count() or 1, 8) + 1
STATIC: tuple[tuple[str, ...], ...] = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports", "--no-cache"),
)
TESTS = (
    "pytest",
    "-n",
    str(WORKERS),
    "--dist",
    "worksteal",
    "-p",
    "no:cacheprovider",
    "--durations=25",
)
QUICK = (*STATIC, (*TESTS, "-m", "not full"))
FULL = ((*TESTS, "-m", "full or examples"),)
MEASURED = (*STATIC, (*TESTS, "--cov", "--cov-report=term:skip-covered", f"--cov-fail-under={COVERED}"))
"""Fails when less than `COVERED` percent are run."""


def main() -> int:
    """Run the steps; the exit code of the first that fails, or 0."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    which = asked.add_mutually_exclusive_group()
    which.add_argument("--full", action="store_true", help="run what takes long, and nothing else")
    which.add_argument("--coverage", action="store_true", help="run all tests and measure their coverage")
    options = asked.parse_args()
    programs = Path(sys.executable).parent
    environment = os.environ | {
        "COVERAGE_CORE": "ctrace",
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
    }
    if options.full or options.coverage:
        environment = {"HYPOTHESIS_PROFILE": "full"} | environment
    for step in FULL if options.full else MEASURED if options.coverage else QUICK:
        began = time.monotonic()
        print(f"== {' '.join(step)}", flush=True)
        program = programs / step[0]
        done = subprocess.run([str(program), *step[1:]], cwd=ROOT, env=environment, check=False)
        print(f"-- {time.monotonic() - began:.0f} s", flush=True)
        if done.returncode:
            return done.returncode
    if not options.full:
        return 0
    return next(filter(None, (pythons.check(*one, environment) for one in pythons.others().items())), 0)


if __name__ == "__main__":
    raise SystemExit(main())
