"""The code of the project that an application works for: its facts, brought up to date and put together."""

# ruff: noqa: TC004  annotations are not evaluated at run time

from __future__ import annotations

import json
import re
import threading
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.citations import cite, state_file
from recortex.app.predicted import keep_neighbours
from recortex.app.projects import holds_secret
from recortex.code.counting import conventions_of, ids_of
from recortex.code.detecting import detect
from recortex.codebase.fact_store import FactStore, kept_on_disk
from recortex.codebase.git import branch_and_commit, read
from recortex.codebase.grammars import require
from recortex.codebase.line_history import moves
from recortex.codebase.manifests import ecosystem_of, read_manifest
from recortex.codebase.record_files import excerpt
from recortex.deadlines import within
from recortex.domain.memory import FunctionLink
from recortex.engines.code.project import Project, Sources
from recortex.engines.code.ranking import addressed, search
from recortex.engines.pairing import Piece, described
from recortex.engines.privacy import redact
from recortex.engines.privacy.redaction import code_facts_without_secrets as without_secrets
from recortex.errors import InvalidInputError, PermissionsError, RecortexError, UntrustedFileError
from recortex.filesystem import replace_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from recortex.app.application import Application
    from recortex.codebase.fact_store import Tree
    from recortex.domain.code import Convention, Detected, Manifest
    from recortex.domain.memory import FileLink
    from recortex.engines.code.project import Address


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


class NoSymbolError(RecortexError):
    """There is no such symbol."""

    code = "symbol_not_found"
    hint = "`recortex code find NAME` looks for parts of names, too."


# -- A piece of code that is kept with its description: a file, lines of it, or a symbol


MOST_SHOWN = 8
"""Symbols of one name that an error lists."""
_SYMBOL = re.compile(r"~?[^\W\d][\w$]*(?:(?:\.|::|->|#|\\)~?[^\W\d][\w$]*)*(?:\(\))?")


def piece_of(app: Application, text: str, cited: FileLink) -> Piece:
    """A file, lines of it, or else a symbol.

    Args:
        app: the opened application.
        text: PATH, PATH:LINE, PATH:FIRST-LAST, PATH:NAME, NAME or Class.method.
        cited: the text as a file with its lines.

    Raises:
        InvalidInputError: it cannot be read, is no text of the project, or names several symbols or none.
    """
    try:
        return _lines(app.root, cited)
    except InvalidInputError as error:
        # The path and the name of `PATH:NAME`; no path in `NAME` and `Class::method`
        path, joint, name = text.strip().partition(":")
        path, name = (path, name) if joint and not name.startswith(":") else ("", text.strip())
        named = _SYMBOL.fullmatch(name) and (not path or read(app.root, path) is not None)
        if cited.line_start is not None or not named or (app.root / cited.path).exists():
            raise
        from recortex.codebase.grammars import GrammarError

        try:
            if path:
                # One file as a project: to find a symbol in it, no other file need be read.
                from recortex.codebase.extraction import read_facts
                from recortex.codebase.grammars import require
                from recortex.engines.code.project import Project

                require()
                facts = read_facts(path, read(app.root, path) or b"")
                return _piece(app.root, Project({path: facts} if facts else {}), text)
            known = codebase(app)
            return _piece(known.root, known.project, text)
        except GrammarError as missing:
            raise InvalidInputError(error.message, hint=f"For symbols: {missing.hint}") from None


def _lines(root: Path, link: FileLink) -> Piece:
    found = excerpt(root, link.path, link.line_start, link.line_end)
    return Piece(replace(link, path=found.path, content_hash=found.content_hash), found.text)


def _piece(root: Path, project: Project, text: str) -> Piece:
    found = addressed(project, text)
    if len(found) != 1:
        raise _unclear(project, text, found)
    path, symbol = found[0].path, project.symbol(found[0])
    whole = (read(root, path) or b"").decode("utf-8", "replace").split("\n")
    link = cite(root, path, symbol.first, symbol.last, branch_and_commit(root)[1])
    function = FunctionLink(symbol.name, path, symbol.signature)
    return _lines(root, link)._replace(functions=(function,), described=described(symbol, whole))


def _unclear(project: Project, text: str, found: list[Address]) -> InvalidInputError:
    if not found:
        near = dict.fromkeys(project.symbol(one).name for one in search(project, text, 3))
        hint = f"Near: {', '.join(near)}." if near else "Give PATH, PATH:FIRST-LAST, or PATH:NAME."
        return InvalidInputError(f"{text[:80]!r} is neither a file nor a symbol of the project.", hint=hint)
    symbols = [(one.path, project.symbol(one)) for one in found[:MOST_SHOWN]]
    places = [f"{path}:{one.first}-{one.last} ({one.name})" for path, one in symbols]
    more = f", and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
    return InvalidInputError(
        f"{len(found)} symbols are called {text[:80]!r}.", hint=f"Give one: {', '.join(places)}{more}."
    )


# -- what the project is built with and how it is written


MOST_MANIFESTS = 500
"""Files that are read."""
SECONDS, FILE_SECONDS = 5.0, 2.0
"""After which the question for the project's files is given up, and the reading of one of them."""


TOOK_LONG = f"left out: reading it took longer than {FILE_SECONDS:.0f} s"


class Patterns(NamedTuple):
    """Libraries and practices that are used, and conventions, the weightiest first.

    Attributes:
        slow: files that were left out, since reading them took too long, and why.
    """

    used: tuple[Detected, ...]
    conventions: tuple[Convention, ...]
    slow: dict[str, str]


def patterns(known: Codebase) -> Patterns:
    """What a working tree is built with, and how it is written."""
    with moves(known.root, seconds=SECONDS) as files:
        paths = files.files()
    slow = dict(known.tree.slow)
    sources = Sources(known.project.files, tuple(_manifests(known, paths, slow)), paths)
    found = detect(sources)
    return Patterns(found.found, conventions_of(sources, found), slow)


def _manifests(known: Codebase, paths: Sequence[str], slow: dict[str, str]) -> Iterator[Manifest]:
    named = [path for path in paths if ecosystem_of(path)]
    for path in named[:MOST_MANIFESTS]:
        data = read(known.root, path)
        try:
            with within(FILE_SECONDS):
                made = read_manifest(path, data.decode("utf-8", "replace")) if data is not None else None
        except TimeoutError:
            slow[path] = TOOK_LONG
            continue
        if made is not None:
            yield made


def note_state(app: Application, found: Patterns) -> None:
    """Write down how libraries and conventions stand; where that fails, nothing is told later."""
    day = app.clock().date().isoformat()
    told: dict[str, str] = {}
    for library in found.used:
        said = f"{library.name} is used: {library.imports} imports, {library.uses} uses ({day})"
        told |= dict.fromkeys(ids_of_library(library), said)
    for one in found.conventions:
        # Names in the code may look like secrets, and the note outlives the run.
        told |= dict.fromkeys(ids_of_convention(one), f"{redact(one.statement).text} ({day})")
    with suppress(OSError, RecortexError):
        replace_text(state_file(app), json.dumps(told, ensure_ascii=False))


def ids_of_library(one: Detected) -> tuple[str, ...]:
    """The ids and names that a memory may know a library by."""
    lowered = one.name.lower()
    forms = (one.name, lowered, lowered.replace(" ", "-"), lowered.replace(".", ""), lowered.replace(" ", ""))
    return tuple(dict.fromkeys(forms))


def ids_of_convention(one: Convention) -> tuple[str, ...]:
    """The ids and names that a memory may know a convention by."""
    return tuple(dict.fromkeys((*ids_of(one), one.name, one.name[:200])))
