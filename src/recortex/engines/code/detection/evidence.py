"""Evidence in one file: what it imports, and where it is of the form that a rule describes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from recortex.domain.code_facts import CALLABLE, CONTAINERS, NOWHERE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.domain.code_facts import Call, FileFacts, Mark
    from recortex.engines.code.detection.rules import Use

_T = TypeVar("_T")
_QUALIFIED = frozenset({"rust", "cpp", "php"})
"""Languages in which a library is used by its whole path, without an import."""
_TABLE = re.compile(
    r"\b(?:from|join|update|into|table(?:\s+if\s+(?:not\s+)?exists)?)\s+[\"`\[]?([A-Za-z_][\w.\]\[\"`]*)",
    re.IGNORECASE,
)
_METHOD = re.compile(r"(get|post|put|delete|patch|head|options)", re.IGNORECASE)
_NO_TABLE = frozenset({"select", "set", "where", "the", "values", "only"})


class Sighting(NamedTuple):
    """A place that a rule describes.

    Attributes:
        line: from 1.
        symbol: the index of the symbol that it is about, or `NOWHERE`.
        text: what was captured.
        method: of a route.
    """

    line: int
    symbol: int
    text: str = ""
    method: str = ""


class Seen:
    """A file's facts, arranged so that rules are looked up by name."""

    def __init__(self, path: str, facts: FileFacts) -> None:
        self.path, self.facts = path, facts
        self.modules = frozenset(_modules(facts))
        self.calls: dict[str, list[Call]] = defaultdict(list)
        for call in facts.calls:
            self.calls[call.name].append(call)
        self.marks: dict[str, list[Mark]] = defaultdict(list)
        for mark in facts.marks:
            self.marks[mark.name.rpartition(".")[2]].append(mark)
        self.bases: dict[str, list[int]] = defaultdict(list)
        for index, symbol in enumerate(facts.symbols):
            for base in symbol.bases:
                self.bases[plain(base)].append(index)

    def imports(self, patterns: Iterable[str]) -> bool:
        """Whether it imports one of these modules, or what lies below one."""
        return any(module_matches(module, one) for one in patterns for module in self.modules)

    def sightings(self, use: Use) -> Iterator[Sighting]:
        """The places of a form."""
        return _FORMS[use.on](self, use)

    def named(self, symbol: int) -> str:
        """The name of a symbol without what it belongs to; empty: none."""
        return self.facts.symbols[symbol].plain if symbol != NOWHERE else ""


def plain(name: str) -> str:
    """The last part of a dotted name."""
    return re.split(r"[.\\:]+", name)[-1]


def module_matches(module: str, pattern: str) -> bool:
    """Whether a module is the one of a pattern or lies below it."""
    if "*" in pattern or "[" in pattern:
        return fnmatchcase(module, pattern)
    return module.startswith(pattern) and module[len(pattern) : len(pattern) + 1] in {"", ".", "/"}


def _modules(facts: FileFacts) -> Iterator[str]:
    for one in facts.imports:
        module = one.module.strip("<>\"'").replace("\\", ".").replace("::", ".")
        yield (f"{module}.{one.name}" if one.name not in {"", "*", "default"} else module)
    if facts.language in {"javascript", "typescript"}:  # require("express").Router()
        yield from (call.argument for call in facts.calls if call.name == "require" and call.argument)
    if facts.language in _QUALIFIED:
        for call in facts.calls:
            if "::" in call.receiver:
                yield call.receiver.lstrip(":\\").replace("::", ".")
            elif call.receiver.isidentifier():
                yield call.receiver
        for mark in facts.marks:
            yield mark.name


def _allowed(name: str, names: tuple[str, ...]) -> bool:
    return name in names or any("*" in one and fnmatchcase(name, one) for one in names)


def _of_names(table: dict[str, list[_T]], names: tuple[str, ...]) -> Iterator[_T]:
    for one in names:
        if "*" in one:
            for name, found in table.items():
                if fnmatchcase(name, one):
                    yield from found
        else:
            yield from table.get(one, ())


def _received(receiver: str, allowed: tuple[str, ...]) -> bool:
    return not allowed or _allowed(receiver, allowed) or _allowed(plain(receiver), allowed)


def _calls(seen: Seen, use: Use) -> Iterator[Sighting]:
    for call in _of_names(seen.calls, use.names):
        if not _received(call.receiver, use.receivers):
            continue
        if use.argument is not None and not use.argument.search(call.argument):
            continue
        method = _method(use, call.name)
        if use.method == "inner":
            inner = {one.name.upper() for one in seen.facts.calls if one.line == call.line}
            method = ",".join(sorted(inner & _METHODS)) or "ANY"
        for text in _texts(use, call.argument, call.receiver):
            yield Sighting(call.line, call.caller, text, method)


