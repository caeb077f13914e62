"""Names in the code of a project: which it has, which it lost, and by what commits."""

from __future__ import annotations

import re
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from recortex.codebase.git import PLAIN, isolated
from recortex.codebase.project import branch_and_commit
from recortex.domain.learned import Hunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from recortex.codebase.git import Git


SECONDS = 10.0
"""For one look through the history; what takes longer is not shown."""
REPLACED_COMMITS = 5
"""The last commits that changed how often the old name is there: one of them must bring the new one."""
MOST_COMMITS, MOST_BYTES = 60, 4 * 1024 * 1024
"""The last commits that took names away, and how much of what git tells is read."""
_PROSE = ("*.md", "*.markdown", "*.rst", "*.txt", "*.adoc")
"""What tells of former names, and goes on to do so."""
_CODE = ("--", ":/", *(f":(exclude,top,icase){form}" for form in _PROSE))
_WORDS = ("grep", "--no-textconv", "-I", "-w", "-F")


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
            # Git takes a line break for the end of a pattern; and an old path that is still there was not
            # given up.
            if "\n" not in old + new and not (tree / old).exists() and _is_replaced(git, commit, old, new):
                yield old, new


def _is_replaced(git: Git, commit: str, old: str, new: str) -> bool:
    """Whether the commit that is checked out has the new name alone, and an earlier one exchanged them."""
    if _has(git, commit, old) is not False or not _has(git, commit, new):
        return False
    changed = git.lines(*_pickaxe(old), f"--max-count={REPLACED_COMMITS}", commit, *_CODE, seconds=SECONDS)
    return any(git.lines(*_pickaxe(new), "--no-walk", one, *_CODE, seconds=SECONDS) for one in changed)


def _has(git: Git, commit: str, name: str) -> bool | None:
    """Whether the code of a commit has a name as a word; None where it could not be found out."""
    return git.succeeds(*_WORDS, "--quiet", "-e", name, commit, *_CODE, seconds=SECONDS)


def _pickaxe(name: str) -> tuple[str, ...]:
    return ("log", "--format=%H", "--no-renames", *PLAIN, f"-S{name}")


class Removal(NamedTuple):
    """A commit that changed how often one of some names is in the code, when it was, and what it changed."""

    commit: str
    at: datetime
    hunks: tuple[Hunk, ...]


class NameHistory:
    """Asks git about names; made for one run."""

    def __init__(self, git: Git, commit: str) -> None:
        self._git, self._commit = git, commit

    def gone(self, names: Sequence[str]) -> list[str]:
        """Those names that the code does not have as words; none where that could not be found out."""
        if not names:
            return []
        asked = [word for name in names for word in ("-e", name)]
        told = self._git.text(
            *_WORDS, "-h", "-o", *asked, self._commit, *_CODE, seconds=SECONDS, most=MOST_BYTES
        )
        if told is None:  # git fails where it finds nothing, too
            found = self._git.succeeds(*_WORDS, "--quiet", *asked, self._commit, *_CODE, seconds=SECONDS)
            return list(names) if found is False else []
        there = set(told.splitlines())
        cut = len(told.encode()) >= MOST_BYTES
        # A look takes a fifth of a second and more. Of names that overlap git tells only one for each place.
        return [
            one
            for one in names
            if one not in there and (not (cut or _overlaps(one, names)) or self.has(one) is False)
        ]

    def has(self, name: str, *, before: str = "") -> bool | None:
        """Whether the code has a name now, or had it before a commit; None: it could not be found out."""
        return _has(self._git, f"{before}^" if before else self._commit, name)

    def removals(self, names: Iterable[str], since: datetime) -> Iterator[Removal]:
        """The commits since a time that changed how often names are in the code, the latest first."""
        form = "|".join(map(re.escape, names))
        log = ("log", f"--max-count={MOST_COMMITS}", f"--since={since.isoformat()}", "--format=%x01%H %ct")
        asked = ("-p", "-U0", "-M", *PLAIN, "--pickaxe-regex", f"-S{form}", self._commit, *_CODE)
        told = self._git.text(*log, *asked, seconds=SECONDS, most=MOST_BYTES) or ""
        for block in told.split("\x01")[1:]:
            head, _, diff = block.partition("\n")
            commit, _, at = head.partition(" ")
            yield Removal(commit, datetime.fromtimestamp(min(int(at), 2**33), UTC), tuple(_hunks(diff)))


@contextmanager
def name_history(tree: Path) -> Iterator[NameHistory | None]:
    """What git knows of names, for a run; None without git."""
    commit = branch_and_commit(tree)[1]
    with isolated(tree, commit) as git:
        yield NameHistory(git, commit) if git else None


def _overlaps(name: str, names: Sequence[str]) -> bool:
    """Whether a name is a part of another one, or has one as a part."""
    return any(one != name and (one in name or name in one) for one in names)


def _hunks(diff: str) -> Iterator[Hunk]:
    """The places that a difference without context changes."""
    removed: list[str] = []
    added: list[str] = []
    within = False
    # The last word closes the last place.
    for line in [*diff.splitlines(), "diff"]:
        if line.startswith(("@@", "diff")):
            if removed:
                yield Hunk(tuple(removed), tuple(added))
            removed, added, within = [], [], line.startswith("@@")
        elif within and line.startswith("-"):
            removed.append(line[1:])
        elif within and line.startswith("+"):
            added.append(line[1:])
