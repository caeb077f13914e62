"""What became of cited places, and of the symbols that memories hang on, in the code as it is."""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

from recortex.app.application import open_code
from recortex.codebase.git import branch_and_commit, read
from recortex.domain.memory import FileLink, FunctionLink
from recortex.domain.vocabulary import Scope
from recortex.engines.citations import Lines, Search, judged, lost, signed, suffix, uncompared
from recortex.engines.citations import together_together as together
from recortex.engines.privacy import redact
from recortex.errors import RecortexError
from recortex.filesystem import read_own
from recortex.lean import NamedTuple, lazy_module

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import blake3

    from recortex.app.application import Application, StoreServices
    from recortex.codebase import line_history
    from recortex.codebase.current_code import CurrentCode
    from recortex.domain.memory import Citation, Freshness, Memory, Reach, SymbolLink
    from recortex.engines.code import freshness, naming
    from recortex.engines.code.freshness import Found
else:
    blake3 = lazy_module("blake3")
    freshness = lazy_module("recortex.engines.code.freshness")
    line_history = lazy_module("recortex.codebase.line_history")
    naming = lazy_module("recortex.engines.code.naming")


# -- the project's code as it is, and what became of the symbols that memories hang on


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
    # Most memories hang on no symbol: the facts of the code are not opened for them.
    code = open_code(services.facts, tree, parse=parse) if any(links.values()) else None
    if code is None:
        return {}
    with closing(code):
        judged = _Judge(code, reach)
        found = {id_: [judged.judge(one) for one in own] for id_, own in links.items()}
    return {id_: [one.citation for one in own if one] for id_, own in found.items()}


def heal(services: StoreServices, memories: Sequence[Memory], *, renew: bool = False) -> int:
    """Keep where the symbols of memories are now; returns how many memories' links followed their code.

    Args:
        services: of the store that they are in.
        memories: whose symbols are looked for.
        renew: keep what was edited as it reads now, and let go what is gone: a person read it and agreed.
    """
    links = services.store.symbols.find_links([one.id for one in memories])
    code = open_code(services.facts, services.root) if links else None
    if code is None:
        return 0
    followed: list[tuple[Memory, list[SymbolLink]]] = []
    with closing(code):
        judged = _Judge(code, "tree")
        for memory in memories:
            own = [one for one in links.get(memory.id, ()) if one.role == "about"]
            now = [link for one in own if (link := _as_now(one, judged.judge(one), renew=renew))]
            if now != own:
                followed.append((memory, now))
    with services.store.transaction():
        for memory, now in followed:
            services.store.symbols.put(memory, now)
    return len(followed)


def _as_now(link: SymbolLink, judged: Judged | None, *, renew: bool) -> SymbolLink | None:
    """A link as it is to be kept; None: not any more."""
    # What is gone is let go only if a person agreed: on another branch it may still be there.
    if judged is None or judged.found is None:
        return None if renew and judged and judged.citation.state == "gone" else link
    return freshness.followed(link, judged.found, judged.key, renew=renew)


class _Judge:
    """Judges links, each once."""

    def __init__(self, code: CurrentCode, reach: Reach) -> None:
        self._code, self._reach, self._refreshed = code, reach, False
        self._known: dict[SymbolLink, Judged | None] = {}

    def judge(self, link: SymbolLink) -> Judged | None:
        if link not in self._known:
            self._known[link] = self._judged(link)
        return self._known[link]

    def _judged(self, link: SymbolLink) -> Judged | None:
        # With the file as it was, so is everything in it.
        if link.key and self._code.key(link.path) == link.key:
            return Judged(freshness.unchanged(link))
        now = self._code.read(link.path)
        if now is not None and now.facts is None:
            return None
        facts = now.facts if now else None
        citation, found = freshness.judged(link, facts, self._elsewhere, self._code.before(link.key))
        if found is None:
            return None if self._reach == "file" else Judged(citation)
        there = self._code.read(found.path)
        return Judged(citation, found, there.key if there else b"")

    def _elsewhere(self, link: SymbolLink) -> Iterator[freshness.Found]:
        if self._reach == "file":
            return
        # Once for all links: reading what changed in a tree takes seconds.
        if self._reach == "tree" and not self._refreshed:
            self._code.refresh()
            self._refreshed = True
        # The same code first: it was moved. The same name only then: it was moved and edited.
        for one in (*self._code.alike(link.hash), *self._code.defining(link.plain)):
            yield freshness.Found(*one)


