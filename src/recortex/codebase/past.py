"""Files as they were at a time, read from git."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recortex.codebase.git import Git, isolated
from recortex.codebase.project import branch_and_commit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

MOST_BYTES = 1024 * 1024
"""Of a file; a larger one has no facts."""


@dataclass(frozen=True)
class Past:
    """What a repository knows of its past; made by `past`.

    Attributes:
        commit: that is checked out; empty where none is.
    """

    git: Git | None
    commit: str
    _commits: dict[int, str] = field(default_factory=dict)

    def at(self, time: datetime) -> str:
        """The newest commit of the current branch at a time; empty where there was none."""
        if self.git is None:
            return ""
        seconds = int(time.timestamp())
        if seconds not in self._commits:
            found = self.git.lines("rev-list", "-1", "--first-parent", f"--before={seconds}", "HEAD", "--")
            self._commits[seconds] = found[0] if found else ""
        return self._commits[seconds]

    def read(self, commit: str, path: str) -> bytes | None:
        """A file at a commit; None where it was not there, or is too large."""
        text = self.git.text("cat-file", "blob", f"{commit}:{path}") if self.git else None
        data = None if text is None else text.encode("utf-8", "replace")
        return data if data is not None and len(data) < MOST_BYTES else None


@contextmanager
def past(root: Path) -> Iterator[Past]:
    """The past of a working tree, as its current branch tells it."""
    commit = branch_and_commit(root)[1]
    with isolated(root, commit) as git:
        yield Past(git, commit)
