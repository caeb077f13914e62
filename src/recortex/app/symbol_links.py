"""Links memories to the symbols of the code that they hang on, when they are written.

Without the extra `code`, or before the code was read once, there are no facts and nothing happens here.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from recortex.app.citations import citations_of, open_code
from recortex.codebase.project import branch_and_commit
from recortex.domain.vocabulary import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from recortex.app.application import Application, StoreServices
    from recortex.codebase.syntax.current_code import CurrentCode
    from recortex.domain.memory import FileLink, FunctionLink, Memory, SymbolLink
    from recortex.engines.code.freshness import Cited, Code, Found


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
