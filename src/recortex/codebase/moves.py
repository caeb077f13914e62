"""Where files of a working tree went: what git recorded of renames, and which files there are.

One process answers for many files, whatever their number.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.codebase.git import PLAIN, Git, isolated
from recortex.codebase.project import branch_and_commit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime


MOST_LISTED = 8 * 1024 * 1024
"""Bytes of git's list of files, or of its log."""
MOST_FILES = 50_000
"""Files that are listed without git."""
MOST_ASKED = 500
"""Paths in one question; a command line has room for some thousand."""
LONGEST = 4_096
"""Characters of a path."""
MOST_STEPS = 5
"""Renames of one file that are followed."""
_PASSED_OVER = frozenset({"node_modules", "__pycache__", "venv", "target", "dist", "build", "vendor"})


@dataclass(frozen=True, slots=True)
class Moves:
    """Answers about one working tree; made by `moves`."""

    root: Path
    git: Git | None
    seconds: float

    def fates(self, paths: Iterable[str]) -> dict[str, str]:
        """For files that are not there any more: the file that each became; empty where it was deleted.

        What git does not know of is left out.
        """
        found: dict[str, str] = {}
        now = {path: path for path in paths}
        for _ in range(MOST_STEPS):
            step = self._step(sorted(set(now.values())))
            found |= {path: "" for path, last in now.items() if step.get(last) == ""}
            now = {path: step[last] for path, last in now.items() if step.get(last)}
            there = [path for path, last in now.items() if os.path.isfile(self.root / last)]  # noqa: PTH113
            found |= {path: now.pop(path) for path in there}
            if not now:
                break
        return found

    def commits(self, paths: Iterable[str], since: datetime) -> dict[str, list[int]]:
        """When commits since then changed each of some files, in seconds since 1970."""
        found: dict[str, list[int]] = {}
        form, at = (f"--since={int(since.timestamp())}", "--name-only", "--format=%x00%ct", "--"), 0
        for asked in _asked(paths):
            for line in self._lines("log", *form, *asked):
                if line.startswith("\0"):
                    at = int(line[1:]) if line[1:].isdecimal() else 0
                elif line:
                    found.setdefault(line, []).append(at)
        return found

    def files(self) -> tuple[str, ...]:
        """Every file that git knows or would, relative to the root; without git, what is no hidden file."""
        if self.git is None:
            return tuple(_walked(self.root))
        listing = ("ls-files", "--cached", "--others", "--exclude-standard")
        return self.git.lines(*listing, most=MOST_LISTED, seconds=self.seconds)

    def _step(self, paths: Sequence[str]) -> dict[str, str]:
        """One step of each: what was not committed yet, then the commit that took the file away."""
        if self.git is None or not paths:
            return {}
        found = self._renames("diff", "--ignore-submodules=all", "HEAD")
        for asked in _asked(paths):
            deletions = ("--no-renames", "--diff-filter=D", "--name-only", "--format=%x00%H", "--", *asked)
            said = self._lines("log", *deletions)
            commits = [line[1:] for line in said if line.startswith("\0")]
            # The oldest first: of two commits that renamed a file, the later one counts.
            renames = self._renames("log", "--no-walk=unsorted", "--format=", *commits[MOST_ASKED::-1])
            found = dict.fromkeys(filter(None, (line for line in said if line[:1] != "\0")), "") | (
                (renames if commits else {}) | found
            )
        return {path: found[path] for path in paths if path in found}

    def _renames(self, command: str, *words: str) -> dict[str, str]:
        lines = self._lines(command, "--name-status", "-M", "--diff-filter=R", *words)
        parts = (line.split("\t") for line in lines)
        return {names[0]: names[1] for status, *names in parts if status[:1] == "R" and names[1:]}

    def _lines(self, command: str, *words: str) -> tuple[str, ...]:
        if self.git is None:
            return ()
        return self.git.lines(command, *PLAIN, *words, most=MOST_LISTED, seconds=self.seconds)


def _asked(paths: Iterable[str]) -> Iterator[list[str]]:
    """Paths as git is asked for them, in questions of `MOST_ASKED`; without those that no file can have."""
    asked = [f":(top,literal){one}" for one in sorted(set(paths)) if "\0" not in one and len(one) <= LONGEST]
    for first in range(0, len(asked), MOST_ASKED):
        yield asked[first : first + MOST_ASKED]


@contextmanager
def moves(root: Path, *, seconds: float) -> Iterator[Moves]:
    """What is known of a working tree.

    Args:
        root: its top folder.
        seconds: after which a question to git is given up.
    """
    _, commit = branch_and_commit(root)
    with isolated(root, commit) as git:
        yield Moves(root, git, seconds)


def _walked(root: Path) -> Iterator[str]:
    found = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(one for one in folders if not (one.startswith(".") or one in _PASSED_OVER))
        inside = os.path.relpath(folder, root)
        for name in sorted(one for one in names if not one.startswith(".")):
            yield name if inside == "." else f"{inside}/{name}".replace(os.sep, "/")
            found += 1
            if found >= MOST_FILES:
                return
