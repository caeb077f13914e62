"""Links memories to the symbols and pieces of code that they hang on, when they are written.

Without the extra `code`, or before the code was read once, there are no facts and nothing happens here.
"""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.app.citations import citations_of, cite, open_code
from recortex.codebase.git import read
from recortex.codebase.project import branch_and_commit
from recortex.codebase.record_files import excerpt
from recortex.domain.memory import FunctionLink
from recortex.domain.vocabulary import Scope
from recortex.engines.pairing import Piece
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from recortex.app.application import Application, StoreServices
    from recortex.codebase.syntax.current_code import CurrentCode
    from recortex.domain.memory import FileLink, Memory, SymbolLink
    from recortex.engines.code.freshness import Cited, Code, Found
    from recortex.engines.code.project import Address, Project


def link(
    services: StoreServices,
    memories: Iterable[Memory],
    code: CurrentCode | None = None,
    then: Callable[[Memory, Found], SymbolLink | None] = lambda *_: None,
) -> dict[str, list[SymbolLink]]:
    """Link memories to the symbols of the code, and keep the links; gives those that are new, by id.

    Memories for all projects hang on none. A memory that says the same of code as when it was looked at keeps
    its links, which followed the code since; one that says something else keeps those that it still has.

    Args:
        services: of the store that they are in.
        memories: that are linked.
        code: as it is, where it is open already.
        then: gives a symbol as it was when a memory was written; None: as it is.
    """
    own = [one for one in memories if one.scope is not Scope.GLOBAL]
    opened = code or (open_code(services.facts, services.root) if own else None)
    if opened is None:
        return {}
    symbols, ids = services.store.symbols, [one.id for one in own]
    said, before = symbols.find_hashes(ids), symbols.find_links(ids)
    says = {one.id: _says(one) for one in own}
    try:
        found = {
            one.id: links_of(services.root, one, opened, then)
            for one in own
            if says[one.id] != said.get(one.id)
        }
    finally:
        if code is None:
            opened.close()
    with services.store.transaction():
        for memory in own:
            if memory.id in found:
                # The new links, as they were known where they are not new.
                known = before.get(memory.id, ())
                by_place = {(one.path, one.name, one.arity): one for one in known if one.role == "about"}
                symbols.put(
                    memory, [by_place.get((one.path, one.name, one.arity), one) for one in found[memory.id]]
                )
            symbols.looked(memory, says[memory.id])
    return found


def _says(memory: Memory) -> str:
    """A hash of what a memory says of code."""
    from blake3 import blake3

    places = [f"{one.path}:{one.line_start}:{one.content_hash}" for one in memory.files]
    names = [f"{one.name} {one.file}" for one in memory.functions]
    return blake3("\0".join([memory.text, *places, *names]).encode()).hexdigest(length=8)


def links_of(
    root: Path, memory: Memory, code: CurrentCode, then: Callable[[Memory, Found], SymbolLink | None]
) -> list[SymbolLink]:
    """The symbols that a memory hangs on; `then`: as for `link`."""
    from recortex.codebase.project import branch_and_commit
    from recortex.engines.code.freshness import Subject, link_of, symbols_of
    from recortex.engines.code.naming import name_of, named, places

    subject = Subject(
        named(memory.text),
        [(name_of(one.name), one.file) for one in memory.functions],
        places(memory.text),
        list(_present(root, memory.files)),
    )
    found = symbols_of(subject, _asked(code))
    if not found:
        return []
    commit = branch_and_commit(code.root)[1]
    keys = {one.path: keyed.key for one in found if (keyed := code.read(one.path))}
    return [
        then(memory, one)
        or link_of(
            one.path,
            one.facts,
            one.symbol,
            commit=commit,
            key=keys.get(one.path, b""),
            copies=code.copies(one.symbol.hash, one.path),
        )
        for one in found
    ]


