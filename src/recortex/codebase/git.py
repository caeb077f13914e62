"""What git says of a working tree: the branch, the last commits, the files that differ from the last one (D, git context)."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.codebase.project import branch_and_commit

if TYPE_CHECKING:
    from pathlib import Path

COMMITS, FILES = 5, 20
SECONDS = 3.0
_MOST_BYTES = 64 * 1024
# A repository may bring settings that start programs; none of them is to run for a look.
_QUIET = (
    "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=", "-c", "core.pager=cat",
    "-c", "diff.external=", "-c", "core.quotePath=false",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class GitContext:
    """Where work happened.

    Attributes:
        commits: hashes of the last ones, the newest first.
        files: paths that differ from the newest commit, relative to the top of the working tree.
    """

    branch: str = ""
    commits: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def git_context(tree: Path) -> GitContext:
    """The context of a working tree; what cannot be found out is left empty, as is all where there is no git."""
    branch, commit = branch_and_commit(tree)
    if not commit:
        return GitContext(branch)
    commits = _lines(tree, "log", f"--max-count={COMMITS}", "--format=%H") or (commit,)
    files = _lines(tree, "diff", "--name-only", "--no-ext-diff", "--no-textconv", "HEAD")
    return GitContext(branch, commits[:COMMITS], files[:FILES])


def _lines(tree: Path, *words: str) -> tuple[str, ...]:
    command = ["git", *_QUIET, *words]
    try:
        done = subprocess.run(  # noqa: S603  fixed words; git is found as the person's shell finds it
            command, cwd=tree, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(done.stdout[:_MOST_BYTES].decode("utf-8", "replace").splitlines())
