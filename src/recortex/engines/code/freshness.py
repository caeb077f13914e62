"""What became of a symbol that a memory hangs on: fresh, moved, changed or gone, by the facts of files.

A symbol is known by its qualified name and by a hash of its tokens without its own name: comments, layout and
other symbols do not change it, and one that was renamed or moved is found again by its hash. Of one that was
renamed and edited at once, the lines tell. `bench/symbol_freshness.py` measures it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.code import CALLABLE, CONTAINERS, innermost
from recortex.domain.kinds import KINDS
from recortex.domain.memory import MOST_CHANGED, Citation, FileLink, SymbolLink
from recortex.engines.code.project import is_test

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from recortex.domain.code import FileFacts, Symbol
    from recortex.domain.memory import Freshness, Memory
    from recortex.engines.code.naming import At, Named
    from recortex.engines.code.project import Project


WIDTH = 2
MOST_LINES = 400
"""Lines of a symbol that a link tells."""
SUBSTANTIAL = 3
"""Lines with tokens that a symbol has at least to be known by its hash under another name: shorter ones, such
as a function that only returns, are alike by chance."""
ALIKE = 0.7
"""The least likeness of a symbol that was renamed, or moved to another file, and edited at once."""
ALIKE_NAMED = 0.4
"""The same where its name is the same, and its file is gone; or where several of its file have its name."""
TELLING = 5
"""Lines with tokens that a symbol has at least to be known, edited, in another class of another file: short
functions of one name are alike."""
OVERLOADED = frozenset({"java", "csharp", "cpp"})
"""Languages in which several functions of a scope have one name."""


class Found(NamedTuple):
    """A symbol in a file as it is now."""

    path: str
    facts: FileFacts
    symbol: Symbol


def link_of(
    path: str, facts: FileFacts, symbol: Symbol, *, commit: str = "", key: bytes = b"", copies: int = 0
) -> SymbolLink:
    """A symbol as it is now, to be kept with a memory. `copies`: symbols of its hash in other files."""
    return SymbolLink(
        path=path,
        name=symbol.name,
        kind=symbol.kind,
        arity=symbol.arity,
        hash=symbol.hash,
        first=symbol.first,
        last=symbol.last,
        lines=_lines(facts, symbol),
        commit=commit,
        key=key,
        copies=copies,
    )


def followed(link: SymbolLink, found: Found, key: bytes, *, renew: bool = False) -> SymbolLink:
    """The link to a symbol where it is now; of an edited one, it says how it was, unless it is renewed."""
    symbol = found.symbol
    if renew or symbol.hash == link.hash:
        now = link_of(found.path, found.facts, symbol, commit=link.commit, key=key, copies=link.copies)
        return replace(now, role=link.role)
    return replace(link, path=found.path, name=symbol.name, first=symbol.first, last=symbol.last)


def judged(
    link: SymbolLink,
    facts: FileFacts | None,
    elsewhere: Callable[[SymbolLink], Iterable[Found]] = lambda _: (),
    before: FileFacts | None = None,
) -> tuple[Citation, Found | None]:
    """What became of a symbol, and the symbol as it is; None where it is gone.

    Args:
        link: the symbol as it was.
        facts: of its file as it is; None where the file is gone.
        elsewhere: gives symbols of other files that have its hash or its plain name.
        before: the facts of its file when it was linked, where they are still known.
    """
    here = [Found(link.path, facts, one) for one in facts.symbols if _akin(one, link)] if facts else []
    named = [one for one in here if one.symbol.name == link.name]
    if same := [one for one in named if one.symbol.hash == link.hash]:
        # Of several symbols with one name and hash, such as overloads for types, the nearest is most likely
        # it.
        nearest = min(same, key=lambda one: _away(link, one))
        return _citation(link, nearest, "fresh"), nearest
    if edited := _edited(link, named, before):
        return _changed(link, edited, before), edited
    # A symbol that was there before cannot be what another one became.
    known = {(one.name, one.arity) for one in before.symbols} if before else set()
    new = [one for one in here if (one.symbol.name, one.symbol.arity) not in known]
    others = _others(link, elsewhere(link))
    # In its own file first: a copy in another one is no move while the file has it.
    if moved := _moved(link, new, certain=bool(known)) or _moved(link, others):
        return _citation(link, moved, "moved"), moved
    if found := _followed(link, new, others):
        return _changed(link, found, before), found
    what = f"it is not in {link.path} any more" if facts else "its file is gone"
    place = FileLink(link.path, link.first, link.last, commit=link.commit)
    return Citation(place, "gone", link.path, link.first, link.last, 0.0, what, link.name), None


def unchanged(link: SymbolLink) -> Citation:
    """A symbol in a file that did not change."""
    place = FileLink(link.path, link.first, link.last, commit=link.commit)
    return Citation(place, "fresh", link.path, link.first, link.last, 1.0, symbol=link.name)


def _others(link: SymbolLink, found: Iterable[Found]) -> list[Found]:
    """Those of other files that it may have become; none of its copies, if there are no more than then.

    One in a file of the same name is no copy: folders are moved, and names are kept.
    """
    places = {(one.path, one.symbol.first, one.symbol.name): one for one in found}
    akin = [one for one in places.values() if _akin(one.symbol, link) and one.path != link.path]
    # Copies that stood when the link was made are still there, and are not where it went.
    copied = sum(one.symbol.hash == link.hash for one in akin)
    file = link.path.rpartition("/")[2]
    return [
        one
        for one in akin
        if one.symbol.hash != link.hash or copied > link.copies or one.path.rpartition("/")[2] == file
    ]


def _akin(one: Symbol, link: SymbolLink) -> bool:
    """Whether a symbol is of such a kind that the other may have become it."""
    if one.kind == link.kind:
        return True
    return any({one.kind, link.kind} <= kinds for kinds in (CALLABLE, CONTAINERS))


def _edited(link: SymbolLink, named: Sequence[Found], before: FileFacts | None) -> Found | None:
    """The symbol of its name in its file: of several, one with as many parameters, and the likest.

    `before`: of the others that had its name, those that stand are not it, and one that is likelier to have
    been another was that.
    """
    then = [one for one in before.symbols if one.name == link.name and _akin(one, link)] if before else []
    stood = {one.hash for one in then}
    others = [one for one in then if one.hash != link.hash]
    took = {one.arity for one in others} - {link.arity}
    now = {one.symbol.hash for one in named}
    vanished = [link_of(link.path, before, one) for one in others if before and one.hash not in now]
    new = [
        one
        for one in named
        if one.symbol.hash not in stood
        and not (one.facts.language in OVERLOADED and one.symbol.arity in took)
    ]
    # Each former overload has a claim: one that is likelier to have been another is not taken for it.
    own = [one for one in new if all(_near(link, one) >= _near(other, one) for other in vanished)]
    best = max(own, key=lambda one: _near(link, one), default=None)
    if best is None or not others or _likeness(link, best) >= ALIKE_NAMED:
        return best
    return best if len(new) > len(vanished) and best.symbol.arity == link.arity else None


def _near(link: SymbolLink, one: Found) -> tuple[bool, float]:
    """By what overloads are paired: as many parameters first, then the likest."""
    return one.symbol.arity == link.arity, _likeness(link, one)


def _moved(link: SymbolLink, found: Sequence[Found], *, certain: bool = False) -> Found | None:
    """The symbol with its hash: of its whole name, of its plain name, or another; of several the nearest.

    `certain`: they all are new. Otherwise short ones, which are alike by chance, need the name.
    """
    same = [one for one in found if one.symbol.hash == link.hash]
    named = [one for one in same if one.symbol.plain == link.plain]
    whole = [one for one in named if one.symbol.name == link.name]
    telling = len(_lines_with_tokens(link.lines)) >= SUBSTANTIAL
    alone = len(named) == 1 and not link.copies
    likely = whole or (named if telling or certain or alone else [])
    likely = likely or (same if telling or (certain and len(same) == 1) else [])
    # Folders first, since lines cannot be compared between files.
    return min(likely, key=lambda one: (-_together(link.path, one.path), _away(link, one)), default=None)


def _together(one: str, other: str) -> int:
    """How many folders two paths have in common, from the root on."""
    return sum(
        1
        for _ in takewhile(
            lambda pair: pair[0] == pair[1], zip(one.split("/"), other.split("/"), strict=False)
        )
    )


def _away(link: SymbolLink, one: Found) -> int:
    return abs(one.symbol.first - link.first)


def _followed(link: SymbolLink, here: Sequence[Found], others: Sequence[Found]) -> Found | None:
    """The symbol that it was renamed to, or that is in another file, and edited on the way."""
    told = len(_lines_with_tokens(link.lines))
    named = [
        one
        for one in others
        if one.symbol.plain == link.plain and (told >= TELLING or (one.symbol.name == link.name and not here))
    ]
    renamed = here if told >= SUBSTANTIAL else ()
    best = max((*renamed, *named), key=lambda one: _likeness(link, one), default=None)
    if best is None:
        return None
    alone = len(named) == 1 and best in named and best.symbol.name == link.name
    return best if _likeness(link, best) >= (ALIKE_NAMED if alone and not here else ALIKE) else None


def _likeness(link: SymbolLink, one: Found) -> float:
    """The share of lines that two symbols have in common, of all lines of both (Jaccard, as multisets).

    The line of the name counts where it is the only one, or the name is the same.
    """
    old, new = _lines_with_tokens(link.lines), _lines_with_tokens(_lines(one.facts, one.symbol))
    # The line of the name differs if the name does, and would count against what was only renamed.
    if one.symbol.plain != link.plain and min(len(old), len(new)) > 1:
        old, new = old[1:], new[1:]
    mine, other = Counter(old), Counter(new)
    return (mine & other).total() / max(1, (mine | other).total())


def _changed(link: SymbolLink, one: Found, before: FileFacts | None) -> Citation:
    told = _lines_with_tokens(_lines_then(link, before) or link.lines)
    stands = (Counter(told) & Counter(_lines_with_tokens(_lines(one.facts, one.symbol)))).total() / max(
        1, len(told)
    )
    line, sure = first_changed(link, one.facts, one.symbol, before)
    what = f"edited at line {line}" if sure else f"edited after line {line}"
    return _citation(link, one, "changed", min(stands, MOST_CHANGED), what)


def _lines_then(link: SymbolLink, before: FileFacts | None) -> bytes:
    """All lines of a symbol when it was linked, if the facts of its file are still known."""
    same = (link.name, link.hash, link.first)
    was = (one for one in before.symbols if (one.name, one.hash, one.first) == same) if before else ()
    one = next(iter(was), None)
    return before.lines[WIDTH * (one.first - 1) : WIDTH * one.last] if before and one else b""


def first_changed(
    link: SymbolLink, facts: FileFacts, symbol: Symbol, before: FileFacts | None = None
) -> tuple[int, bool]:
    """The first line of a symbol that does not read as it did; its last where only lines behind went.

    A new name is none, where anything else changed. The second value is whether it is that line: of a long
    symbol whose former lines are not known any more, only the last that stands is.
    """
    old, place, named = _lines_with_tokens(_lines_then(link, before) or link.lines), 0, 0
    for line in range(symbol.first, symbol.last + 1):
        value = facts.lines[WIDTH * (line - 1) : WIDTH * line]
        if not any(value):
            continue
        # The link holds only so many lines: what comes after them cannot be compared.
        if place >= len(old) == len(_lines_with_tokens(link.lines)) and len(link.lines) >= WIDTH * MOST_LINES:
            return line - 1, False
        if place >= len(old) or value != old[place]:
            # The new name makes that line differ in any case; what else changed tells more.
            if line != symbol.line or symbol.plain == link.plain:
                return line, True
            named = line
        place += 1
    return named or symbol.last, True


def _citation(
    link: SymbolLink, one: Found, state: Freshness, standing: float = 1.0, what: str = ""
) -> Citation:
    symbol = one.symbol
    return Citation(
        FileLink(link.path, link.first, link.last, commit=link.commit),
        state,
        one.path,
        symbol.first,
        symbol.last,
        standing,
        what,
        link.name,
        symbol.name if symbol.name != link.name else "",
    )


def _lines(facts: FileFacts, symbol: Symbol) -> bytes:
    last = min(symbol.last, symbol.first + MOST_LINES - 1)
    return facts.lines[WIDTH * (symbol.first - 1) : WIDTH * last]


def _lines_with_tokens(lines: bytes) -> list[bytes]:
    """The lines with tokens."""
    parts = (lines[place : place + WIDTH] for place in range(0, len(lines), WIDTH))
    return [one for one in parts if any(one)]


# -- the symbols that a memory hangs on: those that it names, and those that its places and stack traces lie


MOST = 8
"""Symbols of one memory."""
MOST_OVERLOADS = 3
MOST_CALLED = 30
"""Functions that the symbols of one memory call, which are kept."""
_PASSED_OVER = frozenset({"module"})


class Cited(NamedTuple):
    """Lines of a file that a memory cites, as they are now; None for the whole file."""

    path: str
    first: int | None = None
    last: int | None = None


class Subject(NamedTuple):
    """What a memory says of code.

    Attributes:
        named: names in its text.
        functions: names that it was given as functions, with their files, which may be empty.
        at: places in its text.
        cited: the files that it was given.
    """

    named: Sequence[Named]
    functions: Sequence[tuple[Named, str]]
    at: Sequence[At]
    cited: Sequence[Cited]


class Code(NamedTuple):
    """The code of a project, asked as it is needed.

    Attributes:
        facts: of a file by its path; None where there are none.
        defining: the symbols with a plain name.
        path: of a file as a text names it; empty where there is none, or more than one.
    """

    facts: Callable[[str], FileFacts | None]
    defining: Callable[[str], Iterable[Found]]
    path: Callable[[str], str]


def symbols_of(subject: Subject, code: Code) -> list[Found]:
    """The symbols that a memory hangs on, each once, at most `MOST`."""
    files = {one.path for one in subject.cited}
    found: dict[tuple[str, str, int], Found] = {}
    # What was given by name comes before places, and places before what is only mentioned, should the limit
    # cut.
    for one in (*_given(subject, code), *_within(subject, code), *_mentioned(subject, code, files)):
        # Of declarations of one function that differ in types alone, the longest is the one that does it.
        place = (one.path, one.symbol.name, one.symbol.arity)
        found[place] = max(found.get(place, one), one, key=lambda each: each.symbol.last - each.symbol.first)
    return list(found.values())[:MOST]


def constrains(memory: Memory) -> bool:
    """Whether a memory warns of something, or says what must be so: who changes code below should know."""
    category = KINDS[memory.kind].category
    return category == "gotcha" or memory.kind == "constraint_override" or bool(memory.constraints)


def callees_of(project: Project, links: Sequence[SymbolLink]) -> list[SymbolLink]:
    """What some symbols call within the project, as links of callers; without tests and what is unsure."""
    from recortex.engines.code.resolution import Resolver, callees

    resolver, own = Resolver(project), {(one.path, one.name) for one in links}
    found: dict[tuple[str, str], SymbolLink] = {}
    for link in links:
        for source in project.in_file(link.path, link.name):
            for edge in callees(project, resolver, source):
                symbol, path = project.symbol(edge.target), edge.target.path
                place = (path, symbol.name)
                if edge.certainty == "resolved" and place not in own and not is_test(path):
                    made = link_of(path, project.files[path], symbol, commit=link.commit)
                    found.setdefault(place, replace(made, role="caller", lines=b""))
    return list(found.values())[:MOST_CALLED]


def _given(subject: Subject, code: Code) -> Iterator[Found]:
    for name, path in subject.functions:
        yield from _meant(
            name, code.defining(name.plain), {path} if path else {x.path for x in subject.cited}
        )


def _within(subject: Subject, code: Code) -> Iterator[Found]:
    """The innermost symbols that cited lines and places lie in."""
    places = [one for one in subject.cited if one.first is not None]
    places += [Cited(path, at.line) for at in subject.at if (path := code.path(at.path))]
    for path, first, last in places:
        facts = code.facts(path)
        symbol = innermost(facts, first or 1) if facts else None
        if facts and symbol and (last or first or 1) <= symbol.last and symbol.kind not in _PASSED_OVER:
            yield Found(path, facts, symbol)


def _mentioned(subject: Subject, code: Code, files: Collection[str]) -> Iterator[Found]:
    for one in subject.named:
        yield from _meant(one, code.defining(one.plain), files)


def _meant(name: Named, found: Iterable[Found], files: Collection[str]) -> list[Found]:
    """The symbol that is meant, or its overloads; none where it may be another."""
    left = [one for one in found if one.symbol.kind not in _PASSED_OVER and _fits(name, one)]
    near = [one for one in left if one.path in files]
    if not (near or name.sure):
        return []
    # A file that the memory cites decides between namesakes.
    left = near or left
    # A test may define a helper of the same name.
    left = [one for one in left if not is_test(one.path)] or left
    left = [one for one in left if one.symbol.kind != "declaration"] or left
    alike = {(one.path, one.symbol.name) for one in left}
    # Several symbols of different names fit: linking to a wrong one is worse than to none.
    return left[:MOST_OVERLOADS] if len(alike) == 1 else []


def _fits(name: Named, one: Found) -> bool:
    """Whether a symbol can be called so: by the end of its qualified name, after its file's or folder's."""
    own = one.symbol.name.split(".")
    before = [*one.path.rpartition(".")[0].split("/"), *own]
    return tuple(own[-len(name.parts) :]) == name.parts or tuple(before[-len(name.parts) :]) == name.parts