def link_callers(services: StoreServices, memories: Sequence[Memory], code: CurrentCode) -> int:
    """Link what warns or constrains also to what its functions call, as far as calls are resolved.

    Whoever changes a function should know what its callers rely on. Returns how many memories were linked.
    """
    from recortex.engines.code.freshness import callees_of, constrains
    from recortex.engines.code.project import Project

    links = services.store.symbols.find_links([one.id for one in memories if constrains(one)])
    if not links:
        return 0
    project = Project(code.all_facts())
    found = {
        id_: callees_of(project, [one for one in own if one.role == "about"]) for id_, own in links.items()
    }
    with services.store.transaction():
        for memory in memories:
            if memory.id in found:
                services.store.symbols.put(memory, found[memory.id], "caller")
    return sum(bool(own) for own in found.values())


def functions_of(app: Application, names: Sequence[str]) -> tuple[FunctionLink, ...]:
    """Functions by their names, with file and signature where one symbol of the project is called so."""
    from recortex.domain.memory import FunctionLink

    code = open_code(app.project.facts, app.tree) if names else None
    if code is None:
        return tuple(map(FunctionLink, names))
    with closing(code):
        return tuple(_function(name, code) for name in names)


def _function(name: str, code: CurrentCode) -> FunctionLink:
    from recortex.domain.memory import FunctionLink
    from recortex.engines.code.freshness import Subject, symbols_of
    from recortex.engines.code.naming import name_of
    from recortex.engines.privacy import redact

    found = symbols_of(Subject([], [(name_of(name), "")], [], []), _asked(code))
    if len(found) != 1:
        return FunctionLink(name)
    return FunctionLink(name, found[0].path, redact(found[0].symbol.signature).text)


def _asked(code: CurrentCode) -> Code:
    from recortex.engines.code.freshness import Code, Found

    def defining(name: str) -> Iterator[Found]:
        return (Found(*one) for one in code.defining(name))

    return Code(code.facts, defining, code.path)


def _present(root: Path, files: Sequence[FileLink]) -> Iterator[Cited]:
    """Where cited lines are now, of those that still stand; of files without lines, only the path."""
    from recortex.engines.code.freshness import Cited

    for one in citations_of(root, files):
        if one.first is None or not one.link.content_hash:
            yield Cited(one.path)
        elif one.state in {"fresh", "moved"}:
            yield Cited(one.path, one.first, one.last)


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
        path, name = _parted(text)
        named = _SYMBOL.fullmatch(name) and (not path or read(app.root, path) is not None)
        if cited.line_start is not None or not named or (app.root / cited.path).exists():
            raise
        from recortex.codebase.syntax.grammars import GrammarError

        try:
            from recortex.app.code import codebase

            if path:
                # One file as a project: to find a symbol in it, no other file need be read.
                from recortex.codebase.syntax.extraction import read_facts
                from recortex.codebase.syntax.grammars import require
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


def _parted(text: str) -> tuple[str, str]:
    """The path and the name of `PATH:NAME`; no path in `NAME` and `Class::method`."""
    path, joint, name = text.strip().partition(":")
    return (path, name) if joint and not name.startswith(":") else ("", text.strip())


def _piece(root: Path, project: Project, text: str) -> Piece:
    from recortex.engines.code.ranking import addressed
    from recortex.engines.pairing import described

    found = addressed(project, text)
    if len(found) != 1:
        raise _unclear(project, text, found)
    path, symbol = found[0].path, project.symbol(found[0])
    whole = (read(root, path) or b"").decode("utf-8", "replace").split("\n")
    link = cite(root, path, symbol.first, symbol.last, branch_and_commit(root)[1])
    function = FunctionLink(symbol.name, path, symbol.signature)
    return _lines(root, link)._replace(functions=(function,), described=described(symbol, whole))


def _unclear(project: Project, text: str, found: list[Address]) -> InvalidInputError:
    from recortex.engines.code.ranking import search

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