# -- what became of cited places: reads the files of a working tree, each once, for any number of citations


# Git may take minutes for a long history, and somebody waits for the answer.
SECONDS: dict[Reach, float] = {"renames": 2.0, "tree": 20.0}
"""After which a question to git is given up."""
MOST_SEARCHED, MOST_BYTES = 20_000, 256 * 1024 * 1024
"""Files, and bytes of files, that are searched for places which are nowhere else."""


class _Sources:
    """The files of a working tree, as lines; the last one read is kept."""

    def __init__(self, root: Path) -> None:
        self.root, self._real = root, os.path.realpath(root)
        self._last: tuple[str, Lines | None] = ("", None)
        self._files: dict[str, bool] = {}

    def read_lines(self, path: str) -> Lines | None:
        """A file's lines; None where it is not there, not in the project, or too large."""
        if path != self._last[0]:
            data = read(self.root, path, self._real)
            self._last = (path, None if data is None else Lines(data))
        return self._last[1]

    def there(self, link: FileLink) -> str:
        """The path of a cited file, if it is there."""
        found = self._files.get(link.path)
        if found is None:
            place = os.path.join(self.root, link.path)  # noqa: PTH118  as in `read`
            found = self._files[link.path] = os.path.isfile(place)  # noqa: PTH113
        return link.path if found else ""


def cite(root: Path, path: str, first: int | None, last: int | None, commit: str = "") -> FileLink:
    """A place as it is now; without a hash where it cannot be read."""
    data = read(root, path)
    hashed = ("", "") if data is None else signed(Lines(data), first, last)
    return FileLink(path, first, last, hashed[0], commit, hashed[1])


def citations_of(root: Path, links: Sequence[FileLink], reach: Reach = "file") -> list[Citation]:
    """What became of each place, in the order in which they are given.

    Args:
        root: of the project.
        links: the places as they were cited.
        reach: how far a place is followed that is not in its file any more.
    """
    sources = _Sources(root)
    found: dict[FileLink, Citation] = {}
    missing: list[FileLink] = []
    # By path, so that each file is read once: only the last one is kept.
    for link in sorted(set(links), key=lambda link: link.path):
        lines = sources.read_lines(link.path)
        if citation := judged(link, lines) if lines else _unread(sources, link):
            found[link] = citation
        else:
            missing.append(link)
    if missing and reach != "file":
        found |= _elsewhere(sources, missing, reach)
    # In the order of the question: each caller takes its own from the list.
    return [found[link] if link in found else lost(link, sources.there(link)) for link in links]


def cited_by(
    stores: Sequence[StoreServices],
    memories: Sequence[Memory],
    reach: Reach = "file",
    *,
    tree: Path | None = None,
    parse: bool = True,
) -> dict[str, list[Citation]]:
    """What became of the places and symbols that each memory cites, by its id.

    A memory for all projects cites files of another one: these cannot be compared.

    Args:
        stores: that the memories may be in, of one project.
        memories: of which it is asked.
        reach: how far a place is followed that is not in its file any more.
        tree: the top folder of the working tree; the project's main one, unless said.
        parse: whether code that changed is read for its symbols.
    """
    if not stores:
        return {one.id: list(map(uncompared, one.files)) for one in memories}
    root = tree or stores[0].root
    links = {memory.id: memory.files for memory in memories if memory.scope is not Scope.GLOBAL}
    flat = [link for files in links.values() for link in files]
    found = iter(citations_of(root, flat, reach))
    cited = {id_: [next(found) for _ in files] for id_, files in links.items()}
    for id_, symbols in _symbols(stores, list(links), root, reach, parse=parse).items():
        cited[id_] = together(cited[id_], symbols)
    return {
        one.id: cited[one.id] if one.id in cited else list(map(uncompared, one.files)) for one in memories
    }