def _marks(seen: Seen, use: Use) -> Iterator[Sighting]:
    for mark in _of_names(seen.marks, use.names):
        receiver = mark.name.rpartition(".")[0]
        if not _received(receiver, use.receivers):
            continue
        if use.argument is not None and not use.argument.search(mark.argument):
            continue
        text = mark.argument
        if use.of == "symbol" or (use.captures == "table" and not text):
            text = seen.named(mark.symbol)
        yield Sighting(mark.line, mark.symbol, text, _method(use, mark.name.rpartition(".")[2]))


def derived(files: Iterable[Seen], names: set[str]) -> frozenset[str]:
    """Names of these classes and of those that extend one of them, at any remove.

    A name that several classes of the project have is not followed: it may mean another one.
    """
    children: dict[str, set[str]] = defaultdict(set)
    defined: Counter[str] = Counter()
    for file in files:
        defined.update(one.plain for one in file.facts.symbols if one.kind in CONTAINERS)
        for base, indexes in file.bases.items():
            children[base].update(file.facts.symbols[index].plain for index in indexes)
    found = {one for one in names if defined[one] == 1}
    waiting = list(found)
    while waiting:
        more = {name for name in children.get(waiting.pop(), ()) if defined[name] == 1} - found
        found |= more
        waiting += more
    return frozenset(found)


def _bases(seen: Seen, use: Use) -> Iterator[Sighting]:
    for index in _of_names(seen.bases, use.names):
        symbol = seen.facts.symbols[index]
        bases = [base for base in symbol.bases if _allowed(plain(base), use.names)]
        if any(_received(base.rpartition(".")[0], use.receivers) for base in bases):
            found = use.pattern.search(symbol.signature) if use.pattern and use.of == "signature" else None
            yield Sighting(symbol.line, index, found[1] if found else symbol.plain)


def _paths(seen: Seen, use: Use) -> Iterator[Sighting]:
    found = use.pattern.search(seen.path) if use.pattern else None
    if found:
        text = (found[1] if found.groups() else "") or ""
        top = [
            index
            for index, one in enumerate(seen.facts.symbols)
            if (one.parent == NOWHERE and one.kind in CALLABLE and one.exported)
        ]
        methods = [seen.named(index) for index in top if seen.named(index) in _METHODS]
        yield Sighting(1, NOWHERE, "/" + text.strip("/"), use.method or ",".join(methods) or "GET")
        if use.population:
            yield from (Sighting(seen.facts.symbols[index].line, index) for index in top)


def _signatures(seen: Seen, use: Use) -> Iterator[Sighting]:
    for index, symbol in enumerate(seen.facts.symbols):
        found = use.pattern.search(symbol.signature) if use.pattern else None
        if found and symbol.kind != "declaration":
            yield Sighting(symbol.line, index, found[1] if found.groups() else symbol.plain)


def _constants(seen: Seen, use: Use) -> Iterator[Sighting]:
    for index, symbol in enumerate(seen.facts.symbols):
        if symbol.kind in {"constant", "property"} and _allowed(symbol.plain, use.names):
            found = re.search(r"""["'`]([\w.-]+)["'`]""", symbol.signature)
            yield Sighting(symbol.line, index, found[1] if found else symbol.plain)


def _types(seen: Seen, use: Use) -> Iterator[Sighting]:
    for binding in seen.facts.bindings:
        symbol = seen.facts.symbols[binding.scope] if binding.scope != NOWHERE else None
        if symbol and symbol.kind in CALLABLE and _allowed(binding.type, use.names):
            if binding.type not in symbol.signature:  # of a function within it
                continue
            yield Sighting(symbol.line, binding.scope, binding.type)


_METHODS = frozenset({"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"})


def _method(use: Use, name: str) -> str:
    if use.method == "name":
        found = _METHOD.search(name)
        return found[1].upper() if found else "ANY"
    return use.method or "ANY"


def _texts(use: Use, argument: str, receiver: str) -> list[str]:
    if use.of == "receiver":
        return [plain(receiver)]
    if use.of == "sql":
        found = {one.strip('`"[]') for one in _TABLE.findall(argument)}
        return sorted(one for one in found if one.lower() not in _NO_TABLE) or [""]
    return [argument]


_FORMS = {
    "call": _calls,
    "mark": _marks,
    "base": _bases,
    "path": _paths,
    "signature": _signatures,
    "constant": _constants,
    "type": _types,
}
