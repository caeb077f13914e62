"""Memories and the symbols that they hang on: linked when they are written, judged when they are told.

Without the extra `code`, or before the code was read once, there are no facts and nothing happens here.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.naming import holds_secret
from recortex.domain.vocabulary import Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from recortex.app.application import Application
    from recortex.app.citations import Reach
    from recortex.app.store_services import StoreServices
    from recortex.codebase.syntax.current_code import CurrentCode
    from recortex.domain.citation import Citation
    from recortex.domain.links import FileLink, FunctionLink, SymbolLink
    from recortex.domain.memory import Memory
    from recortex.engines.code.freshness import Found
    from recortex.engines.code.linking import Cited, Code

GRAMMARS = "tree_sitter"


def can_parse() -> bool:
    """Whether the extra `code` is installed."""
    from importlib.util import find_spec

    return find_spec(GRAMMARS) is not None


def open_code(
    facts: Path | None, tree: Path, *, parse: bool = True, make: bool = False
) -> CurrentCode | None:
    """The code of a working tree; None where it was never read, or its facts cannot be opened.

    Args:
        facts: the file of the project's facts.
        tree: the top folder.
        parse: whether what changed is read; otherwise it is not known.
        make: also where the code was never read.
    """
    import apsw

    from recortex.codebase.syntax.current_code import CurrentCode
    from recortex.errors import UntrustedFileError

    if facts is None or not (make or facts.is_file()):
        return None
    try:
        return CurrentCode(tree, facts, parse=parse, hidden=holds_secret)
    except (OSError, UntrustedFileError, apsw.Error):
        return None


# -- linking


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
    said, before = symbols.said(ids), symbols.of(ids)
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
                symbols.put(memory, _kept(before.get(memory.id, ()), found[memory.id]))
            symbols.looked(memory, says[memory.id])
    return found


def _says(memory: Memory) -> str:
    """A hash of what a memory says of code."""
    from blake3 import blake3

    places = [f"{one.path}:{one.line_start}:{one.content_hash}" for one in memory.files]
    names = [f"{one.name} {one.file}" for one in memory.functions]
    return blake3("\0".join([memory.text, *places, *names]).encode()).hexdigest(length=8)


def _kept(known: Sequence[SymbolLink], new: Sequence[SymbolLink]) -> list[SymbolLink]:
    """The new links, as they were known where they are not new."""
    by_place = {(one.path, one.name, one.arity): one for one in known if one.role == "about"}
    return [by_place.get((one.path, one.name, one.arity), one) for one in new]


def links_of(
    root: Path, memory: Memory, code: CurrentCode, then: Callable[[Memory, Found], SymbolLink | None]
) -> list[SymbolLink]:
    """The symbols that a memory hangs on; `then`: as for `link`."""
    from recortex.codebase.project import branch_and_commit
    from recortex.engines.code.freshness import link_of
    from recortex.engines.code.linking import Subject, symbols_of
    from recortex.engines.code.mentions import name_of, named, places

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
    keys = {one.path: keyed.key for one in found if (keyed := code.of(one.path))}
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
    from recortex.engines.code.linking import callees_of, constrains
    from recortex.engines.code.project import Project

    links = services.store.symbols.of([one.id for one in memories if constrains(one)])
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
    from recortex.domain.links import FunctionLink

    code = open_code(app.project.facts, app.tree) if names else None
    if code is None:
        return tuple(map(FunctionLink, names))
    with closing(code):
        return tuple(_function(name, code) for name in names)


def _function(name: str, code: CurrentCode) -> FunctionLink:
    from recortex.domain.links import FunctionLink
    from recortex.engines.code.linking import Subject, symbols_of
    from recortex.engines.code.mentions import name_of
    from recortex.engines.privacy import redact

    found = symbols_of(Subject([], [(name_of(name), "")], [], []), _asked(code))
    if len(found) != 1:
        return FunctionLink(name)
    return FunctionLink(name, found[0].path, redact(found[0].symbol.signature).text)


def _asked(code: CurrentCode) -> Code:
    from recortex.engines.code.freshness import Found
    from recortex.engines.code.linking import Code

    def defining(name: str) -> Iterator[Found]:
        return (Found(*one) for one in code.defining(name))

    return Code(code.facts, defining, code.path)


def _present(root: Path, files: Sequence[FileLink]) -> Iterator[Cited]:
    """Where cited lines are now, of those that still stand; of files without lines, only the path."""
    from recortex.app.citations import citations_of
    from recortex.engines.code.linking import Cited

    for one in citations_of(root, files):
        if one.first is None or not one.link.content_hash:
            yield Cited(one.path)
        elif one.state in {"fresh", "moved"}:
            yield Cited(one.path, one.first, one.last)


# -- judging


class Judged(NamedTuple):
    """What became of a symbol, the symbol as it is, and the key of its file; None where nothing changed."""

    citation: Citation
    found: Found | None = None
    key: bytes = b""


def judge(
    services: StoreServices,
    links: Mapping[str, Sequence[SymbolLink]],
    tree: Path,
    reach: Reach = "file",
    *,
    parse: bool = True,
) -> dict[str, list[Citation]]:
    """What became of the symbols that memories hang on; of what cannot be compared there is nothing.

    Args:
        services: of the store that they are in.
        links: of each memory, by its id.
        tree: the working tree that is asked about.
        reach: `file`: in its file alone; else also in other files, `tree`: after what changed was read.
        parse: as for `open_code`.
    """
    code = open_code(services.facts, tree, parse=parse) if any(links.values()) else None
    if code is None:
        return {}
    with closing(code):
        judged = _Judge(code, reach)
        found = {id_: [judged.of(one) for one in own] for id_, own in links.items()}
    return {id_: [one.citation for one in own if one] for id_, own in found.items()}


def heal(services: StoreServices, memories: Sequence[Memory], *, renew: bool = False) -> int:
    """Keep where the symbols of memories are now; returns how many memories' links followed their code.

    Args:
        services: of the store that they are in.
        memories: whose symbols are looked for.
        renew: keep what was edited as it reads now, and let go what is gone: a person read it and agreed.
    """
    links = services.store.symbols.of([one.id for one in memories])
    code = open_code(services.facts, services.root) if links else None
    if code is None:
        return 0
    followed: list[tuple[Memory, list[SymbolLink]]] = []
    with closing(code):
        judged = _Judge(code, "tree")
        for memory in memories:
            own = [one for one in links.get(memory.id, ()) if one.role == "about"]
            now = [link for one in own if (link := _as_now(one, judged.of(one), renew=renew))]
            if now != own:
                followed.append((memory, now))
    with services.store.transaction():
        for memory, now in followed:
            services.store.symbols.put(memory, now)
    return len(followed)


def _as_now(link: SymbolLink, judged: Judged | None, *, renew: bool) -> SymbolLink | None:
    """A link as it is to be kept; None: not any more."""
    if judged is None or judged.found is None:
        return None if renew and judged and judged.citation.state == "gone" else link
    from recortex.engines.code.freshness import followed

    return followed(link, judged.found, judged.key, renew=renew)


class _Judge:
    """Judges links, each once."""

    def __init__(self, code: CurrentCode, reach: Reach) -> None:
        self._code, self._reach, self._refreshed = code, reach, False
        self._known: dict[SymbolLink, Judged | None] = {}

    def of(self, link: SymbolLink) -> Judged | None:
        if link not in self._known:
            self._known[link] = self._judged(link)
        return self._known[link]

    def _judged(self, link: SymbolLink) -> Judged | None:
        from recortex.engines.code.freshness import judged, unchanged

        if link.key and self._code.key(link.path) == link.key:
            return Judged(unchanged(link))
        now = self._code.of(link.path)
        if now is not None and now.facts is None:
            return None
        facts = now.facts if now else None
        citation, found = judged(link, facts, self._elsewhere, self._code.before(link.key))
        if found is None:
            return None if self._reach == "file" else Judged(citation)
        there = self._code.of(found.path)
        return Judged(citation, found, there.key if there else b"")

    def _elsewhere(self, link: SymbolLink) -> Iterator[Found]:
        from recortex.engines.code.freshness import Found

        if self._reach == "file":
            return
        if self._reach == "tree" and not self._refreshed:
            self._code.refresh()
            self._refreshed = True
        for one in (*self._code.alike(link.hash), *self._code.defining(link.plain)):
            yield Found(*one)