def _symbols(
    stores: Sequence[StoreServices], ids: Sequence[str], root: Path, reach: Reach, *, parse: bool
) -> dict[str, list[Citation]]:
    """What became of the symbols that memories hang on, by the ids of those that hang on some."""
    found: dict[str, list[Citation]] = {}
    for services in stores:
        if ids and services.facts is not None and (links := services.store.symbols.find_links(ids)):
            about = {id_: [one for one in own if one.role == "about"] for id_, own in links.items()}
            found |= judge(services, about, root, reach, parse=parse)
    return found


def _unread(sources: _Sources, link: FileLink) -> Citation | None:
    """What cannot be compared: a file outside the project, or one too large. None: it is not there."""
    outside = link.path.startswith(("/", "~", "../"))
    return uncompared(link) if outside or sources.there(link) else None


def _elsewhere(sources: _Sources, missing: Sequence[FileLink], reach: Reach) -> dict[FileLink, Citation]:
    absent = {link.path for link in missing if not sources.there(link)}
    # One question to git for all files.
    gone = line_history.fates(sources.root, absent, seconds=SECONDS[reach])
    found = dict(_followed(sources, missing, gone))
    rest = [link for link in missing if link not in found and link.content_hash]
    found |= _searched(sources, rest, reach, absent) if rest else {}
    # What was found elsewhere of a file tells where the file went, and so where its other places are.
    beside = _named_by(one for one in found.values() if one.link.path in absent)
    found |= dict(_followed(sources, [link for link in missing if link not in found], beside))
    gone = beside | gone
    known_of = [link for link in missing if link not in found and link.path in gone]
    return found | {link: lost(link, gone[link.path], known=True) for link in known_of}


def _followed(
    sources: _Sources, missing: Iterable[FileLink], fates: dict[str, str]
) -> Iterator[tuple[FileLink, Citation]]:
    """What stands in the file that its file was renamed to."""
    for link in missing:
        path = fates.get(link.path, "")
        lines = sources.read_lines(path) if path else None
        citation = judged(link, lines, path) if lines else None
        if citation:
            yield link, citation


def _named_by(found: Iterable[Citation]) -> dict[str, str]:
    """Where files went that are gone, as what was cited of them and found elsewhere tells."""
    gone = Counter((one.link.path, one.path) for one in found if one.path != one.link.path)
    # Of several the most frequent: a dict keeps what is set last, so the order is turned round.
    return {old: new for (old, new), _ in reversed(gone.most_common())}


def _searched(
    sources: _Sources, missing: Sequence[FileLink], reach: Reach, absent: Collection[str]
) -> dict[FileLink, Citation]:
    """What is found in files of the same name; with the reach of the tree, in all of the same language."""
    search, names = Search(missing, absent), {link.path.rpartition("/")[2] for link in missing}
    suffixes, left = search.suffixes, MOST_BYTES
    with line_history.moves(sources.root, seconds=SECONDS[reach]) as known:
        likely = [path for path in known.files() if suffix(path) in suffixes]
    if reach != "tree":
        # A file that was moved mostly keeps its name; others are read only where the whole tree may be.
        likely = [path for path in likely if path.rpartition("/")[2] in names]
    for path in likely[:MOST_SEARCHED]:
        lines = sources.read_lines(path)
        if lines is not None:
            search.look(path, lines)
            # In bytes as well: a few generated files may be larger than all others together.
            left -= lines.size
            if left < 0:
                break
    return search.found


# -- what became of several places


_WORST_FIRST: tuple[Freshness, ...] = ("gone", "changed", "moved", "fresh")


def worst(citations: Iterable[Citation]) -> Citation | None:
    """The first of those in the worst state; None where nothing can be compared."""
    found = list(citations)
    return next((one for state in _WORST_FIRST for one in found if one.state == state), None)


def freshness_of(citations: Iterable[Citation]) -> Freshness:
    """The worst state."""
    one = worst(citations)
    return one.state if one else "none"


def describe_citations(citations: Iterable[Citation]) -> str:
    """What became of them, in one line: the worst, and how many more do not stand as they did."""
    found = list(citations)
    one = worst(found)
    if one is None or one.state == "fresh" or not one.outcome:
        return ""
    more = sum(bool(other.outcome) for other in found) - 1
    return f"{one.outcome}; {more} more" if more else one.outcome


# -- links memories to the symbols of the code that they hang on, when they are written


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
            # Noted also where nothing was found, so that it is not looked for again.
            symbols.looked(memory, says[memory.id])
    return found


