"""What a call means, in three certainties; where nothing is known, it means nothing.

- resolved: the name is defined in the same scope, imported from one place, or a method of a type that is
  written down.
- candidate: a method is called on something unknown, and at most three methods of the project have the name.
- external: the name comes from a package that is none of the project's, or from the language; never a
  namesake in the project.

Calls are resolved when somebody asks, from facts alone. So a file that changed takes no caller along: what
others say of it is in their own facts.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.domain.code import CALLABLE, NOWHERE
from recortex.engines.code.naming import Names, Outside, plain_names
from recortex.engines.code.project import (
    ABOVE,
    INSTANCE,
    TYPES,
    Address,
    family_of,
    own_field,
    parts_of,
    unit_of,
    written_type,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from recortex.domain.code import Call, FileFacts
    from recortex.engines.code.project import Project


Certainty = Literal["resolved", "candidate", "external", "unknown"]

COMMON = Path(__file__).with_name("common_methods.txt")
MOST_CANDIDATES = 3
_MADE = re.compile(r"\(?(?:new )?([A-Za-z_$\\][\w$.:\\]*)\([^()]*\)\)?")
_NAMES = re.compile(r"[A-Za-z_$\\][\w$\\.:]*")
_PRIMITIVES = frozenset(
    """
    int string bool double float long short byte char decimal object str bytes list dict set tuple
    console process window document i32 u8 usize f64
    """.split()
)


class Meaning(NamedTuple):
    """What a call means.

    Attributes:
        targets: symbols of the project.
        package: that an external name comes from; empty where it is the language's own.
    """

    certainty: Certainty
    targets: tuple[Address, ...] = ()
    package: str = ""


UNKNOWN = Meaning("unknown")


class Resolver:
    """Resolves the calls of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._names = Names(project)

    def meaning(self, path: str, call: Call) -> Meaning:
        """What a call in a file means."""
        if call.receiver:
            found = self._on(path, call)
        else:
            # Macros of Rust are defined without the sign that their calls have.
            found = self._names.plain(path, call.name.removesuffix("!"), call.caller)
        if isinstance(found, Outside):
            return Meaning("external", package=found.package)
        if self._is_of_c_library(path, call, found):
            return Meaning("external")
        if path.endswith(".rs"):  # macros and functions of Rust never stand for each other
            is_macro = call.name.endswith("!")
            found = [one for one in found if (self._project.symbol(one).kind == "macro") == is_macro]
        # A name can mean a variable or a module too, which nobody calls.
        if fitting := [self._type_made(one) for one in found if self._can_be_called(one)]:
            return self._certain(list(dict.fromkeys(fitting)), call)
        return self._candidates(path, call) if call.receiver else UNKNOWN

    def _is_of_c_library(self, path: str, call: Call, found: list[Address]) -> bool:
        """Whether C's library is meant, for which a project may have a stand-in where a system lacks it."""
        if call.receiver or family_of(self._project.files[path]) != "c":
            return False
        own = any(one.path == path and self._project.symbol(one).kind == "function" for one in found)
        return call.name in common_methods("c library") and not own

    def _can_be_called(self, address: Address) -> bool:
        kind = self._project.symbol(address).kind
        if kind == "constant" and family_of(self._project.files[address.path]) == "c":
            return False  # a macro without parameters: what it stands for is called
        # A constant may hold a function, and a declaration stands for one that is defined elsewhere.
        return kind in CALLABLE or kind in TYPES or kind in {"declaration", "constant", "property"}

    def _type_made(self, address: Address) -> Address:
        """The type instead of its constructor: both are called by its name."""
        symbol = self._project.symbol(address)
        if symbol.parent == NOWHERE or symbol.kind not in {"method", "declaration"}:
            return address
        above = self._project.files[address.path].symbols[symbol.parent]
        return Address(address.path, symbol.parent) if above.plain == symbol.plain else address

    def _certain(self, found: list[Address], call: Call) -> Meaning:
        """One definition is resolved; so are forms of one function, of which the fitting ones are kept."""
        real = [one for one in found if self._project.symbol(one).kind != "declaration"] or found
        if len(plain_names(real, self._project)) == 1:
            fitting = [one for one in real if self._fits(one, call.arguments)]
            return Meaning("resolved", tuple(fitting or real))
        return Meaning("candidate", tuple(real)) if len(real) <= MOST_CANDIDATES else UNKNOWN

    def _fits(self, address: Address, arguments: int) -> bool:
        symbol = self._project.symbol(address)
        any_more = "..." in symbol.signature or "params " in symbol.signature
        return symbol.arity == arguments or (any_more and arguments >= symbol.arity - 1)

    def _candidates(self, path: str, call: Call) -> Meaning:
        family = family_of(self._project.files[path])
        # A method that a language's own types have says nothing of the project's with the same name.
        if call.name in common_methods(family) or not _may_be_anything(call.receiver):
            return UNKNOWN
        named = self._project.named(family, call.name)
        found = [one for one in named if self._project.symbol(one).kind == "method"]
        few = 1 <= len(plain_names(found, self._project)) <= MOST_CANDIDATES
        return Meaning("candidate", tuple(found)) if few else UNKNOWN

    # -- methods

    def _on(self, path: str, call: Call) -> list[Address] | Outside:
        facts, on = self._project.files[path], call.receiver
        if on in INSTANCE or on in ABOVE:
            return self._of_instance(path, facts, call)
        types = self._types_of(path, facts, on, call.caller)
        if isinstance(types, Outside):
            return types
        if types is not None:
            return [found for one in types for found in self._names.method(one, call.name)]
        if not _NAMES.fullmatch(on):
            return []
        return self._names.path_of_names(path, [*parts_of(on), call.name], call.caller)

    def _of_instance(self, path: str, facts: FileFacts, call: Call) -> list[Address]:
        around = self._names.around(path, call.caller)
        # Methods of one type may stand in several files, of which some do not have the type.
        if around is None:
            owner = facts.symbols[call.caller].owner if call.caller != NOWHERE else ""
            return self._project.members_named(unit_of(path, facts), owner, call.name)
        if call.receiver in ABOVE:
            return self._names.inherited(around, call.name)
        return self._names.method(around, call.name)

    def _types_of(self, path: str, facts: FileFacts, on: str, at: int) -> list[Address] | Outside | None:
        """The types that a value is written to have; None where none is, or where that is not known."""
        if made := _MADE.fullmatch(on):
            found = self._names.types(path, made[1], at)
            return found or None
        name = own_field(on) or on
        written = written_type(facts, name, at)
        if written is None:
            # `s.db`, or `base_` in a method whose type is in another file: what is written there.
            parts = parts_of(on)
            if len(parts) > 2 or not all(part.lstrip("$").isidentifier() for part in parts):  # noqa: PLR2004
                return None
            if len(parts) == 1 or parts[0] in INSTANCE:
                around = self._names.around(path, at)
                owners: list[Address] | Outside | None = [around] if around else None
            else:
                owners = self._types_of(path, facts, parts[0], at)
            for owner in () if owners is None or isinstance(owners, Outside) else owners:
                for one in self._project.files[owner.path].bindings:
                    if one.scope == owner.number and one.name == f"self.{parts[-1]}":
                        return self._type_written(owner.path, one.type, owner.number)
            return None
        return self._type_written(path, written, at)

    def _type_written(self, path: str, written: str, at: int) -> list[Address] | Outside | None:
        if not written:
            return None
        found = self._names.types(path, written, at)
        if isinstance(found, Outside) or found:
            return found
        family = family_of(self._project.files[path])
        known = self._project.named(family, parts_of(written)[-1])
        is_ours = any(self._project.symbol(one).kind in TYPES for one in known)
        # A type of the project that was not found here is only unknown; any other comes from outside.
        return None if is_ours else Outside()


