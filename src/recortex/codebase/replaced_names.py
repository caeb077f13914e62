"""Whether the code of a project and its history show that one name took another one's place.

That somebody said so shows only what was meant: a branch that was thrown away, a plan, another project.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.codebase.git import PLAIN, isolated
from recortex.codebase.project import branch_and_commit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from recortex.codebase.git import Git

SECONDS = 10.0
"""For one look through the history; what takes longer is not shown."""
COMMITS = 5
"""The last commits that changed how often the old name is there: one of them must bring the new one."""
_PROSE = ("*.md", "*.markdown", "*.rst", "*.txt", "*.adoc")
"""What tells of former names, and goes on to do so."""
_CODE = ("--", ":/", *(f":(exclude,top,icase){form}" for form in _PROSE))
_WORDS = ("grep", "--quiet", "--no-textconv", "-I", "-w", "-F")


def replaced_names(tree: Path, names: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Those pairs of an old and a new name of which the code has the new one alone, by one commit.

    Args:
        tree: the top of a working tree; without git nothing is shown.
        names: pairs that were told.
    """
    commit = branch_and_commit(tree)[1]
    with isolated(tree, commit) as git:
        if git is None:
            return
        for old, new in names:
            if "\n" not in old + new and not (tree / old).exists() and _is_replaced(git, commit, old, new):
                yield old, new


def _is_replaced(git: Git, commit: str, old: str, new: str) -> bool:
    """Whether the commit that is checked out has the new name alone, and an earlier one exchanged them."""
    if git.succeeds(*_WORDS, "-e", old, commit, *_CODE, seconds=SECONDS) is not False:
        return False
    if not git.succeeds(*_WORDS, "-e", new, commit, *_CODE, seconds=SECONDS):
        return False
    changed = git.lines(*_pickaxe(old), f"--max-count={COMMITS}", commit, *_CODE, seconds=SECONDS)
    return any(git.lines(*_pickaxe(new), "--no-walk", one, *_CODE, seconds=SECONDS) for one in changed)


def _pickaxe(name: str) -> tuple[str, ...]:
    return ("log", "--format=%H", "--no-renames", *PLAIN, f"-S{name}")
