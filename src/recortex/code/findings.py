"""What facts say that is worth a look: unguarded routes, circles of imports, variables of the environment."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from recortex.domain.code import CALLABLE, NOWHERE, Finding, Place, innermost
from recortex.engines.code.project import Member, Project, find_module, product

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recortex.code.detecting import Detection
    from recortex.domain.code import Call, Import
    from recortex.engines.code.project import Sources


MOST_FINDINGS = 5
"""Findings of one analysis that are told."""
_GUARD = re.compile(
    r"(?i)auth(?!or\b|ors\b)|login_?required|permission|secured?$|guards?$|jwt|roles?(?:allowed)?$|isgranted"
)
_OPEN = re.compile(r"(?i)anonymous|public|permitall|allowany|skipauth|noauth|exempt")
_ENTRANCE = re.compile(
    r"(?i)log_?(?:in|out|on|off)|sign_?(?:in|up|out)|regist|forgot|reset_?password|callback|webhook"
    r"|health|ping|alive|status|version|metrics|robots|favicon|initiali[sz]e|setup|^index$|^home$|error"
)
"""Names of handlers that everybody may call by what they are for."""
LEAST_GUARDED = 0.5
"""The share of the routes of a library that have a guard before one without is worth a look."""
_ENVIRONMENT = {
    ("python", "getenv"),
    ("java", "getenv"),
    ("go", "Getenv"),
    ("go", "LookupEnv"),
    ("csharp", "GetEnvironmentVariable"),
    ("php", "getenv"),
    ("php", "env"),
    ("c", "getenv"),
    ("cpp", "getenv"),
    ("c", "secure_getenv"),
}
_BY_NAME = {"python": ".", "java": ".", "php": ".", "rust": "::"}
"""Languages in which the imported name may be a file of its own, and what stands before it."""
_NO_FILES = frozenset({"csharp"})
"""Languages whose imports name namespaces of many files."""
_RUNS = frozenset({"python", "javascript", "typescript", "c", "cpp"})
"""Languages in which an import reads the other file first, so that a circle can fail. In others it cannot."""
MOST_IN_CYCLE = 12
"""Files of a cycle that are named."""


def findings(found: Detection, sources: Sources) -> tuple[Finding, ...]:
    """What is worth a look: the first of each query whose findings mostly are (`bench/detection.py`)."""
    each = (
        unguarded_routes(found, sources),
        cycles(that_run(sources, import_graph(sources))),
        environment(sources),
    )
    return tuple(one for query in each for one in query[:MOST_FINDINGS])


def unguarded_routes(detection: Detection, sources: Sources) -> tuple[Finding, ...]:
    """Handlers without the guard that most handlers of their library have.

    Only marks at the handler or its class are seen. A guard that is set for a whole router is not, so what is
    found is possible, no more.
    """
    inside = product(sources.code)
    found = []
    for (library, role), members in detection.members.items():
        if role != "handlers" or detection.named(library) is None:
            continue
        own = [one for one in members if one.path in inside and one.symbol.kind in CALLABLE]
        marks = [_marks(one) for one in own]
        guarded = [any(_GUARD.search(name) for name in names) for names in marks]
        open_ = [any(_OPEN.search(name) for name in names) for names in marks]
        if not own or sum(guarded) < LEAST_GUARDED * len(own):
            continue
        for one, safe, meant in zip(own, guarded, open_, strict=True):
            if not (safe or meant or _ENTRANCE.search(one.symbol.plain)):
                most = f"{sum(guarded)} of {len(own)} {library} handlers"
                text = f"{one.symbol.name} has none of the guards that {most} have."
                place = Place(one.path, one.symbol.line, one.symbol.name)
                found.append(Finding("security", text, place, (), "possible"))
    return tuple(found)


def _marks(member: Member) -> set[str]:
    around, index = set(), member.at
    while index != NOWHERE:
        around.add(index)
        index = member.facts.symbols[index].parent
    return {mark.name.rpartition(".")[2] for mark in member.facts.marks if mark.symbol in around}


def environment(sources: Sources) -> tuple[Finding, ...]:
    """The environment variables that are read by a call with their name."""
    found: dict[str, list[Place]] = defaultdict(list)
    inside = product(sources.code)
    for path, facts in ((path, sources.files[path]) for path in sorted(inside)):
        for call in facts.calls:
            if call.argument and _reads_environment(facts.language, call):
                found[call.argument].append(Place(path, call.line, call.argument))
    return tuple(
        Finding(
            "environment",
            f"{name} is read from the environment in {places[0].path}.",
            places[0],
            tuple(places),
        )
        for name, places in sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))
    )


def _reads_environment(language: str, call: Call) -> bool:
    if (language, call.name) in _ENVIRONMENT:
        return True
    if language == "python":
        return call.name in {"get", "setdefault", "pop"} and call.receiver.endswith("environ")
    return language == "rust" and call.name in {"var", "var_os"} and call.receiver.endswith("env")


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


def import_graph(sources: Sources) -> Mapping[str, tuple[str, ...]]:
    """The files of the project that each file imports when it is read, itself left out.

    What a function imports when it is called is left out; C# names namespaces and has none.
    """
    project = Project(sources.files)
    graph = {}
    for path, facts in project.files.items():
        found: set[str] = set()
        if facts.language not in _NO_FILES:
            for one in facts.imports:
                around = innermost(facts, one.line)
                if not (around is not None and around.kind in CALLABLE):
                    found.update(_files(project, path, one))
        graph[path] = tuple(sorted(found - {path}))
    return graph


def _files(project: Project, path: str, one: Import) -> tuple[str, ...]:
    between = _BY_NAME.get(project.files[path].language)
    if between and one.name not in {"", "*"}:
        start = one.module if one.module.endswith(".") else one.module + between
        if found := find_module(project, path, start + one.name).paths:
            return found
    elif between in {".", "::"} and one.name == "*" and project.files[path].language in {"java", "php"}:
        return ()
    return find_module(project, path, one.module).paths


def that_run(sources: Sources, graph: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """The part of a graph of imports in which a circle can fail."""
    run = {path for path in graph if sources.files[path].language in _RUNS}
    return {path: [one for one in others if one in run] for path, others in graph.items() if path in run}