def _says(memory: Memory) -> str:
    """A hash of what a memory says of code."""
    places = [f"{one.path}:{one.line_start}:{one.content_hash}" for one in memory.files]
    names = [f"{one.name} {one.file}" for one in memory.functions]
    return blake3.blake3("\0".join([memory.text, *places, *names]).encode()).hexdigest(length=8)


def links_of(
    root: Path, memory: Memory, code: CurrentCode, then: Callable[[Memory, Found], SymbolLink | None]
) -> list[SymbolLink]:
    """The symbols that a memory hangs on; `then`: as for `link`."""
    subject = freshness.Subject(
        naming.named(memory.text),
        [(naming.name_of(one.name), one.file) for one in memory.functions],
        naming.places(memory.text),
        list(_present(root, memory.files)),
    )
    found = freshness.symbols_of(subject, _asked(code))
    if not found:
        return []
    commit = branch_and_commit(code.root)[1]
    keys = {one.path: keyed.key for one in found if (keyed := code.read(one.path))}
    return [
        then(memory, one)
        or freshness.link_of(
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
    from recortex.engines.code.project import Project

    links = services.store.symbols.find_links([one.id for one in memories if freshness.constrains(one)])
    if not links:
        return 0
    project = Project(code.all_facts())
    found = {
        id_: freshness.callees_of(project, [one for one in own if one.role == "about"])
        for id_, own in links.items()
    }
    with services.store.transaction():
        for memory in memories:
            if memory.id in found:
                services.store.symbols.put(memory, found[memory.id], "caller")
    return sum(bool(own) for own in found.values())


def functions_of(app: Application, names: Sequence[str]) -> tuple[FunctionLink, ...]:
    """Functions by their names, with file and signature where one symbol of the project is called so."""
    code = open_code(app.project.facts, app.tree) if names else None
    if code is None:
        return tuple(map(FunctionLink, names))
    with closing(code):
        return tuple(_function(name, code) for name in names)


def _function(name: str, code: CurrentCode) -> FunctionLink:
    found = freshness.symbols_of(freshness.Subject([], [(naming.name_of(name), "")], [], []), _asked(code))
    # A name that several symbols have would be a guess.
    if len(found) != 1:
        return FunctionLink(name)
    return FunctionLink(name, found[0].path, redact(found[0].symbol.signature).text)


def _asked(code: CurrentCode) -> freshness.Code:
    def defining(name: str) -> Iterator[freshness.Found]:
        return (freshness.Found(*one) for one in code.defining(name))

    return freshness.Code(code.facts, defining, code.path)


def _present(root: Path, files: Sequence[FileLink]) -> Iterator[freshness.Cited]:
    """Where cited lines are now, of those that still stand; of files without lines, only the path."""
    for one in citations_of(root, files):
        if one.first is None or not one.link.content_hash:
            yield freshness.Cited(one.path)
        elif one.state in {"fresh", "moved"}:
            yield freshness.Cited(one.path, one.first, one.last)


# -- how patterns stand, as counted last: a small file, so that a memory's pattern can be told of cheaply


STATE = ".patterns.json"
"""What ends the file's name."""
MOST_STATES = 1024 * 1024
"""Bytes of the file that are read."""


def state_file(app: Application) -> Path:
    """Where it is."""
    return app.project.facts.with_suffix(STATE)


def states_of(app: Application, memories: Iterable[Memory]) -> Mapping[str, tuple[str, ...]]:
    """How the patterns that memories are linked to stand, by the memory's id; those of others are left out.

    The file is read only where a memory is linked to a pattern.
    """
    about = [one for one in memories if one.patterns]
    known = _read_states(state_file(app)) if about else {}
    found = {one.id: tuple(dict.fromkeys(_states(one, known))) for one in about}
    return {id_: told for id_, told in found.items() if told}


def _states(memory: Memory, known: Mapping[str, str]) -> Iterable[str]:
    for link in memory.patterns:
        said = known.get(link.id) or known.get(link.name)
        if isinstance(said, str):
            yield f"pattern now: {said}"


def _read_states(path: Path) -> Mapping[str, str]:
    try:
        found = json.loads(read_own(path, MOST_STATES))
    except (OSError, ValueError, RecursionError, RecortexError):
        return {}
    return found if isinstance(found, dict) else {}
