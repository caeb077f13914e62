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

from recortex.domain.text import lazy
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular
from recortex.lean import Value, lazy_module

if TYPE_CHECKING:
    import shutil
    from collections.abc import Callable, Iterator
else:
    shutil = lazy_module("shutil")

MARKERS = ("recortex.toml", "pyproject.toml", "package.json", "Cargo.toml", "go.mod", "pom.xml", "Makefile")
MOST_READ = 4 * 1024 * 1024
"""Of one of git's files; the largest that is read, `packed-refs`, has some 70 bytes for each branch and
tag."""
MOST_WORKTREES = 200
_CONFIG_ID = lazy(
    r"^\[recortex\][ \t]*\n(?:(?!\[).*\n)*?[ \t]*id[ \t]*=[ \t]*([0-9a-f]{16})[ \t]*$", re.MULTILINE
)
_CONFIG_WORKTREE = lazy(r"^\[core\][ \t]*\n(?:(?!\[).*\n)*?[ \t]*worktree[ \t]*=[ \t]*(.+)$", re.MULTILINE)
_ORIGIN = lazy(r'^\[remote "origin"\][ \t]*\n(?:(?!\[).*\n)*?[ \t]*url[ \t]*=[ \t]*(\S+)', re.MULTILINE)
_REMOTE = lazy(r"(?!file:)(?:\w+://)?(?:[^@/]+@)?([\w.-]+)(?::\d+)?[:/]+(.+?)(?:\.git)?/*")
_REFERENCE = lazy(r"refs/(?!.*\.\.)[^\s~^:?*\[\\]+")
_NOT_IN_FILES = "ref: refs/heads/.invalid"
"""What HEAD says where the refs are in reftables, which only git reads."""
_COMMIT = lazy(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Checkout(Value, frozen=True):
    """A project's folder on this machine.

    Attributes:
        root: the top folder of the main working tree; without git, the folder that was taken for the
            project's.
        git: the folder that all working trees of the repository share; None without git, or where it cannot
            be believed: a link, or a file that leads to a repository which knows nothing of this folder.
    """

    root: Path
    git: Path | None = None

    @property
    def anchor(self) -> Path:
        """The folder that stands for the project: the root, or git's folder where that lies elsewhere."""
        return self.root if self.git is None or self.git.parent == self.root else self.git

    @property
    def id(self) -> str:
        """What the repository's own configuration says the project's id is; empty where it says nothing."""
        found = _CONFIG_ID.search(_read(self.git / "config")) if self.git else None
        return found[1] if found else ""

    @property
    def remote(self) -> str:
        """What the project says its name is: where git fetches it from, else the name of its folder.

        `git@github.com:owner/name.git` and `https://user:token@github.com/owner/name` both give
        `github.com/owner/name`. Anybody can write that into a folder: it proves nothing.
        """
        origin = _ORIGIN.search(_read(self.git / "config")) if self.git else None
        found = _REMOTE.fullmatch(origin[1].strip()) if origin else None
        return f"{found[1].lower()}/{found[2]}" if found else self.root.name or "root"


def find_checkout(start: Path, known: Callable[[Path], bool] = lambda _: False) -> Checkout:
    """The project that a folder lies in.

    The nearest `.git` decides; a linked worktree and a submodule lead to the folder that git keeps for them.
    Outside git: the nearest folder that is known as a project's, else one with a project's usual file, else
    `start`.

    Args:
        start: a folder.
        known: whether a folder outside git is known as a project's.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        git = folder / ".git"
        if git.is_dir():
            return Checkout(folder, None if git.is_symlink() else git)
        if git.is_file():
            return _linked(git) or Checkout(folder)
        if known(folder):
            return Checkout(folder)
    return Checkout(_marked(start) or start)


def working_tree(start: Path) -> Path:
    """The top folder of the checkout that `start` lies in, a linked worktree's own.

    Outside git the project's root.

    Paths of files are relative to it, so that they are the same in every worktree.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    return find_checkout(start).root


def branch_and_commit(tree: Path) -> tuple[str, str]:
    """The branch and commit that are checked out in a working tree; each is empty where it cannot be read."""
    return checked_out(*git_folders(tree))


def checked_out(own: Path, common: Path) -> tuple[str, str]:
    """As `branch_and_commit`, of a working tree with these `git_folders`."""
    head = _read(own / "HEAD").strip()
    if head == _NOT_IN_FILES:
        return asked_git(own, common)
    if not head.startswith("ref: "):
        return "", _commit(head)
    reference = head.removeprefix("ref: ")
    if not _REFERENCE.fullmatch(reference):
        return "", ""
    # A loose reference overrules a packed one, as it does for git.
    commit = _commit(_read(common / reference)) or _packed(common / "packed-refs", reference)
    return reference.removeprefix("refs/heads/"), commit


def tag(tree: Path, name: str) -> str:
    """The hash of a tag of a repository, or of the tag's own object; empty where there is none."""
    _, common = git_folders(tree)
    reference = f"refs/tags/{name}"
    if not _REFERENCE.fullmatch(reference):
        return ""
    if _read(common / "HEAD").strip() == _NOT_IN_FILES:
        return hash_of(common, reference)
    return _commit(_read(common / reference)) or _packed(common / "packed-refs", reference)


def git_folders(tree: Path) -> tuple[Path, Path]:
    """Git's folder of a working tree, and the one that all of its worktrees share.

    Where `.git` is a link, or a file that leads to a repository which does not point back, it is no folder of
    this tree: then both are `.git` itself, in which nothing is found.
    """
    git = tree / ".git"
    if git.is_symlink():
        return git / "link", git / "link"
    if not git.is_file():
        return git, git
    own = _git_folder(git)
    found = own and _linked(git, own)
    return (own, found.git) if found and found.git and own else (git, git)


def worktrees(tree: Path) -> list[Path]:
    """The other folders in which a repository's branches are checked out, as its own files list them."""
    _, common = git_folders(tree)
    try:
        listed = sorted((common / "worktrees").iterdir())[:MOST_WORKTREES]
    except OSError:
        return []
    files = (one / _read(one / "gitdir").strip() for one in listed)
    return [
        file.parent
        for file in files
        if file.name == ".git" and (found := _linked(file)) and found.git and _same(found.git, common)
    ]


def leads_elsewhere(tree: Path) -> bool:
    """Whether a working tree's `.git` names a repository that does not point back to it."""
    git = tree / ".git"
    return git.is_symlink() or (git.is_file() and _linked(git) is None)


def _linked(git_file: Path, own: Path | None = None) -> Checkout | None:
    """The checkout behind a `.git` file; None where git's folder, `own`, does not point back to it."""
    own = own or _git_folder(git_file)
    if own is None:
        return None
    common = _read(own / "commondir").strip()
    if common:
        back = _read(own / "gitdir").strip()
        shared = (own / common).resolve()
        main = shared.parent if shared.name == ".git" else git_file.parent
        inside = _same(own.parent, shared / "worktrees")  # a folder elsewhere may claim any repository
        return Checkout(main, shared) if back and inside and _same(own / back, git_file) else None
    tree = _CONFIG_WORKTREE.search(_read(own / "config"))
    return Checkout(git_file.parent, own) if tree and _same(own / tree[1].strip(), git_file.parent) else None


def _git_folder(git_file: Path) -> Path | None:
    target = _read(git_file).partition("gitdir:")[2].strip()
    try:
        return (git_file.parent / target).resolve() if target else None
    except (OSError, ValueError, RuntimeError):  # RuntimeError: links in a circle
        return None


def _same(one: Path, other: Path) -> bool:
    try:
        return one.resolve() == other.resolve()
    except (OSError, ValueError, RuntimeError):
        return False


def _marked(start: Path) -> Path | None:
    home = Path.home()
    for folder in (start, *start.parents):
        # A home folder may hold such a file, and is no project.
        if folder == home:
            return None
        if any((folder / marker).is_file() for marker in MARKERS):
            return folder
    return None


def _packed(path: Path, reference: str) -> str:
    for line in _read(path).splitlines():
        commit, _, name = line.partition(" ")
        if name == reference:
            return _commit(commit)
    return ""


def _commit(text: str) -> str:
    found = _COMMIT.fullmatch(text.strip())
    return found[0] if found else ""


def _read(path: Path) -> str:
    """One of git's files; empty where it is not there, too large, or no file."""
    try:
        return read_regular(path, MOST_READ).decode("utf-8", "replace")
    except (OSError, ValueError, UntrustedFileError):
        return ""


def same_folder(path: Path) -> int:
    """A number that a folder keeps while it exists, so that one in its place is recognised; 0 if unknown."""
    try:
        return os.stat(path).st_ino  # noqa: PTH116  a hot path
    except OSError:
        return 0


# -- git itself, found by an absolute path; and reftables, which only git reads


# Nothing of the person's or the machine's configuration, which may name programs to run.
_NO_PROGRAM = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0"}
_NO_LOCKS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}


