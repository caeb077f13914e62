"""Which project a folder belongs to: the root of the main working tree, shared by worktrees and subfolders."""

from __future__ import annotations

import re
from pathlib import Path

STORE_FOLDER = ".recortex"
MARKERS = ("recortex.toml", "pyproject.toml", "package.json", "Cargo.toml", "go.mod", "pom.xml", "Makefile")


def project_root(start: Path) -> Path:
    """The root of the project that `start` lies in.

    The nearest `.git` decides: a folder is the root itself; a file (a linked worktree, a submodule) leads through
    git's common directory to the main working tree. Outside git: the nearest folder with a store or a project's
    usual file, else `start`. No git program is run.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        git = folder / ".git"
        if git.is_dir():
            return folder
        if git.is_file():
            return _main_tree(git) or folder
        if (folder / STORE_FOLDER).is_dir():
            return folder
    return _marked(start) or start


def working_tree(start: Path) -> Path:
    """The top folder of the checkout that `start` lies in, a linked worktree's own; outside git the project's root.

    Paths of files are relative to it, so that they are the same in every worktree.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / ".git").exists():
            return folder
    return project_root(start)


def _main_tree(git_file: Path) -> Path | None:
    """The main working tree behind a linked worktree's `.git` file; None for a submodule or a bare repository."""
    try:
        git_folder = (
            git_file.parent / git_file.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
        ).resolve()
        common = (git_folder / (git_folder / "commondir").read_text(encoding="utf-8").strip()).resolve()
    except (OSError, ValueError):
        return None
    return common.parent if common.name == ".git" else None


def _marked(start: Path) -> Path | None:
    home = Path.home()
    for folder in (start, *start.parents):
        if folder == home:
            return None
        if any((folder / marker).is_file() for marker in MARKERS):
            return folder
    return None


def branch_and_commit(root: Path) -> tuple[str, str]:
    """The branch and commit that are checked out in a working tree, read from git's files; empty where there is none."""
    own, common = _git_folders(root / ".git")
    head = _read(own / "HEAD")
    if not head.startswith("ref: "):
        return "", head
    reference = head.removeprefix("ref: ")
    commit = _read(common / reference) or _packed(common / "packed-refs", reference)
    return reference.removeprefix("refs/heads/"), commit


def shared_name(root: Path) -> str:
    """A project's name that is the same on every machine: where git fetches it from, else the name of its folder.

    `git@github.com:owner/name.git` and `https://user:token@github.com/owner/name` both give `github.com/owner/name`.
    """
    _, common = _git_folders(root / ".git")
    origin = _ORIGIN.search(_read(common / "config"))
    found = _REMOTE.fullmatch(origin[1].strip()) if origin else None
    return f"{found[1].lower()}/{found[2]}" if found else root.name or "root"


_ORIGIN = re.compile(r'^\[remote "origin"\]\s*\n(?:(?!\[).*\n)*?\s*url\s*=\s*(\S+)', re.MULTILINE)
_REMOTE = re.compile(r"(?!file:)(?:\w+://)?(?:[^@/]+@)?([\w.-]+)(?::\d+)?[:/]+(.+?)(?:\.git)?/*")


def _git_folders(git: Path) -> tuple[Path, Path]:
    """Git's folder of a working tree, and the one that all of its worktrees share."""
    if not git.is_file():
        return git, git
    own = git.parent / _read(git).partition("gitdir:")[2].strip()
    common = _read(own / "commondir")
    return own, (own / common if common else own)


def _packed(path: Path, reference: str) -> str:
    for line in _read(path).splitlines():
        commit, _, name = line.partition(" ")
        if name == reference:
            return commit
    return ""


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
