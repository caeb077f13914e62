"""Test topology, coupling, and cycles of imports."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from recortex.domain.code_patterns import Finding, Place
from recortex.engines.code.sources import folder, is_test, product

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recortex.engines.code.sources import Sources

_TESTED = re.compile(r"^tests?[_-]|[_.-](?:test|tests|spec|e2e-spec|unittest)$|(?:Tests?|IT|TestCase|Spec)$")
MOST_IN_CYCLE = 12
"""Files of a cycle that are named."""
MOST_TESTS = 3
"""Tests of a file that are named in the sentence."""
LEAST_COUPLED = 5
"""Folders that have to depend on one before it is told as a hub."""


def topology(sources: Sources, graph: Mapping[str, Sequence[str]]) -> tuple[Finding, ...]:
    """For each file of the product the test files that test it.

    A test that imports the file is certain to use it; one that only has its name is likely to test it.
    """
    inside = product(sources.code)
    by_import: dict[str, set[str]] = defaultdict(set)
    by_name: dict[str, set[str]] = defaultdict(set)
    names: dict[str, list[str]] = defaultdict(list)
    for path in inside:
        names[_stem(path)].append(path)
    for path in sources.code:
        if is_test(path):
            for other in graph.get(path, ()):
                if other in inside:
                    by_import[other].add(path)
            tested = names.get(_TESTED.sub("", _stem(path)), ())
            if len(tested) == 1 and not tested[0].endswith(("__init__.py", "index.ts", "index.js")):
                by_name[tested[0]].add(path)
    return tuple(
        _tested(path, by_import[path], by_name[path]) for path in sorted(by_import.keys() | by_name.keys())
    )


def _tested(path: str, imported: set[str], named: set[str]) -> Finding:
    tests = sorted(imported & named) + sorted(named - imported) + sorted(imported - named)
    more = len(tests) - MOST_TESTS
    said = f"{path} is tested by {', '.join(tests[:MOST_TESTS])}" + (f" and {more} more" if more > 0 else "")
    return Finding(
        "tests",
        f"{said}.",
        Place(path, 0),
        tuple(Place(one, 0) for one in tests),
        "certain" if imported else "likely",
    )


def _stem(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


_RUNS = frozenset({"python", "javascript", "typescript", "c", "cpp"})
"""Languages in which an import reads the other file first, so that a circle can fail. In others it cannot."""


def that_run(sources: Sources, graph: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """The part of a graph of imports in which a circle can fail."""
    run = {path for path in graph if sources.files[path].language in _RUNS}
    return {path: [one for one in others if one in run] for path, others in graph.items() if path in run}


def cycles(graph: Mapping[str, Sequence[str]]) -> tuple[Finding, ...]:
    """Groups of files that import each other, at some remove; the largest first."""
    found = [sorted(group) for group in _components(graph) if len(group) > 1]
    return tuple(_cycle(group) for group in sorted(found, key=lambda one: (-len(one), one)))


def _cycle(group: Sequence[str]) -> Finding:
    named = ", ".join(group[:MOST_IN_CYCLE]) + (" …" if len(group) > MOST_IN_CYCLE else "")
    return Finding(
        "cycle",
        f"{len(group)} files import each other in a circle: {named}.",
        Place(group[0], 0),
        tuple(Place(one, 0) for one in group),
    )


def _components(graph: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
    """Strongly connected components (Tarjan 1972), without recursion."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    waiting: set[str] = set()
    for root in graph:
        work = [(root, iter(graph.get(root, ())))] if root not in order else []
        if work:
            order[root] = low[root] = len(order)
            stack.append(root)
            waiting.add(root)
        while work:
            node, others = work[-1]
            for other in others:
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    waiting.add(other)
                    work.append((other, iter(graph.get(other, ()))))
                    break
                if other in waiting:
                    low[node] = min(low[node], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    group: list[str] = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                        waiting.discard(group[-1])
                    yield group


def coupling(sources: Sources, graph: Mapping[str, Sequence[str]]) -> tuple[Finding, ...]:
    """Folders that many others depend on, the most used first; and pairs of folders that need each other."""
    inside = product(sources.code)
    needs: dict[str, set[str]] = defaultdict(set)
    used: dict[str, set[str]] = defaultdict(set)
    for path in inside:
        for other in graph.get(path, ()):
            here, there = folder(path), folder(other)
            if other in inside and here != there:
                needs[here].add(there)
                used[there].add(here)
    hubs = sorted(
        (one for one in used if len(used[one]) >= LEAST_COUPLED), key=lambda one: (-len(used[one]), one)
    )
    found = [
        Finding(
            "coupling",
            f"{len(used[one])} folders import from {one or 'the root'}.",
            Place(one, 0),
            tuple(Place(other, 0) for other in sorted(used[one])),
        )
        for one in hubs
    ]
    for one in sorted(needs):
        for other in sorted(needs[one]):
            if one < other and one in needs[other]:
                text = f"{one or 'the root'} and {other} import from each other."
                found.append(Finding("coupling", text, Place(one, 0), (Place(other, 0),)))
    return tuple(found)
