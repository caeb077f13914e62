"""What a project uses: manifest and code have to agree before anything is said to be there."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.code_facts import CONTAINERS, NOWHERE
from recortex.domain.code_patterns import Detected, Place, Route, Table
from recortex.engines.code.detection.evidence import Seen, derived
from recortex.engines.code.detection.rules import detectors
from recortex.engines.code.sources import Member, is_test, product

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from recortex.domain.code_patterns import Dependency, Manifest
    from recortex.engines.code.detection.evidence import Sighting
    from recortex.engines.code.detection.rules import Detector, Use
    from recortex.engines.code.sources import Sources


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
        if is_test(manifest.path) and manifest.ecosystem in {"npm", "nuget"}:
            continue
        for dependency in _matching(rule, manifest):
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
    names = rule.manifest.get(manifest.ecosystem, ())
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
            if use.on == "base":
                # Classes of the project that extend one which was found.
                known = self.roles.get((self.rule.name, use.population), {})
                names = {one.symbol.plain for one in known.values()}
                if names and (more := derived(self.files, names)):
                    wider = replace(use, names=tuple(more), receivers=(), pattern=None)
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
