"""Conventions: what nearly all members of a population share, ranked by how much that says.

A convention has support of at least 5 and agreement of at least 0.8. What the language, a library or nearly
every project does by itself is left out (`usual.toml`, `implies` of detectors); of the rest a property counts
the more, the rarer it is outside of the population.
"""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from fnmatch import fnmatchcase
from functools import cache, cached_property
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.code_patterns import Convention, Place
from recortex.engines.code.conventions.populations import Counting, scopes
from recortex.engines.code.conventions.telling import (
    Candidate,
    claim,
    is_told,
    joined,
    pattern_id,
    statement,
    without_echoes,
)
from recortex.engines.code.conventions.traits import ECMA
from recortex.engines.code.detection.evidence import plain
from recortex.engines.code.sources import is_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from recortex.engines.code.conventions.populations import Item, Population
    from recortex.engines.code.detection.detecting import Detection
    from recortex.engines.code.sources import Sources

LEAST_SUPPORT, LEAST_AGREEMENT = 5, 0.8
LEAST_KNOWN = 0.8
"""The share of members of which a trait has to be known: signatures are cut at 200 characters."""
_OF_SOME = frozenset({"case", "interface", "keywords"})
"""Traits that by their nature only some members can have."""
LEAST_OF_FUNCTIONS = 8
"""Support of what functions of a folder share that have no common role: of five to seven that is often said
only of what they are about. `bench/detection.py`."""
LEAST_OF_CALLS = 12
"""Support of what such functions call. `bench/detection.py`."""
LEAST_IN_FOLDER = {"imports": 10, "suffix": 8, "prefix": 12, "ending": 12, "logger": 12, "first": 12}
"""Support of traits that few neighbours share since their folder is about one thing. `bench/detection.py`."""
LEAST_OF_FOLDER = 0.5
"""The share of a folder's classes that those which are told to be there make up: of fewer it is chance."""
LEAST_BITS = 1.0
"""Of information: a property that is half as frequent elsewhere is not told. `bench/detection.py`."""
MOST = 60
"""Conventions of a project that are given, the most informative first."""
LEAST_FILES = {"calls": 2, "folder": 3}
"""In which it is so before it is told; one more of tests, which share their subject."""
_OF_THE_FOLDER = {
    "function": frozenset({"return", "first", "takes", "prefix", "ending", "doc"}),
    "test": frozenset({"prefix", "ending"}),
}
"""Traits, by the kind of population, that are shared in a folder since it is about one thing: of twenty that
were read of functions one was worth telling, of tests none of four. `bench/detection.py`."""
LEAST_IN_ONE_PLACE = 0.9
"""Agreement about a folder: where some are elsewhere, it is only where most happen to be."""
_LOCALS = frozenset({"go", "python", "javascript", "typescript"})
"""Languages in which a call without a receiver means what is defined or imported, else a local variable."""
CALL_WEIGHT = 0.8
"""Of a call beside what a signature says: a type that is returned is told before the call that makes it."""
ALONE = 2.0
"""Bits of a property where there is nothing else of its kind to compare with."""
USUAL = Path(__file__).with_name("usual.toml")


class Share(NamedTuple):
    """How many of a population have what was once found of it.

    Attributes:
        total: 0 where there is no such population any more.
        exceptions: those that do not.
    """

    support: int
    total: int
    exceptions: tuple[Place, ...] = ()


class Counted:
    """A project, counted once: its conventions, and how what was found before stands now."""

    def __init__(self, sources: Sources, detection: Detection) -> None:
        self._detection = detection
        counting = Counting(sources, detection)
        self._defined, self._all = counting.defined, list(counting.all())
        self._own: dict[str, set[str]] = defaultdict(set)
        for path in counting.inside:
            facts = sources.code[path]
            for language in ECMA if facts.language in ECMA else (facts.language,):
                self._own[language] |= {one.plain for one in facts.symbols}
        self._bound = {one.plain for facts in sources.code.values() for one in facts.symbols if not one.owner}
        self._helpers: dict[str, set[str]] = defaultdict(set)
        for path, facts in sources.code.items():
            for one in facts.symbols if is_test(path) else ():
                self._helpers[one.plain].add(path)
        self._bound |= {one.alias or one.name for facts in sources.code.values() for one in facts.imports}
        places = {item.place for one in self._all if one.kind == "class" for item in one.items}
        self._classes = Counter(place.path.rpartition("/")[0] for place in places)

    def conventions(self, every: bool = False) -> tuple[Convention, ...]:
        """The conventions, the most informative first.

        Args:
            every: also those of a kind that is seldom worth telling.
        """
        return tuple(
            _convention(one)
            for one in self._counted
            if every or is_told(one, self._own[one.population.language])
        )

    @cached_property
    def _counted(self) -> list[Candidate]:
        everyone = [one for one in self._all if len(one.items) >= LEAST_SUPPORT]
        frequency = _Frequency(everyone)
        found = [one for each in everyone for one in _candidates(each, frequency, self._detection)]
        found = [one for one in found if not _of_the_subject(one, self._defined)]
        found = [one for one in found if self._at_home(one) and not self._is_local(one)]
        found.sort(key=lambda one: (-_score(one), len(one.scope), one.population.name, one.trait, one.values))
        return without_echoes(joined(found))[:MOST]

    def _is_local(self, one: Candidate) -> bool:
        """Whether what is called is a local variable of each; or in tests, no helper of tests."""
        if one.trait != "calls":
            return False
        receiver, dot, name = one.values[0].rpartition(".")
        if one.population.kind == "test":
            files = {item.place.path for item in one.having}
            if not 0 < len(self._helpers.get(name, ())) < len(files):  # none, or each file has its own
                return True
        if one.population.language not in _LOCALS:
            return False
        if one.population.language in ECMA and not dot and name[0].isupper():  # what a component draws
            return True
        return (receiver if dot else name) not in self._bound and (not dot or one.population.kind == "test")

    def _at_home(self, one: Candidate) -> bool:
        """Of classes that are in one folder: whether that folder is theirs."""
        if one.trait != "folder":
            return True
        inside = Counter(item.place.path.rpartition("/")[0] for item in one.having)
        return sum(inside.values()) >= LEAST_OF_FOLDER * sum(self._classes[folder] for folder in inside)

    def share(self, language: str, population: str, trait: str, values: Iterable[str]) -> Share:
        """How many of a population have all of these values now, whether that is worth telling or not."""
        for one in self._all:
            if one.language == language and (one.name == population or population.startswith(one.name)):
                for scope, items in scopes(one.items).items():
                    if _named(one, scope) == population:
                        return _share(items, trait, frozenset(values))
        return Share(0, 0)


