"""The commits behind a place of code, as git tells them: bounded in number, in time and in bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from recortex.codebase.git import PLAIN, Git, isolated
from recortex.codebase.project import branch_and_commit
from recortex.domain.commit import Commit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

OF_LINE, OF_FILE = 6, 8
"""The last commits that are told of."""
SECONDS = 2.0
"""After which a question to git is given up."""
MOST_BYTES = 512 * 1024
KEPT = 256
"""Histories that a process keeps: by commit, path and what the file holds, so that none is out of date."""
MOST_MESSAGE = 4_000
"""Characters of a message that are read."""
_Hunk = tuple[int, int, int, int]
"""First line and number of lines of what was there, and of what is there."""
_FORM = "--format=%x01%H%x02%ct%x02%an%x02%B"
_PLACE = re.compile(r"([^:]+):(\d{1,9}):(.*)")
_NAME = re.compile(r"[A-Za-z_$][\w$]{0,99}", re.ASCII)
_NO_DATA = tuple(
    f":(exclude)*.{end}" for end in ("jsonl", "json", "csv", "lock", "svg", "min.js", "md", "txt")
)
LONGEST = 600
"""Characters of a line of code."""
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class History:
    """The commits of a place, the latest first.

    Attributes:
        uncommitted: whether the place, or a part of it, is not committed yet.
    """

    commits: tuple[Commit, ...] = ()
    uncommitted: bool = False


def of_file(tree: Path, path: str) -> History:
    """The last commits that touched a file, under its former names too."""
    found = _of_file(tree, path, branch_and_commit(tree)[1])
    if not found.commits:  # git may have taken too long: it is asked again
        _of_file.cache_clear()
    return found


def of_lines(tree: Path, path: str, ranges: Sequence[tuple[int, int]], blob: bytes) -> list[History]:
    """The last commits that changed each of some ranges of lines, as the working tree numbers them.

    Args:
        tree: its top folder.
        path: of the file, from there.
        ranges: first and last lines, from 1.
        blob: what the file holds now; the same is asked of git once a process.
    """
    content = blake2b(blob, digest_size=16).digest()
    found = _of_lines(tree, path, tuple(ranges), branch_and_commit(tree)[1], content)
    if not any(one.commits for one in found):
        _of_lines.cache_clear()
    return list(found)


@lru_cache(KEPT)
def _of_file(tree: Path, path: str, commit: str) -> History:
    with isolated(tree, commit) as git:
        return History(tuple(_log(git, OF_FILE, "--follow", "--", path))) if git else History()


@lru_cache(KEPT)
def _of_lines(
    tree: Path, path: str, ranges: tuple[tuple[int, int], ...], commit: str, _content: bytes
) -> tuple[History, ...]:
    with isolated(tree, commit) as git:
        if git is None:
            return tuple(History() for _ in ranges)
        hunks = list(_hunks(git, path))
        return tuple(_of_range(git, path, hunks, first, last) for first, last in ranges)


def places_of(tree: Path, name: str) -> list[tuple[str, int, str]]:
    """Where the tracked files of a working tree may define a name: path, line and text.

    Args:
        tree: its top folder.
        name: letters, digits, underscores and `$`.
    """
    if not _NAME.fullmatch(name):
        return []
    before = r"(^|[^A-Za-z0-9_.])" + name.replace("$", r"\$")
    with _git(tree) as git:
        if git is None:
            return []
        words = ("grep", "-n", "-I", "-E", "--full-name", "-e", before + r"[[:space:]]*([:=(<{]|$| )")
        found = git.lines(*words, "--", *_NO_DATA, most=MOST_BYTES, seconds=SECONDS)
    parts = (_PLACE.match(line) for line in found if len(line) < LONGEST)
    return [(one[1], int(one[2]), one[3]) for one in parts if one]


def _git(tree: Path) -> AbstractContextManager[Git | None]:
    return isolated(tree, branch_and_commit(tree)[1])


def _of_range(git: Git, path: str, hunks: Sequence[_Hunk], first: int, last: int) -> History:
    old_first, old_last, touched = _before(hunks, first, last)
    if old_last < old_first:
        return History((), uncommitted=True)
    lines = _log(git, OF_LINE, f"-L{old_first},{old_last}:{path}", "--no-patch")
    return History(tuple(lines), uncommitted=touched)


def _log(git: Git, most: int, *words: str) -> Iterator[Commit]:
    said = "\n".join(
        git.lines("log", f"--max-count={most}", _FORM, *PLAIN, *words, most=MOST_BYTES, seconds=SECONDS)
    )
    for record in said.split("\x01")[1:]:
        parts = record.split("\x02")
        if len(parts) == 4 and parts[1].isdecimal():  # noqa: PLR2004  as the form says
            hash_, at, author, message = parts
            when = datetime.fromtimestamp(min(int(at), 2**33), UTC)
            yield Commit(hash=hash_.strip(), at=when, author=author, message=message.strip()[:MOST_MESSAGE])


def _hunks(git: Git, path: str) -> Iterator[_Hunk]:
    """What the working tree changed of a file since the commit."""
    words = ("diff", "-U0", *PLAIN, "HEAD", "--", f":(top,literal){path}")
    for line in git.lines(*words, most=MOST_BYTES, seconds=SECONDS):
        if found := _HUNK.match(line):
            yield int(found[1]), int(found[2] or 1), int(found[3]), int(found[4] or 1)


def _before(hunks: Sequence[_Hunk], first: int, last: int) -> tuple[int, int, bool]:
    """The range of the commit's lines that a range of the working tree was; whether any of it is new.

    It is empty, its last line before its first, where all of it is new.
    """
    inside = [one for one in hunks if one[3] and one[2] <= last and one[2] + one[3] > first]
    if any(not old and new <= first and new + count > last for _, old, new, count in inside):
        return 1, 0, True
    return max(_was(hunks, first), 1), max(_was(hunks, last), 1), bool(inside)


def _was(hunks: Sequence[_Hunk], line: int) -> int:
    """The number that a line of the working tree had, or the nearest one's that was there."""
    shift = 0
    for old, old_count, new, count in hunks:
        if count and new <= line < new + count:
            return old + min(line - new, max(old_count - 1, 0))
        if new + max(count - 1, 0) < line:
            shift += old_count - count
    return line + shift
