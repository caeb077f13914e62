"""The history of a repository, of a place of code and of a name, as git tells it, within bounds."""

from __future__ import annotations

import os
import re
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex.codebase.git import PLAIN, Git, branch_and_commit, checked_out, git_folders, isolated
from recortex.domain.code import Commit, FileHistory
from recortex.domain.reports import Hunk
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

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
    if not any(one.commits for one in found):  # as of a file
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
    with isolated(tree, branch_and_commit(tree)[1]) as git:
        if git is None:
            return []
        words = ("grep", "-n", "-I", "-E", "--full-name", "-e", before + r"[[:space:]]*([:=(<{]|$| )")
        found = git.lines(*words, "--", *_NO_DATA, most=MOST_BYTES, seconds=SECONDS)
    # A longer line is minified: a definition in it tells a person nothing.
    parts = (_PLACE.match(line) for line in found if len(line) < LONGEST)
    return [(one[1], int(one[2]), one[3]) for one in parts if one]


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
            # A commit may claim any time; Python's dates end in the year 9999.
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


# -- where files of a working tree went: what git recorded of renames, and which files there are


MOST_LISTED = 8 * 1024 * 1024
"""Bytes of git's list of files, or of its log."""
MOST_FILES = 50_000
"""Files that are listed without git."""
MOST_ASKED = 500
"""Paths in one question; a command line has room for some thousand."""
MOVES_LONGEST = 4_096
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
    asked = [
        f":(top,literal){one}" for one in sorted(set(paths)) if "\0" not in one and len(one) <= MOVES_LONGEST
    ]
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


# -- reads the history of a repository: its commits, and since when its files are there. One process each


HISTORY_SECONDS = 60.0
"""After which git is stopped."""
HISTORY_MOST_BYTES = 64 * 1024 * 1024
"""Of what it prints that are looked at."""
HISTORY_MOST_MESSAGE, HISTORY_MOST_FILES = 20_000, 200
"""Characters of a message, and files of a commit, that are looked at."""
_FORMAT = "%x00%H%x00%P%x00%at%x00%an%x00%ae%x00%B%x00"
_FIELDS = 7


class CommitHistory(NamedTuple):
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


def history(tree: Path, *, known: str = "", limit: int, since: datetime | None = None) -> CommitHistory:
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
            return CommitHistory()
        ancestor = bool(known) and git.succeeds("merge-base", "--is-ancestor", known, head) is True
        # One more than wanted, which tells that there are more.
        words = ["log", f"--max-count={limit + 1}", "--diff-merges=first-parent", "--name-only", *PLAIN]
        words += [f"--format={_FORMAT}", *([f"--since={since.isoformat()}"] if since else [])]
        text = git.text(
            *words, f"{known}..{head}" if ancestor else head, seconds=HISTORY_SECONDS, most=HISTORY_MOST_BYTES
        )
    if text is None:
        raise InvalidInputError(
            f"The history cannot be read, or not within {HISTORY_SECONDS:.0f} seconds.",
            hint="Read less of it: `--limit 1000`.",
        )
    found = list(_commits(text))
    cut = len(found) > limit or len(text) >= HISTORY_MOST_BYTES
    return CommitHistory(head, tuple(reversed(found[:limit])), continued=ancestor, cut=cut)


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
            message=message[:HISTORY_MOST_MESSAGE],
            files=tuple(filter(None, files.split("\n")))[:HISTORY_MOST_FILES],
        )


def file_histories(tree: Path, endings: Collection[str]) -> dict[str, FileHistory]:
    """Since when files with these endings are there, also under former names and elsewhere, by their path."""
    _, head = branch_and_commit(tree)
    with isolated(tree, head) as git:
        if git is None:
            return {}
        log = ("log", "-M", "--diff-filter=AMR", "--name-status", "--format=%x00%H%x00%at%x00", *PLAIN)
        places = [f":(top,glob)**/*{ending}" for ending in endings]
        text = git.text(*log, head, "--", *places, seconds=HISTORY_SECONDS, most=HISTORY_MOST_BYTES)
    found: dict[str, FileHistory] = {}
    now_called: dict[str, str] = {}
    fields = (text or "").split("\0")[1:]
    for commit, seconds, changes in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        at = _instant(seconds)
        for change in filter(None, changes.split("\n")):
            status, *names = change.split("\t")
            # From the latest commit back, so that a former name is translated into that of today.
            name = now_called.get(names[-1], names[-1])
            if status.startswith("R"):
                now_called[names[0]] = name
            known = found.get(name)
            # The last one that is read is the earliest: since then the file is there.
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