def _share(items: Sequence[Item], trait: str, values: frozenset[str]) -> Share:
    counted = [one for one in items if trait in one.traits and not _is_itself(one, trait, values)]
    lacking = tuple(one.place for one in counted if not values <= set(one.traits[trait]))
    return Share(len(counted) - len(lacking), len(counted), lacking)


def _named(population: Population, scope: str) -> str:
    return f"{population.name} in {scope}" if scope else population.name


def _is_itself(one: Item, trait: str, values: AbstractSet[str]) -> bool:
    """Whether it is the base class that the others extend, which is no exception."""
    return trait == "base" and plain(one.place.name) in values


def _score(one: Candidate) -> float:
    agreement = len(one.having) / (len(one.having) + len(one.lacking))
    weight = CALL_WEIGHT if one.trait == "calls" else 1.0
    return weight * one.bits * agreement * log2(1 + min(len(one.having), 30))


class _Frequency:
    """How often values are found among all of a kind and a language."""

    def __init__(self, everyone: Sequence[Population]) -> None:
        self._known: dict[tuple[str, str, str], dict[tuple[str, int, str], set[str]]] = defaultdict(dict)
        self._having: Counter[tuple[str, str, str, str]] = Counter()
        for population in everyone:
            for item in population.items:
                for trait, values in item.traits.items():
                    known = self._known[population.kind, population.language, trait]
                    if item.place not in known:
                        known[item.place] = values
                        self._having.update(
                            (population.kind, population.language, trait, one) for one in values
                        )

    def bits(self, population: Population, trait: str, value: str, total: int, support: int) -> float:
        """How surprising a value is, from the items of its kind outside of those counted."""
        outside = len(self._known[population.kind, population.language, trait]) - total
        having = self._having[population.kind, population.language, trait, value] - support
        if outside < LEAST_SUPPORT:
            return ALONE
        return log2((support + 1) / (total + 2)) - log2((max(having, 0) + 1) / (outside + 2))


def _candidates(population: Population, frequency: _Frequency, detection: Detection) -> Iterator[Candidate]:
    implied = {one for values in detection.implied.values() for one in values}
    told: dict[tuple[str, str], list[str]] = defaultdict(list)
    least = LEAST_SUPPORT if population.whole or population.kind == "class" else LEAST_OF_FUNCTIONS
    for scope, items in sorted(scopes(population.items).items(), key=lambda one: (len(one[0]), one[0])):
        if len(items) < LEAST_SUPPORT or (not scope and not population.whole and not _one_folder(items)):
            continue
        for trait, value, known in _agreed(items, least):
            if any(scope.startswith(above) for above in told[trait, value]):
                continue
            if _usual(population, trait, value, implied) or _tautology(population, scope, trait, value):
                continue
            having = tuple(one for one in known if value in one.traits[trait])
            lacking = tuple(one for one in known if value not in one.traits[trait])
            if not _enough(population, scope, trait, value, having, len(known)):
                continue
            bits = frequency.bits(population, trait, value, len(known), len(having))
            if bits >= LEAST_BITS:
                told[trait, value].append(scope)
                yield Candidate(population, scope, trait, (value,), having, lacking, bits)


