"""The checks of the project, as the README's second command runs them; CI also runs `--full`.

The style is looked at first. Types and imports are checked beside the tests and told after them; whatever
fails is named at the end.

`--full` runs what is left out without it: the tests that are marked `full` (real clients, faults, and what
takes long), the property tests with more examples, and a quick part on every other supported Python that the
machine has. `--coverage` runs all tests and measures how much of the package they run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pythons

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

ROOT = Path(__file__).resolve().parent.parent
COVERED = 90
MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
ROOM = 8 << 30
"""Bytes that have to be free there; the files of the tests take some two gigabytes."""

# Tests wait for a part of their time for programs and servers, and each worker needs seconds to begin; who is
# done takes over what others have not begun.
WORKERS = min(os.cpu_count() or 1, 8) + 1
STYLE: tuple[tuple[str, ...], ...] = (("ruff", "check", "."), ("ruff", "format", "--check", "."))
# Each keeps one core busy for long, while tests wait for programs and each other.
BESIDE: tuple[tuple[str, ...], ...] = (("mypy",), ("lint-imports", "--no-cache"))
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
QUICK = (*TESTS, "-m", "not full")
FULL = (*TESTS, "-m", "full or examples")
MEASURED = (*TESTS, "--cov", "--cov-report=term:skip-covered", f"--cov-fail-under={COVERED}")
"""Fails when less than `COVERED` percent are run."""


class Step:
    """A check that has been started; what it says is kept until it is told, or shown as it comes."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], *, shown: bool = True) -> None:
        self.title = " ".join(command)
        self._began = time.monotonic()
        self._kept = None if shown else tempfile.TemporaryFile()  # noqa: SIM115 - `end` closes it
        if shown:
            print(f"== {self.title}", flush=True)
        program = Path(sys.executable).parent / command[0]
        self._process = subprocess.Popen(
            [str(program), *command[1:]],
            cwd=ROOT,
            env=environment,
            stdout=self._kept,
            stderr=None if shown else subprocess.STDOUT,
        )

    def end(self) -> int:
        """Wait for it and tell what it kept; its exit code."""
        code = self._process.wait()
        if self._kept is not None:
            with self._kept as kept:
                kept.seek(0)
                print(f"== {self.title}\n{kept.read().decode(errors='replace')}", end="")
        print(f"-- {time.monotonic() - self._began:.0f} s", flush=True)
        return code


def run(
    steps: Sequence[Sequence[str]], beside: Sequence[Sequence[str]], environment: Mapping[str, str]
) -> int:
    """Run steps in order up to the first that fails, and others beside the last, which are told after it.

    Returns:
        The exit code of the first that failed, or 0; each that failed is named at the end.
    """
    *before, last = steps
    for command in before:
        if code := Step(command, environment).end():
            return code
    kept = [Step(command, environment, shown=False) for command in beside]
    ended = [(step.title, step.end()) for step in (Step(last, environment), *kept)]
    failed = {title: code for title, code in ended if code}
    for title in failed:
        print(f"FAILED: {title}", flush=True)
    return next(iter(failed.values()), 0)


def in_memory() -> AbstractContextManager[str | None]:
    """A folder in memory, where it has room: half of the tests' time is waiting for a disk."""
    if not MEMORY.is_dir() or shutil.disk_usage(MEMORY).free < ROOM:
        return nullcontext()
    return tempfile.TemporaryDirectory(prefix="recortex-check-", dir=MEMORY)


def main() -> int:
    """Run the steps; the exit code of the first that fails, or 0."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    which = asked.add_mutually_exclusive_group()
    which.add_argument("--full", action="store_true", help="run what takes long, and nothing else")
    which.add_argument("--coverage", action="store_true", help="run all tests and measure their coverage")
    options = asked.parse_args()
    environment = os.environ | {
        "COVERAGE_CORE": "ctrace",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    if options.full or options.coverage:
        environment = {"HYPOTHESIS_PROFILE": "full"} | environment
    if options.full:
        code = run((FULL,), (), environment)
    else:
        with in_memory() as folder:
            more = {"TMPDIR": folder} if folder else {}
            code = run((*STYLE, MEASURED if options.coverage else QUICK), BESIDE, environment | more)
    if code or not options.full:
        return code
    return next(filter(None, (pythons.check(*one, environment) for one in pythons.others().items())), 0)


if __name__ == "__main__":
    raise SystemExit(main())