def run(command: list[str], folder: Path, environment: dict[str, str], seconds: float) -> bytes | None:
    """What a command prints; None where it fails or takes longer."""
    import subprocess

    try:
        return subprocess.run(  # noqa: S603  fixed words; the program's path is absolute
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None


def git_path() -> str | None:
    """Git's own path, from an absolute folder of PATH: one that is relative may lie in the project."""
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    folders = [place for place in places if os.path.isabs(place)]  # noqa: PTH117
    return shutil.which("git", path=os.pathsep.join(folders))


def git_environment() -> dict[str, str]:
    """This process's, without what speaks to git."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, **_NO_PROGRAM, **_NO_LOCKS}


# -- what is checked out in a repository that keeps its refs in reftables, whose files only git reads


GIT_SECONDS = 2.0
"""After which git is stopped."""
OLDEST_GIT = "2.45"
"""The first version that reads them."""
_CONFIG = """[core]
\trepositoryformatversion = 1
\tbare = true
[extensions]
\trefStorage = reftable
"""
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def has_reftables(own: Path, common: Path) -> bool:
    """Whether a repository keeps its refs so."""
    return (common / "reftable").is_dir() or (own / "reftable").is_dir()


def asked_git(own: Path, common: Path) -> tuple[str, str]:
    """The branch and commit that are checked out; each is empty where git cannot tell.

    Args:
        own: git's folder of the working tree.
        common: the one that all of its working trees share.
    """
    name = _asked(own, "symbolic-ref", "-q", "HEAD")
    if not name:
        return "", _hash(_asked(own, "rev-parse", "--verify", "-q", "HEAD"))
    if not name.startswith("refs/heads/"):
        return "", ""
    return name.removeprefix("refs/heads/"), hash_of(common, name)


def hash_of(common: Path, reference: str) -> str:
    """What a reference is of; empty where there is none, or git cannot tell."""
    return _hash(_asked(common, "rev-parse", "--verify", "-q", "--end-of-options", reference))


def _asked(folder: Path, *words: str) -> str:
    program = git_path()
    tables = folder / "reftable"
    if program is None or not tables.is_dir() or tables.is_symlink():
        return ""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="recortex-git-", ignore_cleanup_errors=True) as name:
        place = Path(name)
        (place / "refs").mkdir()
        (place / "objects").mkdir()
        (place / "refs" / "heads").write_text("this repository uses the reftable format\n", encoding="ascii")
        (place / "HEAD").write_text("ref: refs/heads/.invalid\n", encoding="ascii")
        (place / "config").write_text(_CONFIG, encoding="ascii")
        (place / "reftable").symlink_to(tables.resolve(), target_is_directory=True)
        said = run([program, *words], place, {**git_environment(), "GIT_DIR": name}, GIT_SECONDS)
    return "" if said is None else said.decode("utf-8", "replace").strip()


def _hash(text: str) -> str:
    found = _HASH.fullmatch(text)
    return found[0] if found else ""


MAX_BYTES = 4 * 1024 * 1024
"""A larger file is not read."""


def read(root: Path, path: str, real_root: str = "") -> bytes | None:
    """The bytes of a file inside the project; links that lead out of it are not followed.

    Args:
        root: of the project.
        path: from there.
        real_root: the root without links, where it is known: many files are read faster.
    """
    place = os.path.join(root, path)  # noqa: PTH118  a hot path: one call to the system decides nearly always
    try:
        if not os.path.isfile(place):  # noqa: PTH113
            return None
        real, real_root = os.path.realpath(place), real_root or os.path.realpath(root)
        inside = os.path.commonpath([real, real_root]) == real_root
        if not inside or os.path.getsize(real) > MAX_BYTES:  # noqa: PTH202
            return None
        with open(real, "rb") as file:  # noqa: PTH123
            return file.read()
    except (OSError, ValueError):
        return None


# -- asks git about a repository without its configuration: nothing that a repository configures is ever run
#
# A clone or an unpacked archive can name programs that git starts on its own: clean and smudge filters,
# text conversion, external diffs, a file system monitor, hooks, credential helpers, lazy fetches. Switching
# them off one by one forgets the next one. So git gets a repository folder of our own, with an empty
# configuration, that borrows the objects and the index of the real one.


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
