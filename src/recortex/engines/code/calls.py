"""Who calls a symbol, and what it calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.code_facts import NOWHERE
from recortex.engines.code.project import family_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from recortex.engines.code.project import Address, Project
    from recortex.engines.code.resolution import Certainty, Resolver

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
    from recortex.engines.code.project import Address

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
