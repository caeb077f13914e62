"""Asks git about a repository without its configuration: nothing that a repository configures is ever run.

A clone or an unpacked archive can name programs that git starts on its own: clean and smudge filters, text
conversion, external diffs, a file system monitor, hooks, credential helpers, lazy fetches. Switching them off
one by one forgets the next one. So git gets a repository folder of our own, with an empty configuration, that
borrows the objects and the index of the real one.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from recortex.codebase.project import branch_and_commit, git_environment, git_folders, git_path, run, tag
from recortex.domain.text import lazy
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular
from recortex.lean import Value

if TYPE_CHECKING:
    from collections.abc import Iterator


COMMITS, FILES = 5, 20
"""How many are noted of the checkout at most."""
AT_WORK, MOST_AT_WORK = 10, 60
"""The last commits whose files count as being worked on, and the most of those files."""
RENAMED = 200
"""The last commits that renamed files."""
RENAMED_SECONDS = 10.0
SECONDS = 3.0
"""After which a git command is stopped."""
MOST_BYTES = 64 * 1024
_SHA256 = 64
PLAIN = ("--no-ext-diff", "--no-textconv")
_HARMLESS = lazy(
    r"^\s*(filemode|ignorecase|symlinks|autocrlf|precomposeunicode)\s*=\s*(true|false|input)\s*$",
    re.MULTILINE | re.IGNORECASE,
)


class GitContext(Value, frozen=True):
    """Where work happened.

    Attributes:
        branch: that is checked out; empty where none is.
        commits: hashes of the last ones, the newest first.
        files: paths that differ from the newest commit, relative to the top of the working tree.
    """

    branch: str = ""
    commits: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


class Git(Value, frozen=True):
    """Answers questions about one working tree; made by `isolated`."""

    program: str
    folder: Path
    environment: dict[str, str]

    def lines(self, *words: str, seconds: float = SECONDS, most: int = MOST_BYTES) -> tuple[str, ...]:
        """The lines that git prints; none where it fails or takes longer.

        Args:
            words: a subcommand that reads, with its arguments.
            seconds: after which it is stopped.
            most: bytes of its answer that are looked at.
        """
        return tuple((self.text(*words, seconds=seconds, most=most) or "").splitlines())

    def text(self, *words: str, seconds: float = SECONDS, most: int = MOST_BYTES) -> str | None:
        """All that git prints, likewise; None where it fails or takes longer."""
        # By default git writes names beyond ASCII as octal numbers between quotation marks.
        said = self.bytes("-c", "core.quotePath=false", *words, seconds=seconds)
        return None if said is None else said[:most].decode("utf-8", "replace")

    def bytes(self, *words: str, seconds: float = SECONDS) -> bytes | None:
        """The same as it stands."""
        return run([self.program, *words], self.folder, self.environment, seconds)

    def succeeds(self, *words: str, seconds: float = SECONDS) -> bool | None:
        """Whether git ends with 0; None where it ends with more than 1, takes longer or cannot be run."""
        import subprocess

        try:
            done = subprocess.run(  # noqa: S603  fixed words; the program's path is absolute
                [self.program, *words],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=seconds,
                check=False,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return None if done.returncode not in (0, 1) else done.returncode == 0


@contextmanager
def isolated(tree: Path, commit: str) -> Iterator[Git | None]:
    """Git for a working tree, without its configuration; None where there is no git program or no commit.

    Args:
        tree: its top folder.
        commit: that is checked out; it stands for HEAD.
    """
    program = git_path()
    own, common = git_folders(tree)
    if program is None or not commit:
        yield None
        return
    import tempfile

    with tempfile.TemporaryDirectory(prefix="recortex-git-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "refs").mkdir()
        (folder / "HEAD").write_text(f"{commit}\n", encoding="ascii")
        (folder / "config").write_text(_configuration(common, commit), encoding="utf-8")
        places = {
            "GIT_DIR": name,
            "GIT_WORK_TREE": str(tree),
            "GIT_INDEX_FILE": str(own / "index"),
            "GIT_OBJECT_DIRECTORY": str(common / "objects"),
            # Without it git would look for the parents at which a shallow clone ends.
            "GIT_SHALLOW_FILE": str(common / "shallow"),
        }
        yield Git(program, folder, {**git_environment(), **places})


def git_context(tree: Path) -> GitContext:
    """The context of a working tree.

    What cannot be found out is left empty, as is all where there is no git.
    """
    branch, commit = branch_and_commit(tree)
    with isolated(tree, commit) as git:
        if git is None:
            return GitContext(branch, (commit,) if commit else ())
        commits = git.lines("log", f"--max-count={COMMITS}", "--format=%H") or (commit,)
        files = _changed(git)
    return GitContext(branch, commits[:COMMITS], files[:FILES])


def files_at_work(tree: Path) -> tuple[str, ...]:
    """The files of a working tree that are being worked on, relative to its top.

    Those that differ from the newest commit, then those of the last commits of two weeks.
    """
    _, commit = branch_and_commit(tree)
    with isolated(tree, commit) as git:
        if git is None:
            return ()
        lately = git.lines(
            "log", f"--max-count={AT_WORK}", "--since=14.days", "--name-only", "--format=", *PLAIN
        )
        files = dict.fromkeys((*_changed(git)[:FILES], *filter(None, lately)))
    return tuple(files)[:MOST_AT_WORK]


def renamed_files(tree: Path, since: datetime) -> list[tuple[str, str, datetime]]:
    """Files that the last commits since a time renamed: from, to, and when, the latest first."""
    _, commit = branch_and_commit(tree)
    with isolated(tree, commit) as git:
        if git is None:
            return []
        log = ("log", f"--max-count={RENAMED}", f"--since={since.isoformat()}", "-M", "--diff-filter=R")
        lines = git.lines(*log, "--name-status", "--format=%ct", *PLAIN, seconds=RENAMED_SECONDS)
    found: list[tuple[str, str, datetime]] = []
    at = datetime.fromtimestamp(0, UTC)
    for line in lines:
        status, *names = line.split("\t")
        if status.isdecimal():
            # A commit may claim any time; Python's dates end in the year 9999.
            at = datetime.fromtimestamp(min(int(status), 2**33), UTC)
        elif len(names) == 2:  # noqa: PLR2004  from and to
            found.append((names[0], names[1], at))
    return found


def released_at(tree: Path, version: str) -> datetime | None:
    """When the commit of a version's tag was made; None: there is none. `2.0` is also `v2.0.0`."""
    number = version.lower().removeprefix("v")
    found = next(filter(None, (tag(tree, f"{v}{number}{end}") for end in ("", ".0") for v in ("v", ""))), "")
    with isolated(tree, found) as git:
        lines = git.lines("log", "--max-count=1", "--format=%ct", found) if git else ()
    return datetime.fromtimestamp(min(int(lines[0]), 2**33), UTC) if lines and lines[0].isdecimal() else None


