"""The symbols that a memory hangs on: those that it names, and those that its places and stack traces lie in.

A name counts where one symbol of the project has it; which of several is meant, the files tell that the
memory cites. A wrong symbol costs more than a missing one: it would make a memory stale that still holds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.code_facts import innermost
from recortex.domain.kinds import KINDS
from recortex.engines.code.calls import is_test
from recortex.engines.code.freshness import Found, link_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from recortex.domain.code_facts import FileFacts
    from recortex.domain.links import SymbolLink
    from recortex.domain.memory import Memory
    from recortex.engines.code.mentions import At, Named
    from recortex.engines.code.project import Project

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
    from recortex.engines.code.calls import callees
    from recortex.engines.code.resolution import Resolver

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
    left = near or left
    left = [one for one in left if not is_test(one.path)] or left
    left = [one for one in left if one.symbol.kind != "declaration"] or left
    alike = {(one.path, one.symbol.name) for one in left}
    return left[:MOST_OVERLOADS] if len(alike) == 1 else []


def _fits(name: Named, one: Found) -> bool:
    """Whether a symbol can be called so: by the end of its qualified name, after its file's or folder's."""
    own = one.symbol.name.split(".")
    before = [*one.path.rpartition(".")[0].split("/"), *own]
    return tuple(own[-len(name.parts) :]) == name.parts or tuple(before[-len(name.parts) :]) == name.parts
