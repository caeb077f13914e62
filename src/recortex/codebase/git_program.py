"""Runs the git program: found by an absolute path, with nothing of this process that would speak to it."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
