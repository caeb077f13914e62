"""Whether what a statement names is in the working tree: its files, and the scripts that it says to run."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from recortex.codebase.git import isolated
from recortex.codebase.project import branch_and_commit
from recortex.domain.expressions import lazy
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_LISTED, MOST_READ = 8 * 1024 * 1024, 1024 * 1024
"""Bytes of git's list of files, and of a file that declares scripts."""
_SCRIPT = lazy(r"^(?:npm run|pnpm run|yarn run|bun run)\s+([\w:.-]+)")
_TARGET = lazy(r"^make\s+([\w.-]+)\s*$")
_GONE = lazy(
    r"\b(?:delet|remov|renam|replac|moved?|drop|gone|no longer|not exist|missing|never|instead of)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class WorkingTree:
    """The names in a working tree, listed when they are first asked for; without git it knows none."""

    root: Path
    _scripts: dict[str, frozenset[str]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def _names(self) -> frozenset[str]:
        _, commit = branch_and_commit(self.root)
        with isolated(self.root, commit) as git:
            listing = ("ls-files", "--cached", "--others", "--exclude-standard")
            listed = git.lines(*listing, most=MOST_LISTED) if git else ()
        return frozenset(name for path in listed for name in (path, PurePosixPath(path).name))

    def lacks(self, text: str, files: Iterable[str], commands: Iterable[str]) -> str:
        """The first thing that a statement names and the tree lacks; empty where nothing is known to lack.

        A statement that tells what was removed, renamed or must not be is not held against the tree, nor is
        one of files where only some are gone.

        Args:
            text: the statement.
            files: paths or names of files that it names, relative to the root.
            commands: that it names.
        """
        if _GONE.search(text) or not self._names:
            return ""
        named = [file.removeprefix("./") for file in files if not file.startswith(("/", "..", "~"))]
        if named and not any(file in self._names or (self.root / file).exists() for file in named):
            return named[0]
        return next((command for command in commands if self._unknown(command)), "")

    def _unknown(self, command: str) -> bool:
        if script := _SCRIPT.match(command):
            known = self._declared("package.json")
            return bool(known) and script[1] not in known
        if target := _TARGET.match(command):
            known = self._declared("Makefile")
            return bool(known) and target[1] not in known
        return False

    def _declared(self, name: str) -> frozenset[str]:
        """The scripts of `package.json` or the targets of a Makefile at the root."""
        if name not in self._scripts:
            try:
                text = read_regular(self.root / name, MOST_READ).decode("utf-8", "replace")
                self._scripts[name] = _declared(name, text)
            except (OSError, UntrustedFileError, ValueError):
                self._scripts[name] = frozenset()
        return self._scripts[name]


def _declared(name: str, text: str) -> frozenset[str]:
    if name == "Makefile":
        lists = re.findall(r"(?m)^([\w.-][\w. -]{0,200}):(?!=)", text)
        return (
            frozenset() if "include " in text else frozenset(word for line in lists for word in line.split())
        )
    found = json.loads(text)
    scripts = found.get("scripts") if isinstance(found, dict) else None
    return frozenset(scripts) if isinstance(scripts, dict) else frozenset()
