"""What a project uses: manifest and code have to agree before anything is said to be there."""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar, cast

import msgspec

from recortex.domain.code import CALLABLE, CONTAINERS, NOWHERE, Detected, Place, Route, Table
from recortex.engines.code.project import Member, is_test, product
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recortex.domain.code import Call, Dependency, FileFacts, Manifest, Mark
    from recortex.engines.code.project import Sources


# -- evidence in one file: what it imports, and where it is of the form that a rule describes


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
            if one.parent == NOWHERE and one.kind in CALLABLE and one.exported
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


# -- the rules by which libraries and practices are recognised, read from TOML and checked


FOLDER = Path(__file__).with_name("detectors")
Ecosystem = Literal["npm", "pypi", "go", "cargo", "maven", "nuget", "composer", "cpp"]
Language = Literal["typescript", "javascript", "python", "java", "csharp", "php", "go", "rust", "c", "cpp"]


class Use(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A form of code that only users of a library write.

    Attributes:
        on: what is looked at: a call, a mark (decorator, attribute, annotation), a base class, the path of
            the file, a symbol's signature, a constant or property, or a written type.
        names: of the call, mark, base, constant or type, without what is before the last dot; `*` matches.
        receivers: what may stand before the name; empty: anything.
        argument: expression that the first literal text has to match.
        pattern: expression on path or signature; its group is what is captured.
        captures: route, table or nothing.
        of: where the captured text comes from.
        method: of a route: a fixed one; `name`: it is in the name; `inner`: in calls on the same line.
        alone: whether it counts in a file that does not import the library.
        prefix: whether the text of a mark at a class stands before the routes of its methods.
        population: whom the symbol belongs to: handlers, models …; conventions are counted over it.
        evidence: whether it shows that the library is used; otherwise it only tells who belongs to whom.
    """

    on: Literal["call", "mark", "base", "path", "signature", "constant", "type"]
    names: tuple[str, ...] = ()
    receivers: tuple[str, ...] = ()
    argument: re.Pattern[str] | None = None
    pattern: re.Pattern[str] | None = None
    captures: Literal["", "route", "table"] = ""
    of: Literal["argument", "symbol", "receiver", "sql", "signature", "path", "type"] = "argument"
    method: str = ""
    alone: bool = False
    prefix: bool = False
    population: str = ""
    evidence: bool = True

    def __post_init__(self) -> None:
        """Refuse what could describe nothing."""
        if self.on in {"path", "signature"}:
            if self.pattern is None:
                raise ValueError(f"a use on {self.on} needs a pattern")
        elif not self.names:
            raise ValueError(f"a use on {self.on} needs names")


class Detector(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a library or practice is recognised.

    Attributes:
        name: for people.
        kind: framework, orm or practice.
        category: of a practice; otherwise the kind.
        languages: in which its code is written.
        needs: beside the manifest: an import, a use, both or either of them, or nothing more.
        manifest: names of dependencies by ecosystem; `*` matches, also more path segments of a Go module.
        files: names of files that stand for a manifest: a header that was copied, a configuration.
        standard: whether it belongs to the language and needs no manifest.
        imports: modules; what lies below them counts too.
        uses: forms of its code.
        implies: properties that the library itself asks for, `suffix:Controller`; they are not told.
    """

    name: str
    kind: Literal["framework", "orm", "practice"]
    category: str
    languages: frozenset[Language]
    needs: Literal["import", "use", "both", "either", "manifest"] = "either"
    manifest: dict[Ecosystem, tuple[str, ...]] = {}
    files: tuple[str, ...] = ()
    standard: bool = False
    imports: tuple[str, ...] = ()
    uses: tuple[Use, ...] = ()
    implies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what could never be found."""
        if not (self.manifest or self.files or self.standard):
            raise ValueError(f"{self.name} has no evidence in manifests")
        if self.needs != "manifest" and not (self.imports or self.uses):
            raise ValueError(f"{self.name} has no evidence in code")


@cache
def detectors() -> tuple[Detector, ...]:
    """All of them: frameworks, object mappers, practices.

    Raises:
        InvalidInputError: a file is not of this form; it names the file and what is wrong.
    """
    return tuple(one for path in sorted(FOLDER.glob("*/*.toml")) for one in read(path))


def read(path: Path) -> list[Detector]:
    """The detectors of a file; of a category it has several."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        practices = data.pop("practices", None)
        rows = [{"category": data.get("kind"), **data}]
        if practices is not None:
            rows = [{"kind": "practice", **data, **row} for row in practices]
        return msgspec.convert(rows, list[Detector], dec_hook=_expression)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise InvalidInputError(
            f"{path.parent.name}/{path.name}: {error}.",
            hint="Compare it with the other files of its folder; `detecting.py` lists the keys.",
        ) from error


def _expression(_: type, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(str(error)) from error


# -- what a project uses: manifest and code have to agree before anything is said to be there


class Detection(NamedTuple):
    """What was found.

    Attributes:
        found: frameworks, object mappers and practices, the most used first.
        members: symbols by what they belong to and their role there: `("NestJS", "controllers")`.
        implied: properties that a library asks for, by its name.
    """

    found: tuple[Detected, ...]
    members: Mapping[tuple[str, str], tuple[Member, ...]]
    implied: Mapping[str, tuple[str, ...]]

    def named(self, name: str) -> Detected | None:
        """What was found under a name."""
        return next((one for one in self.found if one.name == name), None)


class _Declared(NamedTuple):
    place: Place | None
    version: str


def detect(sources: Sources, rules: Sequence[Detector] | None = None) -> Detection:
    """What a project uses.

    Only files of the product count as evidence: a test or an example that uses a library does not make the
    project one that is built with it. Routes and tables come from the same files.

    Args:
        sources: its facts and manifests.
        rules: those of this package where none are given.
    """
    # Most rules are about libraries that no manifest names: they are not looked for in any file.
    languages = {facts.language for facts in sources.code.values()}
    active = []
    for rule in detectors() if rules is None else rules:
        if rule.languages & languages or (rule.needs == "manifest"):
            declared = _declared(rule, sources)
            if declared is not None:
                active.append((rule, declared))
    inside = product(sources.code)
    seen = [Seen(path, facts) for path, facts in sorted(sources.code.items())]
    found: list[Detected] = []
    members: dict[tuple[str, str], tuple[Member, ...]] = {}
    implied: dict[str, tuple[str, ...]] = {}
    for rule, declared in active:
        look = _Look(rule, [file for file in seen if file.facts.language in rule.languages], inside)
        one = look.result(declared)
        if one is not None:
            found.append(one)
            members |= look.members()
            # What makes a symbol a member of a role is shared by all of them, and says nothing new.
            implied[rule.name] = rule.implies + tuple(
                f"{use.on}:{name}" for use in rule.uses if use.population for name in use.names
            )
    found.sort(
        key=lambda one: (one.kind != "framework", one.kind != "orm", -one.imports - one.uses, one.name)
    )
    return Detection(tuple(found), members, implied)


def _declared(rule: Detector, sources: Sources) -> _Declared | None:
    best: _Declared | None = None
    for manifest in sources.manifests:
        # Test projects of these have manifests of their own; in others one manifest serves both.
        if is_test(manifest.path) and manifest.ecosystem in {"npm", "nuget"}:
            continue
        for dependency in _matching(rule, manifest):
            # A workspace names a version once, and elsewhere only the library.
            if best is None or (dependency.version and not best.version):
                place = Place(manifest.path, dependency.line, dependency.name)
                best = _Declared(place, dependency.version)
    if best is None and rule.files:
        for path in sources.paths:
            if any(fnmatchcase(path.rpartition("/")[2], one) for one in rule.files):
                return _Declared(Place(path, 0), "")
    if best is None and rule.standard:
        return _Declared(None, "")
    return best


def _matching(rule: Detector, manifest: Manifest) -> Iterable[Dependency]:
    names = rule.manifest.get(cast("Ecosystem", manifest.ecosystem), ())
    return (
        one
        for one in manifest.dependencies
        if not one.indirect and any(_is_dependency(one.name, name, manifest.ecosystem) for name in names)
    )


def _is_dependency(name: str, pattern: str, ecosystem: str) -> bool:
    if "*" in pattern:
        return fnmatchcase(name, pattern)
    # A Go module has its major version behind its name.
    return name == pattern or (ecosystem == "go" and name.startswith(pattern + "/"))


class _Look:
    """One rule over the files of its languages."""

    def __init__(self, rule: Detector, files: Sequence[Seen], inside: set[str]) -> None:
        self.rule, self.files, self.inside = rule, files, inside
        self.imports, self.uses = 0, 0
        self.routes: list[Route] = []
        self.tables: list[Table] = []
        self.roles: dict[tuple[str, str], dict[tuple[str, int], Member]] = defaultdict(dict)
        for file in files:
            imported = file.imports(rule.imports)
            self.imports += imported and file.path in inside
            prefixes = _prefixes(rule, file) if imported else {}
            for use in rule.uses:
                if not use.prefix and (imported or use.alone):
                    self._take(use, file, prefixes)

        for use in rule.uses:
            # Models are mostly classes that extend one of the project's own: they name the tables.
            if use.on == "base":
                # Classes of the project that extend one which was found.
                known = self.roles.get((self.rule.name, use.population), {})
                names = {one.symbol.plain for one in known.values()}
                if names and (more := derived(self.files, names)):
                    wider = msgspec.structs.replace(use, names=tuple(more), receivers=(), pattern=None)
                    for file in self.files:
                        self._take(wider, file, {})

    def _take(self, use: Use, file: Seen, prefixes: Mapping[int, str]) -> None:
        for sighting in file.sightings(use):
            if use.population and sighting.symbol != NOWHERE and not _is_prefix(use, file, sighting):
                member = Member(file.path, file.facts, sighting.symbol)
                self.roles[self.rule.name, use.population][file.path, sighting.symbol] = member
            if file.path in self.inside and not (use.on == "path" and sighting.symbol != NOWHERE):
                self.uses += use.evidence
                place = Place(file.path, sighting.line, file.named(sighting.symbol))
                symbol = file.facts.symbols[sighting.symbol] if sighting.symbol != NOWHERE else None
                if use.captures == "route" and not _is_prefix(use, file, sighting):
                    prefix = prefixes.get(symbol.parent, "") if symbol else ""
                    self.routes.append(Route(sighting.method, _joined(prefix, sighting.text), place))
                elif use.captures == "table" and sighting.text:
                    self.tables.append(Table(sighting.text, place))

    def result(self, declared: _Declared) -> Detected | None:
        """What it found, if that is enough."""
        if not _present(self.rule, self.imports, self.uses):
            return None
        return Detected(
            name=self.rule.name,
            kind=self.rule.kind,
            category=self.rule.category,
            version=declared.version,
            manifest=declared.place,
            imports=self.imports,
            uses=self.uses,
            routes=tuple(dict.fromkeys(self.routes)),
            tables=tuple({(one.name, one.place.path): one for one in self.tables}.values()),
        )

    def members(self) -> dict[tuple[str, str], tuple[Member, ...]]:
        """Symbols by their role."""
        return {key: tuple(found.values()) for key, found in self.roles.items()}


def _present(rule: Detector, imports: int, uses: int) -> bool:
    match rule.needs:
        case "import":
            return imports > 0
        case "use":
            return uses > 0
        case "both":
            return imports > 0 < uses
        case "either":
            return imports + uses > 0
    return True


def _prefixes(rule: Detector, file: Seen) -> dict[int, str]:
    """What the mark of a class says before the routes of its methods, by the class's index."""
    found = {}
    for use in rule.uses:
        if use.prefix:
            for sighting in file.sightings(use):
                if sighting.symbol != NOWHERE and file.facts.symbols[sighting.symbol].kind in CONTAINERS:
                    found[sighting.symbol] = sighting.text
    return found


def _is_prefix(use: Use, file: Seen, sighting: Sighting) -> bool:
    """Whether a mark that declares routes stands at a class, whose methods have them."""
    if use.captures != "route" or use.on != "mark" or sighting.symbol == NOWHERE:
        return False
    return file.facts.symbols[sighting.symbol].kind in CONTAINERS


def _joined(prefix: str, address: str) -> str:
    if not prefix:
        return address
    return f"{prefix.rstrip('/')}/{address.lstrip('/')}".rstrip("/") or "/"
