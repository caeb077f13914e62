"""Reads the history of a repository: its commits, and since when its files are there. One process each."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from recortex.codebase.git import PLAIN, Git, isolated
from recortex.codebase.line_history import moves
from recortex.codebase.project import branch_and_commit, git_folders
from recortex.domain.commit import Commit, FileHistory
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path


SECONDS = 60.0
"""After which git is stopped."""
MOST_BYTES = 64 * 1024 * 1024
"""Of what it prints that are looked at."""
MOST_MESSAGE, MOST_FILES = 20_000, 200
"""Characters of a message, and files of a commit, that are looked at."""
_FORMAT = "%x00%H%x00%P%x00%at%x00%an%x00%ae%x00%B%x00"
_FIELDS = 7


class History(NamedTuple):
    """Commits that were read.

    Attributes:
        head: the newest commit; empty where there is no git, or no commit.
        commits: the oldest first.
        continued: they go on from the commit that was known.
        cut: there are more, which were not read.
    """

    head: str = ""
    commits: tuple[Commit, ...] = ()
    continued: bool = False
    cut: bool = False


def history(tree: Path, *, known: str = "", limit: int, since: datetime | None = None) -> History:
    """The last commits that are reachable from the one that is checked out.

    Args:
        tree: the top of the working tree.
        known: a commit up to which they were read before; ignored where it is no longer an ancestor.
        limit: at most so many, the newest ones.
        since: only those that were committed later.

    Raises:
        InvalidInputError: git fails, or takes too long.
    """
    _, head = branch_and_commit(tree)
    with isolated(tree, head) as git:
        if git is None:
            return History()
        ancestor = bool(known) and git.succeeds("merge-base", "--is-ancestor", known, head) is True
        words = ["log", f"--max-count={limit + 1}", "--diff-merges=first-parent", "--name-only", *PLAIN]
        words += [f"--format={_FORMAT}", *([f"--since={since.isoformat()}"] if since else [])]
        text = git.text(*words, f"{known}..{head}" if ancestor else head, seconds=SECONDS, most=MOST_BYTES)
    if text is None:
        raise InvalidInputError(
            f"The history cannot be read, or not within {SECONDS:.0f} seconds.",
            hint="Read less of it: `--limit 1000`.",
        )
    found = list(_commits(text))
    cut = len(found) > limit or len(text) >= MOST_BYTES
    return History(head, tuple(reversed(found[:limit])), continued=ancestor, cut=cut)


def _commits(text: str) -> Iterator[Commit]:
    """What git printed, in groups of fields; one that was cut off is left out."""
    fields = text.split("\0")[1:]
    for at in range(0, len(fields) - _FIELDS + 1, _FIELDS):
        hash_, parents, seconds, author, email, message, files = fields[at : at + _FIELDS]
        if not seconds.isdecimal():
            continue
        yield Commit(
            hash=hash_,
            parents=tuple(parents.split()),
            at=_instant(seconds),
            author=author,
            email=email,
            message=message[:MOST_MESSAGE],
            files=tuple(filter(None, files.split("\n")))[:MOST_FILES],
        )


def file_histories(tree: Path, endings: Collection[str]) -> dict[str, FileHistory]:
    """Since when files with these endings are there, also under former names and elsewhere, by their path."""
    _, head = branch_and_commit(tree)
    with isolated(tree, head) as git:
        if git is None:
            return {}
        log = ("log", "-M", "--diff-filter=AMR", "--name-status", "--format=%x00%H%x00%at%x00", *PLAIN)
        places = [f":(top,glob)**/*{ending}" for ending in endings]
        text = git.text(*log, head, "--", *places, seconds=SECONDS, most=MOST_BYTES)
    found: dict[str, FileHistory] = {}
    now_called: dict[str, str] = {}
    fields = (text or "").split("\0")[1:]
    for commit, seconds, changes in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        at = _instant(seconds)
        for change in filter(None, changes.split("\n")):
            status, *names = change.split("\t")
            name = now_called.get(names[-1], names[-1])
            if status.startswith("R"):
                now_called[names[0]] = name
            known = found.get(name)
            found[name] = FileHistory(at, commit, known.last if known else at)
    return found


def _instant(seconds: str) -> datetime:
    return datetime.fromtimestamp(min(int(seconds), 2**33) if seconds.isdecimal() else 0, UTC)


# -- files as they were at a time, read from git


PAST_MOST_BYTES = 1024 * 1024
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
        return data if data is not None and len(data) < PAST_MOST_BYTES else None


@contextmanager
def past(root: Path) -> Iterator[Past]:
    """The past of a working tree, as its current branch tells it."""
    commit = branch_and_commit(root)[1]
    with isolated(root, commit) as git:
        yield Past(git, commit)


# -- where files went that are gone, as git recorded it; kept while the checkout stays as it is


MOST_KEPT = 10_000
"""Files of a checkout whose fate is kept: about a megabyte."""


class _Kept(NamedTuple):
    """What git told of one checkout: the fate of each file, None where it knows nothing."""

    checkout: object
    fates: dict[str, str | None]


_kept: dict[Path, _Kept] = {}


def fates(root: Path, gone: Collection[str], *, seconds: float) -> dict[str, str]:
    """As `Moves.fates`, of files that are gone.

    What is kept holds for one commit and one index: a new name that was never added is none that git knows.

    Args:
        root: of the working tree.
        gone: paths relative to it.
        seconds: after which a question to git is given up.
    """
    commit = branch_and_commit(root)[1]
    if not commit or not gone:
        return {}
    checkout = commit, _index(root)
    kept = _kept.get(root)
    if kept is None or kept.checkout != checkout or len(kept.fates) > MOST_KEPT:
        kept = _kept[root] = _Kept(checkout, {})
    unknown = [path for path in gone if path not in kept.fates or not _stands(root, kept.fates[path])]
    told = kept.fates | (_query_fates(root, unknown, seconds, kept.fates) if unknown else {})
    return {path: fate for path in gone if (fate := told[path]) is not None}


def _query_fates(
    root: Path, paths: Collection[str], seconds: float, kept: dict[str, str | None]
) -> dict[str, str | None]:
    """The fate of each, which is kept unless git may not have answered in time."""
    began = time.monotonic()
    with moves(root, seconds=seconds) as known:
        found = known.fates(paths)
    told = {path: found.get(path) for path in paths}
    if time.monotonic() - began < seconds:
        kept.update(told)
    return told


def _stands(root: Path, fate: str | None) -> bool:
    """Whether the file that another one became is still there."""
    return not fate or os.path.isfile(root / fate)  # noqa: PTH113  takes any name


def _index(root: Path) -> object:
    """What changes whenever git writes its index."""
    try:
        found = (git_folders(root)[0] / "index").stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
