"""Runs the git program, found by an absolute path; reads reftables, which only git reads."""

from __future__ import annotations

import os
import re
from pathlib import Path

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
    import shutil

    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    folders = [place for place in places if os.path.isabs(place)]  # noqa: PTH117
    return shutil.which("git", path=os.pathsep.join(folders))


def git_environment() -> dict[str, str]:
    """This process's, without what speaks to git."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, **_NO_PROGRAM, **_NO_LOCKS}


# -- what is checked out in a repository that keeps its refs in reftables, whose files only git reads


SECONDS = 2.0
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
    name = _answer(own, "symbolic-ref", "-q", "HEAD")
    if not name:
        return "", _hash(_answer(own, "rev-parse", "--verify", "-q", "HEAD"))
    if not name.startswith("refs/heads/"):
        return "", ""
    return name.removeprefix("refs/heads/"), hash_of(common, name)


def hash_of(common: Path, reference: str) -> str:
    """What a reference is of; empty where there is none, or git cannot tell."""
    return _hash(_answer(common, "rev-parse", "--verify", "-q", "--end-of-options", reference))


def _answer(folder: Path, *words: str) -> str:
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
        said = run([program, *words], place, {**git_environment(), "GIT_DIR": name}, SECONDS)
    return "" if said is None else said.decode("utf-8", "replace").strip()


def _hash(text: str) -> str:
    found = _HASH.fullmatch(text)
    return found[0] if found else ""