def _enough(
    population: Population, scope: str, trait: str, value: str, having: Sequence[Item], known: int
) -> bool:
    """Whether as many share a trait, in as many files, as it takes to be a habit."""
    least = LEAST_IN_FOLDER.get(trait, 0) if scope else 0
    if trait == "calls" and not population.whole:
        least = LEAST_OF_CALLS
    folders = [one.place.path.rpartition("/")[0] for one in having]
    if trait == "suffix" and 2 * sum(_in_words(value, folder) for folder in folders) > len(folders):
        return False
    scattered = len(having) < LEAST_IN_ONE_PLACE * known or (scope and len(set(folders)) == 1)
    if trait == "folder" and scattered:
        return False
    grouped = scope if population.kind == "test" else not population.whole
    if grouped and trait in _OF_THE_FOLDER.get(population.kind, ()):
        return False
    return len(having) >= least and _spread(population, trait, value, having)


def _tautology(population: Population, scope: str, trait: str, value: str) -> bool:
    """Whether what is counted, or where, says it already, or it says little there."""
    match trait:
        case "folder":
            last = population.name.partition("…")[2]
            said = value in scope.split("/") or (bool(last) and _in_words(last, value))
            return said or population.name in {"classes", "types"}
        case "case":
            return bool(scope) and value == "camelCase"  # as functions are: what hooks and helpers are
        case "module":
            return population.name != "exception classes"
        case "prefix" | "ending" if population.kind == "function":
            return population.name != "functions" and (
                trait == "ending" or population.name == "public methods"
            )
        case "suffix":
            return population.name == "exception classes"
    return (
        (trait in {"place", "called", "opening"} and bool(scope))
        or (trait == "doc" and population.kind == "class")
        or (trait == "imports" and bool(scope) and value.replace(".", "/").startswith(scope))
    )


def _in_words(value: str, folder: str) -> bool:
    """Whether a folder, or one around it, has a word in its name already."""
    # A word in small letters without the ending of a plural.
    small = value.lower()
    return (f"{small[:-3]}y" if small.endswith("ies") else small.rstrip("s")) in folder.lower()


def _spread(population: Population, trait: str, value: str, having: Sequence[Item]) -> bool:
    """Whether it is so in enough files to be a habit, and is not told as a wrapper already."""
    least = LEAST_FILES.get(trait, 0)
    if trait in LEAST_FILES:
        least += population.kind == "test"
        if any(value in one.traits.get("wrapper", ()) for one in having):
            return False
    return len({one.place.path for one in having}) >= least


def _of_the_subject(one: Candidate, defined: AbstractSet[str]) -> bool:
    """Whether tests call what they test, or classes extend what a library has for just them."""
    value = plain(one.values[0])
    if one.trait == "calls" and one.population.kind == "test":
        return value in defined
    if one.trait != "base" or value in defined:
        return False
    last = one.population.name.partition("…")[2]
    named = all(value in plain(item.place.name) for item in one.having)
    if one.population.language == "php":  # traits that a library has for many purposes
        return True
    return named or one.population.name in {"classes", "types"} or (bool(last) and value.endswith(last))


def _one_folder(items: Iterable[Item]) -> bool:
    return len({one.place.path.rpartition("/")[0] for one in items}) == 1


def _agreed(items: Sequence[Item], least: int) -> Iterator[tuple[str, str, list[Item]]]:
    """Traits and values that enough of the items have, with the items of which the trait is known."""
    known: dict[str, list[Item]] = defaultdict(list)
    having: Counter[tuple[str, str]] = Counter()
    for one in items:
        for trait, values in one.traits.items():
            known[trait].append(one)
            having.update((trait, value) for value in values)
    for (trait, value), support in sorted(having.items()):
        counted = known[trait]
        if trait == "base":
            counted = [one for one in counted if not _is_itself(one, trait, {value})]
        if trait not in _OF_SOME and len(known[trait]) < LEAST_KNOWN * len(items):
            continue
        if support >= least and support >= LEAST_AGREEMENT * len(counted):
            yield trait, value, counted


@cache
def _table() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    data = tomllib.loads(USUAL.read_text(encoding="utf-8"))
    return {
        language: {trait: tuple(values) for trait, values in row.items()} for language, row in data.items()
    }


def _usual(population: Population, trait: str, value: str, implied: set[str]) -> bool:
    if any(fnmatchcase(f"{trait}:{value}", one) for one in implied) or (
        trait == "suffix" and population.name.endswith(f"…{value}")
    ):
        return True
    table = _table()
    return any(
        fnmatchcase(value, one)
        for part in (
            "every",
            population.language,
            f"{population.language}-{population.kind}",
            population.kind,
        )
        for one in table.get(part, {}).get(trait, ())
    )


def _convention(one: Candidate) -> Convention:
    name = _named(one.population, one.scope)
    exceptions = tuple(item.place for item in one.lacking)
    return Convention(
        population=name,
        trait=one.trait,
        value=", ".join(one.values),
        statement=statement(one),
        support=len(one.having),
        total=len(one.having) + len(one.lacking),
        exceptions=exceptions,
        information=round(_score(one), 2),
        certainty="likely" if one.population.guessed else "certain",
        id=pattern_id(one.population.language, name, one.trait, min(one.values)),
        name=claim(one),
        language=one.population.language,
        values=one.values,
    )
