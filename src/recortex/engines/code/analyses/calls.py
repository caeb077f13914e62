"""What single calls and marks say: hidden errors, unguarded routes, composed SQL, settings, wrappers.

Facts have calls, not statements: an empty `except`, `process.env.NAME` and numbers in code are not in them
and are not told.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from recortex.domain.code_facts import CALLABLE, COMPOSED_SQL, NOWHERE
from recortex.domain.code_patterns import Finding, Place
from recortex.engines.code.sources import Member, product

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.code_facts import Call, FileFacts
    from recortex.engines.code.detection.detecting import Detection
    from recortex.engines.code.sources import Sources

_RISKY = {
    ("rust", "panic!"): "ends the thread",
    ("go", "panic"): "ends the process",
    ("java", "printStackTrace"): "prints an error instead of handling it",
}
_MEANT = re.compile(r"^(?:init|main|Must\w*|must\w*)$")
"""Functions of Go that are there to panic."""
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
_SQL_CALL = re.compile(r"(?i)^(?:query|execute|exec|raw|prepare|executemany|fetch|select)")
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
_LITERAL = re.compile(r"=\s*(?:[-+]?\d[\w.]*|[\"'`][^\"'`]*[\"'`])\s*;?$")
WRAPPER_LINES = 6
"""Lines of a function that does nothing but call another."""


def hidden_errors(sources: Sources) -> tuple[Finding, ...]:
    """Calls that end the process on an error, or only print it; a finding for each file, those of most first.

    What says why it may (`expect`), or drops an error by name (`suppress`), is meant so; and most calls of
    `unwrap` are of what cannot fail. Neither is told.
    """
    found: dict[tuple[str, str], list[Call]] = defaultdict(list)
    for path, facts in _product(sources):
        for call in facts.calls:
            if (facts.language, call.name) in _RISKY and not _is_meant(facts, call):
                found[path, call.name].append(call)
    return tuple(
        Finding(
            "errors",
            f"{path} calls `{name}` {_times(len(calls))}; it {_RISKY[sources.files[path].language, name]}.",
            Place(path, calls[0].line, name),
            tuple(Place(path, one.line, name) for one in calls),
        )
        for (path, name), calls in sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))
    )


def _is_meant(facts: FileFacts, call: Call) -> bool:
    caller = facts.symbols[call.caller].plain if call.caller != NOWHERE else ""
    return _in_test(facts, call) or (facts.language == "go" and _MEANT.match(caller) is not None)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _in_test(facts: FileFacts, call: Call) -> bool:
    index = call.caller
    while index != NOWHERE:
        symbol = facts.symbols[index]
        if symbol.kind == "module" and symbol.plain == "tests":
            return True
        index = symbol.parent
    return False


def _product(sources: Sources) -> Iterator[tuple[str, FileFacts]]:
    inside = product(sources.code)
    return ((path, sources.files[path]) for path in sorted(inside))


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


def composed_sql(sources: Sources) -> tuple[Finding, ...]:
    """Calls that get SQL with values written into the text."""
    return tuple(
        Finding(
            "security",
            f"`{call.name}` gets SQL that is put together from values.",
            Place(path, call.line, call.name),
            (),
            "likely",
        )
        for path, facts in _product(sources)
        for call in facts.calls
        if call.argument == COMPOSED_SQL and _SQL_CALL.match(call.name)
    )


def environment(sources: Sources) -> tuple[Finding, ...]:
    """The environment variables that are read by a call with their name."""
    found: dict[str, list[Place]] = defaultdict(list)
    for path, facts in _product(sources):
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


def repeated_constants(sources: Sources) -> tuple[Finding, ...]:
    """Constants of one name that are defined in several files, with the same value or with others."""
    found: dict[tuple[str, str], list[tuple[Place, str]]] = defaultdict(list)
    for path, facts in _product(sources):
        for symbol in facts.symbols:
            if symbol.kind == "constant" and symbol.plain.isupper() and _LITERAL.search(symbol.signature):
                place = Place(path, symbol.line, symbol.plain)
                found[facts.language, symbol.plain].append((place, symbol.hash))
    return tuple(
        Finding(
            "constants",
            f"{name} is defined in {len({place.path for place, _ in rows})} files, "
            + (
                "with the same value." if len({value for _, value in rows}) == 1 else "with different values."
            ),
            rows[0][0],
            tuple(place for place, _ in rows),
        )
        for (_, name), rows in sorted(found.items())
        if len({place.path for place, _ in rows}) > 1
    )


def wrappers(sources: Sources) -> tuple[Finding, ...]:
    """Functions of a few lines that make one call, with as many arguments as they have parameters."""
    found = []
    for path, facts in _product(sources):
        inner: dict[int, list[Call]] = defaultdict(list)
        for call in facts.calls:
            inner[call.caller].append(call)
        for index, calls in sorted(inner.items()):
            if index == NOWHERE or len(calls) != 1:
                continue
            symbol, call = facts.symbols[index], calls[0]
            if symbol.plain.startswith("__") or call.receiver in {"super", "super()", "parent", "base"}:
                continue
            short = symbol.last - symbol.line < WRAPPER_LINES
            if symbol.kind in CALLABLE and short and 0 < symbol.arity <= call.arguments <= symbol.arity + 1:
                target = f"{call.receiver}.{call.name}" if call.receiver else call.name
                place = Place(path, symbol.line, symbol.name)
                text = f"{symbol.name} does nothing but call `{target}`."
                found.append(Finding("wrapper", text, place, (Place(path, call.line, target),), "possible"))
    return tuple(found)