def _changed(git: Git) -> tuple[str, ...]:
    """The files that differ from the newest commit."""
    # A submodule is asked with its own configuration: it is left out.
    return git.lines("diff", "--name-only", *PLAIN, "--ignore-submodules=all", "HEAD")


def tracked(tree: Path, path: str) -> bool:
    """Whether git keeps a file, or anything in a folder, of a working tree in the repository."""
    _, commit = branch_and_commit(tree)
    # Before the first commit there is an index already, and git wants some commit as HEAD.
    with isolated(tree, commit or "0" * 40) as git:
        return git is not None and bool(git.lines("ls-files", "--cached", "--", f":(top,literal){path}"))


def ignored_paths(tree: Path, *, seconds: float) -> frozenset[str] | None:
    """What git ignores in a working tree by a pattern, from its top, folders with a slash at their end.

    None where git is not there, fails, or takes longer.

    Args:
        tree: the top of the working tree.
        seconds: after which git is stopped.
    """
    _, common = git_folders(tree)
    _, commit = branch_and_commit(tree)
    command = ("status", "--porcelain", "-z", "--ignored=matching", "--untracked-files=all", "--no-renames")
    with isolated(tree, commit or "0" * 40) as git:
        if git is None:
            return None
        (git.folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")  # no commit is compared
        with suppress(OSError, UntrustedFileError):
            # Git looks for this file in the repository's folder, which here is ours.
            (git.folder / "info").mkdir()
            own = read_regular(common / "info" / "exclude", MOST_BYTES)
            (git.folder / "info" / "exclude").write_bytes(own)
        listed = git.bytes(*command, "--ignore-submodules=all", seconds=seconds)
    if listed is None:
        return None
    return frozenset(os.fsdecode(one[3:]) for one in listed.split(b"\0") if one.startswith(b"!! "))


def set_local(git_folder: Path, name: str, value: str) -> bool:
    """Write a value into a repository's own configuration, which no clone takes along.

    Returns whether it worked.
    """
    return _configure(git_folder, name, value)


def unset_local(git_folder: Path, name: str) -> bool:
    """Take a value out of a repository's own configuration; returns whether it worked."""
    return _configure(git_folder, "--unset-all", name)


def _configure(git_folder: Path, *words: str) -> bool:
    program = git_path()
    if program is None:
        return False
    command = [program, "config", "--file", str(git_folder / "config"), *words]
    environment = {**git_environment(), "GIT_CEILING_DIRECTORIES": os.sep}
    return run(command, Path(os.sep), environment, SECONDS) is not None


def _configuration(common: Path, commit: str) -> str:
    """What git must know to read the repository: the length of hashes, and how the file system behaves."""
    try:
        text = read_regular(common / "config", MOST_BYTES).decode("utf-8", "replace")
    except (OSError, UntrustedFileError):
        text = ""
    core = "".join(f"\t{name} = {value}\n" for name, value in _HARMLESS.findall(text))
    if len(commit) == _SHA256:
        return f"[core]\n\trepositoryformatversion = 1\n{core}[extensions]\n\tobjectFormat = sha256\n"
    return f"[core]\n\trepositoryformatversion = 0\n{core}"


# -- paths in the project


def relative(path: str, root: Path) -> str:
    """The path from the project's root with forward slashes; one outside the project stays absolute."""
    plain = path.replace("\\", "/")
    if not plain.startswith("/"):
        return str(PurePosixPath(os.path.normpath(plain))).replace("\\", "/")
    inside = os.path.relpath(plain, root)
    return plain if inside.startswith("..") else inside.replace("\\", "/")
