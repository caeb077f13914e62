"""The code of the project that an application works for: its facts, brought up to date and put together."""

# ruff: noqa: TC004  annotations are not evaluated at run time

from __future__ import annotations

import threading
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.app.naming import holds_secret
from recortex.errors import PermissionsError, RecortexError, UntrustedFileError

if TYPE_CHECKING:
    from pathlib import Path

    from recortex.app.application import Application
    from recortex.codebase.syntax.fact_store import Tree
    from recortex.engines.code.project import Project

STATE = ".patterns.json"
"""What ends the name of the file that says how patterns stand (`pattern_state.py`)."""
MOST_PROJECTS = 2
"""Whose facts a process keeps: those of 100,000 lines take some 30 MB."""


@dataclass(frozen=True, slots=True)
class Codebase:
    """The code of a working tree.

    Attributes:
        root: of the tree.
        tree: its files.
        project: their facts.
        bytes: that all facts of the project take on disk.
    """

    root: Path
    tree: Tree
    project: Project
    bytes: int


_kept: dict[tuple[str, int], Project] = {}
_lock = threading.Lock()


def codebase(app: Application) -> Codebase:
    """The code as it is now; what changed is read.

    Raises:
        GrammarError: the extra `code` is not installed.
        PermissionsError: the file of facts is another user's.
    """
    from recortex.codebase.syntax.fact_store import kept_on_disk
    from recortex.codebase.syntax.grammars import require

    require()
    path = app.project.facts
    try:
        with kept_on_disk():
            return _read(app, path)
    except UntrustedFileError as error:
        raise PermissionsError(f"The facts of code cannot be kept at {path}: {error}.") from error
    except OSError:  # the disk is full, or may only be read: what is read is not kept
        return _read(app, None)


def _read(app: Application, path: Path | None) -> Codebase:
    from recortex.app.neighbours import keep_neighbours
    from recortex.codebase.syntax.fact_store import FactStore
    from recortex.engines.code.project import Project
    from recortex.engines.privacy.redaction import code_facts_without_secrets as without_secrets

    root = app.tree
    with closing(FactStore(path, holds_secret, without_secrets)) as store, _lock:
        tree = store.refresh(root, app.progress)
        key = (str(root), hash(frozenset(tree.files.items())))
        if key not in _kept:
            known = dict(store.facts(set(tree.files.values())))
            facts = {path: known[key] for path, key in tree.files.items() if key in known}
            while len(_kept) >= MOST_PROJECTS:
                del _kept[next(iter(_kept))]
            _kept[key] = Project(facts)
            if path:
                keep_neighbours(path, root, tree.files, lambda: _kept[key], app.clock())
        if path:
            store.collect()
        return Codebase(root, tree, _kept[key], store.bytes())


def forget_code(app: Application) -> None:
    """Delete the facts of the project: they are made anew when they are asked for."""
    from recortex.codebase.record_files import forget

    forget(app.project.facts)
    forget(app.project.facts.with_suffix(STATE))


class NoSymbolError(RecortexError):
    """There is no such symbol."""

    code = "symbol_not_found"
    hint = "`recortex code find NAME` looks for parts of names, too."