def _may_be_anything(receiver: str) -> bool:
    """Whether a receiver is a value, and no literal, no type, and nothing of the language itself."""
    return not (receiver[:1] in "\"'`[{0123456789" or receiver[:1].isupper() or receiver in _PRIMITIVES)


@cache
def common_methods(family: str) -> frozenset[str]:
    """Methods that a language's own types have."""
    lines = COMMON.read_text(encoding="utf-8").splitlines()
    listed = dict(line.split(":", 1) for line in lines if not line.startswith("#"))
    return frozenset(listed.get(family, "").split())


# -- which file names what another file defines: names times references, where imports decide who is meant


MOST_DEFINERS = 20
"""A name that more files define says nothing of any of them."""
_NAMED = TYPES | {"function", "method", "macro", "constant", "property"}


class Reference(NamedTuple):
    """A file names something that another defines.

    Attributes:
        times: how often.
        definers: how many files define the name.
    """

    source: str
    target: str
    name: str
    times: int
    definers: int


def references(project: Project) -> list[Reference]:
    """All references from one file of a project to another."""
    definers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path, facts in project.files.items():
        for one in facts.symbols:
            if one.kind in _NAMED:
                definers[family_of(facts), one.plain].add(path)
    names = Names(project)
    return [
        reference
        for path, facts in project.files.items()
        for reference in _of_file(path, facts, names, definers)
    ]


