"""Every check of the project, in order, as the README's second command and CI run them.

Ends at the first that fails.

The whole runs on the Python that runs this; its quick part on every other supported one that the machine has.
`--coverage` also measures how much of the package the tests run, which takes half as long again.
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

# Tests wait for a third of their time for programs and servers; who is done takes over what others have not
# begun.
WORKERS = min(os.cpu_count() or 1, 8) + 2
STEPS: tuple[tuple[str, ...], ...] = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports", "--no-cache"),
    (
        "pytest",
        "-n",
        str(WORKERS),
        "--dist",
        "worksteal",
        "-p",
        "no:cacheprovider",
        "--durations=25",
    ),
)
MEASURED = ("--cov", "--cov-report=term:skip-covered", f"--cov-fail-under={COVERED}")
"""What the last step is told besides, to measure the coverage; less than `COVERED` percent is a failure."""


def main() -> int:
    """Run the steps; the exit code of the first that fails, or 0."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("--coverage", action="store_true", help="measure the coverage of the tests too")
    measured = MEASURED if asked.parse_args().coverage else ()
    programs = Path(sys.executable).parent
    environment = os.environ | {
        "COVERAGE_CORE": "ctrace",
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
    }
    for step in (*STEPS[:-1], (*STEPS[-1], *measured)):
        began = time.monotonic()
        print(f"== {' '.join(step)}", flush=True)
        program = programs / step[0]
        done = subprocess.run([str(program), *step[1:]], cwd=ROOT, env=environment, check=False)
        print(f"-- {time.monotonic() - began:.0f} s", flush=True)
        if done.returncode:
            return done.returncode
    return next(filter(None, (pythons.check(*one, environment) for one in pythons.others().items())), 0)


if __name__ == "__main__":
    raise SystemExit(main())