_kept: dict[Path, tuple[object, dict[str, str | None]]] = {}
"""What git told of one checkout of a tree: the fate of each file, None where it knows nothing."""


def fates(root: Path, gone: Collection[str], *, seconds: float) -> dict[str, str]:
    """As `Moves.fates`, of files that are gone.

    What is kept holds for one commit and one index: a new name that was never added is none that git knows.

    Args:
        root: of the working tree.
        gone: paths relative to it.
        seconds: after which a question to git is given up.
    """
    own, common = git_folders(root)
    commit = checked_out(own, common)[1]
    if not commit or not gone:
        return {}
    try:
        index = (own / "index").stat()
        checkout: object = commit, index.st_mtime_ns, index.st_size, index.st_ino
    except OSError:
        checkout = commit
    if root not in _kept or _kept[root][0] != checkout or len(_kept[root][1]) > MOST_KEPT:
        _kept[root] = checkout, {}
    kept = _kept[root][1]
    # The file that another one became may be gone by now, too.
    unknown = [
        path
        for path in gone
        if path not in kept or ((fate := kept[path]) and not os.path.isfile(root / fate))  # noqa: PTH113
    ]
    told: dict[str, str | None] = {}
    if unknown:
        began = time.monotonic()
        with moves(root, seconds=seconds) as known:
            found = known.fates(unknown)
        told = {path: found.get(path) for path in unknown}
        if time.monotonic() - began < seconds:  # otherwise git may not have answered: it is asked again
            kept.update(told)
    told = kept | told
    return {path: fate for path in gone if (fate := told[path]) is not None}


# -- names in the code of a project: which it has, which it lost, and by what commits


LOG_SECONDS = 10.0
"""For one look through the history; what takes longer is not shown."""
REPLACED_COMMITS = 5
"""The last commits that changed how often the old name is there: one of them must bring the new one."""
MOST_COMMITS, MOST_LOG = 60, 4 * 1024 * 1024
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
    changed = git.lines(
        *_pickaxe(old), f"--max-count={REPLACED_COMMITS}", commit, *_CODE, seconds=LOG_SECONDS
    )
    return any(git.lines(*_pickaxe(new), "--no-walk", one, *_CODE, seconds=LOG_SECONDS) for one in changed)


def _has(git: Git, commit: str, name: str) -> bool | None:
    """Whether the code of a commit has a name as a word; None where it could not be found out."""
    return git.succeeds(*_WORDS, "--quiet", "-e", name, commit, *_CODE, seconds=LOG_SECONDS)


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
            *_WORDS, "-h", "-o", *asked, self._commit, *_CODE, seconds=LOG_SECONDS, most=MOST_LOG
        )
        if told is None:  # git fails where it finds nothing, too
            found = self._git.succeeds(*_WORDS, "--quiet", *asked, self._commit, *_CODE, seconds=LOG_SECONDS)
            return list(names) if found is False else []
        there = set(told.splitlines())
        cut = len(told.encode()) >= MOST_LOG
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
        told = self._git.text(*log, *asked, seconds=LOG_SECONDS, most=MOST_LOG) or ""
        for block in told.split("\x01")[1:]:
            head, _, diff = block.partition("\n")
            commit, _, at = head.partition(" ")
            yield Removal(
                commit, datetime.fromtimestamp(min(int(at), 2**33), UTC), tuple(_changed_hunks(diff))
            )


@contextmanager
def name_history(tree: Path) -> Iterator[NameHistory | None]:
    """What git knows of names, for a run; None without git."""
    commit = branch_and_commit(tree)[1]
    with isolated(tree, commit) as git:
        yield NameHistory(git, commit) if git else None


def _overlaps(name: str, names: Sequence[str]) -> bool:
    """Whether a name is a part of another one, or has one as a part."""
    return any(one != name and (one in name or name in one) for one in names)


def _changed_hunks(diff: str) -> Iterator[Hunk]:
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
