"""Whether what a statement names is in the working tree: files, symbols, branches, commands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from recortex.codebase.declared import called
from recortex.codebase.git import isolated
from recortex.codebase.project import branch_and_commit, has_branch
from recortex.domain.expressions import lazy
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recortex.codebase.declared import Runner

MOST_LISTED, MOST_READ = 8 * 1024 * 1024, 1024 * 1024
"""Bytes of git's list of files, and of a file that declares scripts."""
MOST_MANIFESTS, MOST_SOUGHT = 50, 40
"""Files that declare commands which are read, and symbols that are looked for, each in one pass."""
_SYMBOL = lazy(r"`([A-Za-z_][\w.:#]{0,200})(\(\))?`")
_BRANCH = lazy(
    r"\bbranch(?:es)? (?:is |called |named )?`([\w./-]{1,200})`|`([\w./-]{1,200})` branch\b|"
    r"\bthe ([\w.-]{1,80}/[\w./-]{1,80}) branch\b"
)
_SEPARATOR = lazy(r"[.:#]+")
_GONE = lazy(
    r"\b(?:delet|remov|renam|replac|moved?|drop|gone|no longer|not exist|missing|never|instead of)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class WorkingTree:
    """The names in a working tree, looked up when they are first asked for; without git it knows none."""

    root: Path
    _declared: dict[str, frozenset[str] | None] = field(default_factory=dict, init=False, repr=False)
    _found: dict[str, bool] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def _commit(self) -> str:
        return branch_and_commit(self.root)[1]

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        with isolated(self.root, self._commit) as git:
            listing = ("ls-files", "--cached", "--others", "--exclude-standard")
            return git.lines(*listing, most=MOST_LISTED) if git else ()

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for path in self._paths for name in (path, PurePosixPath(path).name))

    def lacks(self, text: str, files: Iterable[str], commands: Iterable[str]) -> str:
        """The first thing that a statement names and the tree lacks; empty where nothing is known to lack.

        A statement that tells what was removed, renamed or must not be is not held against the tree, nor is
        one of files or symbols where only some are gone.

        Args:
            text: the statement.
            files: paths or names of files that it names, relative to the root.
            commands: that it names.
        """
        if _GONE.search(text) or not self._names:
            return ""
        named = [file.removeprefix("./") for file in files if not file.startswith(("/", "..", "~"))]
        if named and not any(self._has_file(file) for file in named):
            return named[0]
        if undeclared := next((command for command in commands if self._unknown(command)), ""):
            return undeclared
        branches = [one or two or three for one, two, three in _BRANCH.findall(text)]
        if gone := next((name for name in branches if has_branch(self.root, name) is False), ""):
            return gone
        symbols = [name for name, call in _SYMBOL.findall(text) if call or _of_words(name)]
        symbols = [one for one in symbols if one not in branches and not self._has_file(one)]
        return "" if not symbols or any(map(self._has_symbol, symbols)) else symbols[0]

    def _has_file(self, name: str) -> bool:
        return name in self._names or (self.root / name).exists()

    def _has_symbol(self, symbol: str) -> bool:
        """Whether a name is written anywhere in the tree's text; taken to be there where it is unknown."""
        name = _last_part(symbol)
        if name not in self._found:
            if len(self._found) >= MOST_SOUGHT:
                return True
            with isolated(self.root, self._commit) as git:
                # What is not tracked is sought from the current folder on, so it must be the root.
                words = ("-C", str(self.root), "grep", "--untracked", "-q", "-I", "-w", "-F", "-e", name)
                self._found[name] = git is None or git.succeeds(*words) is not False
        return self._found[name]

    def _unknown(self, command: str) -> bool:
        found = called(command)
        if found is None:
            return False
        runner, name = found
        paths = [path for path in self._paths if PurePosixPath(path).name in runner.manifests]
        listed = [self._declares(path, runner) for path in paths[:MOST_MANIFESTS]]
        known = frozenset[str]().union(*(names for names in listed if names))
        return bool(known) and None not in listed and len(paths) <= MOST_MANIFESTS and name not in known

    def _declares(self, path: str, runner: Runner) -> frozenset[str] | None:
        if path not in self._declared:
            try:
                text = read_regular(self.root / path, MOST_READ).decode("utf-8", "replace")
                self._declared[path] = runner.names(text)
            except (OSError, UntrustedFileError, ValueError):
                self._declared[path] = None
        return self._declared[path]


def _last_part(symbol: str) -> str:
    return _SEPARATOR.split(symbol.rstrip(".:#"))[-1]


def _of_words(symbol: str) -> bool:
    """Whether a name is one of two words at least, not all in capitals: hardly a word of the language."""
    name = _last_part(symbol).strip("_")
    return any(map(str.islower, name)) and any(one == "_" or one.isupper() for one in name[1:])