def _of_file(
    path: str, facts: FileFacts, names: Names, definers: dict[tuple[str, str], set[str]]
) -> Iterator[Reference]:
    family = family_of(facts)
    bound = _imports(path, facts, names)
    common = common_methods(family)
    found = Counter(call.name.removesuffix("!") for call in facts.calls)
    found.update(one.name for one in facts.imports if one.name not in {"", "*"})
    found.update(parts_of(base)[-1] for one in facts.symbols for base in one.bases if parts_of(base))
    found.update(parts_of(one.type)[-1] for one in facts.bindings if parts_of(one.type))
    for name, times in found.items():
        known = definers.get((family, name), set())
        if name in bound:
            # Where imports say who is meant, others that define the name do not matter.
            for target in bound[name]:
                yield Reference(path, target, name, times, max(1, len(known)))
        elif path not in known and name not in common and len(known) <= MOST_DEFINERS:
            for target in known:
                yield Reference(path, target, name, times, len(known))


def _imports(path: str, facts: FileFacts, names: Names) -> dict[str, set[str]]:
    """The files that the names come from which a file imports; none for those of libraries."""
    bound: dict[str, set[str]] = defaultdict(set)
    for one in facts.imports:
        place = names.place(path, one.module)
        if not one.name or one.name == "*" or (place.outside and family_of(facts) == "c"):
            continue
        found = {
            address.path for file in place.paths for address in names.exported(file, one.name, one.module)
        }
        for name in {one.name, one.alias} - {""}:
            bound[name] |= found - {path}
    return bound


# -- who calls a symbol, and what it calls


MOST_ROUNDS = 6
"""Calls that are followed one after the other."""


class Edge(NamedTuple):
    """A call.

    Attributes:
        path, line: where it stands.
        caller: the index in that file of the symbol that it stands in, or `NOWHERE`.
        target: what it means.
    """

    path: str
    line: int
    caller: int
    target: Address
    certainty: Certainty


def callers(project: Project, resolver: Resolver, targets: Collection[Address]) -> list[Edge]:
    """The calls that mean one of some symbols, in the order of their files.

    Only calls by one of their names are looked at, or by what an import calls them.
    """
    wanted = frozenset(targets)
    names: dict[str, set[str]] = {}
    for one in wanted:
        names.setdefault(family_of(project.files[one.path]), set()).add(project.symbol(one).plain)
    return [
        edge
        for path, facts in project.files.items()
        if (plain := names.get(family_of(facts)))
        for edge in _calls_in(project, resolver, path, plain)
        if edge.target in wanted
    ]


def _calls_in(project: Project, resolver: Resolver, path: str, plain: set[str]) -> Iterator[Edge]:
    facts = project.files[path]
    # A default export may have any name where it is imported.
    called = plain | {one.alias for one in facts.imports if one.name in plain or one.name == "default"}
    called |= {f"{name}!" for name in plain} if facts.language == "rust" else set()
    for call in facts.calls:
        if call.name in called:
            meaning = resolver.meaning(path, call)
            for target in meaning.targets:
                yield Edge(path, call.line, call.caller, target, meaning.certainty)


def callees(project: Project, resolver: Resolver, source: Address) -> list[Edge]:
    """What a symbol calls, with what is defined in it."""
    facts = project.files[source.path]
    inside = {source.number}
    # Symbols stand in the order of their lines, so that whatever lies in one comes after it.
    for index in range(source.number + 1, len(facts.symbols)):
        if facts.symbols[index].parent in inside:
            inside.add(index)
    return [
        Edge(source.path, call.line, call.caller, target, meaning.certainty)
        for call in facts.calls
        if call.caller in inside
        for meaning in [resolver.meaning(source.path, call)]
        for target in meaning.targets
    ]


class Reached(NamedTuple):
    """A symbol that a change of another may reach: how many calls away it is."""

    address: Address
    distance: int


def reached(
    project: Project, resolver: Resolver, targets: Collection[Address], most: int
) -> tuple[list[Reached], list[Edge]]:
    """The symbols that call some symbols, directly or not; only by calls that are resolved.

    Returns them, the nearest first, with the calls of the targets themselves that are candidates.
    """
    # A set of those seen, since functions that call each other would be followed for ever.
    seen, found = set(targets), list[Reached]()
    edge_of, unsure = set(targets), list[Edge]()
    for distance in range(1, MOST_ROUNDS + 1):
        edges = callers(project, resolver, edge_of) if edge_of else []
        if distance == 1:
            unsure = [one for one in edges if one.certainty == "candidate"]
        near = {
            Address(one.path, one.caller)
            for one in edges
            if one.certainty == "resolved" and one.caller != NOWHERE
        }
        edge_of = near - seen
        seen |= edge_of
        found += [Reached(one, distance) for one in sorted(edge_of)]
        if len(found) >= most:
            break
    return found[:most], unsure
