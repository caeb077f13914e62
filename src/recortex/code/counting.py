"""Conventions: what nearly all members of a population share, ranked by how much that says.

A convention has support of at least 5 and agreement of at least 0.8. What the language, a library or nearly
every project does by itself is left out (`usual.toml`, `implies` of detectors); of the rest a property counts
the more, the rarer it is outside of the population.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from fnmatch import fnmatchcase
from functools import cache
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

from recortex.code.detecting import plain
from recortex.code.populations import ECMA, Counting, scopes
from recortex.domain.code import Convention
from recortex.engines.code.project import is_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from recortex.code.detecting import Detection
    from recortex.code.populations import Item, Population
    from recortex.engines.code.project import Sources


# -- which conventions are told: those of a kind that readers mostly found worth telling


class Row(NamedTuple):
    """What a convention of a trait needs to be told; one row that fits is enough.

    Attributes:
        trait: of the convention.
        of: the group of its population (`group_of`); empty: any.
        support, files: how many share it, and in how many files they are, at least.
        agreement: at least.
        own: whether what they share has to be defined in the project itself.
        whole: whether it is told of the whole project only.
    """

    trait: str
    of: str = ""
    support: int = 5
    files: int = 1
    agreement: float = 0.8
    own: bool = False
    whole: bool = False


TOLD = (
    Row("base", support=7, files=2, own=True),
    Row("mark", "class", support=8),
    Row("mark", "suffix", support=8, own=True),
    Row("mark", "function", support=8, own=True),
    Row("mark", "test", support=20),
    Row("mark", "class", support=6, own=True),
    Row("mark", "role", support=6),
    Row("calls", "role", support=8, own=True),
    Row("calls", "function", support=12, own=True),
    Row("calls", "test", support=10),
    Row("return", "role", support=8),
    Row("modifier", support=9),
    Row("form", files=9, agreement=0.85),
    Row("case", support=20, agreement=0.85),
    Row("filename", "testfile", support=8),
    Row("imports", "testfile", support=7, whole=True),
    Row("place", "testfile", support=7),
    Row("called", files=5),
    Row("style", support=20, files=10),
    Row("logger", files=10),
    Row("future", files=10, whole=True),
    Row("typed", files=10, whole=True),
)


def is_told(one: Candidate, defined: AbstractSet[str]) -> bool:
    """Whether a row fits.

    Args:
        one: the convention.
        defined: the names that the project defines in the language.
    """
    return any(_fits(row, one, defined) for row in TOLD if row.trait == one.trait)


def group_of(population: Population) -> str:
    """Who is counted: classes of a last word are `suffix`, members of a library's role are `role`."""
    if "…" in population.name:
        return "suffix"
    if population.whole and population.kind in {"function", "class"} and not population.guessed:
        return "role"
    return population.kind


def _fits(row: Row, one: Candidate, defined: AbstractSet[str]) -> bool:
    files = {item.place.path for item in one.having}
    return (
        row.of in {"", group_of(one.population)}
        and len(one.having) >= row.support
        and len(files) >= row.files
        and len(one.having) >= row.agreement * (len(one.having) + len(one.lacking))
        and not (row.whole and one.scope)
        and not (row.own and not _is_own(one, defined))
    )


def _is_own(one: Candidate, defined: AbstractSet[str]) -> bool:
    """Whether the project defines one of the values; of a mark the first name, as of a library in `a.b`."""
    if one.trait == "mark":
        first = {value.partition(".")[0] for value in one.values}
        return not defined.isdisjoint(first | {f"{name}Attribute" for name in first})  # as C# has them
    return any(plain(value.partition("<")[0]) in defined for value in one.values)


# -- conventions in plain English, with numbers and exceptions


MOST_NAMED = 5
"""Exceptions that are named in the sentence; all are in the convention."""
_SAID = {
    "return": "return `{value}`",
    "mark": "have the {marks} {quoted}",
    "base": "extend or implement {quoted}",
    "typed": "state the type that they return",
    "calls": "call {quoted}",
    "form": "are written as {value}",
    "modifier": "are declared `{value}`",
    "case": "are named in {value}",
    "filename": "are named `{value}`",
    "future": "begin with `from __future__ import annotations`",
    "imports": "import {quoted}",
    "style": "are written with {value}",
    "logger": "are made on {value}",
    "called": "are written with `{value}(…)`",
}
_WITH_AT = frozenset({"python", "java", "typescript", "javascript"})
_PLACES = {
    "beside": "stand beside the file that they test",
    "same name": "have the name of the file that they test",
}


def statement(one: Candidate) -> str:
    """The sentence of a convention: “14 of 15 handlers in src/api return `Result`; exception: ping.”."""
    total = len(one.having) + len(one.lacking)
    count = f"All {total}" if not one.lacking else f"{len(one.having)} of {total}"
    said = f"{count} {claim(one)}"
    if one.lacking:
        said += f"; {'exception' if len(one.lacking) == 1 else 'exceptions'}: {_telling_named(one)}"
    return said + "."


def claim(one: Candidate) -> str:
    """The same without numbers: “handlers in src/api return `Result`”."""
    where = f" in {one.scope}" if one.scope else ""
    several = " with names of several words" if one.trait == "case" else ""
    return f"{one.population.name}{several}{where} {_wording_said(one)}"


def _wording_said(one: Candidate) -> str:
    value = one.values[0]
    if one.trait == "place":
        return _PLACES.get(value) or f"are in a folder `{value.removeprefix('folder ')}`"
    at = "@" if one.trait == "mark" and one.population.language in _WITH_AT else ""
    quoted = [f"`{at}{value}`" for value in one.values]
    listed = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    several = "marks" if len(quoted) > 1 else "mark"
    return _SAID[one.trait].format(value=value, quoted=listed, marks=several)


def _telling_named(one: Candidate) -> str:
    """The exceptions by name; with their file where the name alone does not tell them apart."""
    several = Counter(item.place.name for item in (*one.having, *one.lacking))
    places = [item.place for item in one.lacking]
    names = [
        place.path
        if not place.line or one.population.kind == "import"
        else place.name
        if several[place.name] == 1
        else f"{place.name} ({place.path})"
        for place in places[:MOST_NAMED]
    ]
    more = len(places) - len(names)
    return ", ".join(dict.fromkeys(names)) + (f" and {more} more" if more else "")


# -- candidates that say the same are told once: joined, or left out


MOST_JOINED = 4
"""Values that one sentence gives."""
MOST_OF_TRAIT = 3
"""Conventions of one population and trait."""
_JOINED = frozenset({"mark", "calls", "imports", "base"})
"""Traits with several values, which are told in one sentence where the same members have them."""
_ONCE = frozenset({"filename", "form"})
"""Traits of which one value is told for one population only; of others, for two."""


class Candidate(NamedTuple):
    """A property that enough members of a population have.

    Attributes:
        scope: the folder; empty: the project.
        values: one, or several that are told together.
        having, lacking: the members.
        bits: of information.
    """

    population: Population
    scope: str
    trait: str
    values: tuple[str, ...]
    having: tuple[Item, ...]
    lacking: tuple[Item, ...]
    bits: float


def joined(found: Sequence[Candidate]) -> list[Candidate]:
    """Values that the same members share, in one candidate; the most informative first."""
    groups: dict[object, list[Candidate]] = {}
    for one in found:
        places = frozenset(item.place for item in one.having)
        key = (one.population.name, one.population.language, one.scope, one.trait, places)
        groups.setdefault(key if one.trait in _JOINED else (key, one.values), []).append(one)
    return [
        rows[0]._replace(values=tuple(value for one in rows[:MOST_JOINED] for value in one.values))
        for rows in groups.values()
    ]


def without_echoes(found: Iterable[Candidate]) -> list[Candidate]:
    """Each property once where two populations are nearly the same symbols, or two traits say the same."""
    kept: list[Candidate] = []
    told_of: Counter[tuple[str, str, str]] = Counter()
    told: dict[tuple[str, str], list[set[tuple[str, int]]]] = defaultdict(list)
    for one in found:
        places = {(item.place.path, item.place.line) for item in one.having}
        told_of[one.population.name, one.scope, one.trait] += 1
        keys = list(_echoes_said(one))
        others = [other for key in keys for other in told[key]]
        most = 1 if one.trait in _ONCE else 2
        if (
            told_of[one.population.name, one.scope, one.trait] > MOST_OF_TRAIT
            or len(told[keys[0]]) >= most
            or any(2 * len(places & other) >= len(places) for other in others)
        ):
            continue
        for key in keys:
            told[key].append(places)
        kept.append(one)
    return kept


def _echoes_said(one: Candidate) -> Iterator[tuple[str, str]]:
    """What a candidate says, in the words of every trait that would say it."""
    yield one.trait, one.values[0]
    if one.trait == "calls":  # `ResponseEntity` is called to return one
        yield "return", one.values[0]
        yield "return", f"{one.values[0]}<…>"


# -- what stays the same of a convention from run to run, while its numbers change


LONGEST = 120
"""Characters of an id."""
_CUT = 8
"""Digits of the hash that ends an id which was cut."""


def pattern_id(language: str, population: str, trait: str, value: str) -> str:
    """The id of one value of a convention: `python.fastapi-handlers-in-src-api.return.Result`."""
    slug = re.sub(r"[^a-z0-9]+", "-", population.lower()).strip("-")
    found = ".".join((language, slug, trait, "".join(value.split())))
    if len(found) <= LONGEST:
        return found
    return f"{found[: LONGEST - _CUT - 1]}-{blake3(found.encode()).hexdigest()[:_CUT]}"


def ids_of(one: Convention) -> tuple[str, ...]:
    """The ids that a memory may know a convention by: several values are told in one sentence at times."""
    each = (pattern_id(one.language, one.population, one.trait, value) for value in one.values)
    return tuple(dict.fromkeys((one.id, *each)))


# -- conventions: what nearly all members of a population share, ranked by how much that says


LEAST_SUPPORT, LEAST_AGREEMENT = 5, 0.8
LEAST_KNOWN = 0.8
"""The share of members of which a trait has to be known: signatures are cut at 200 characters."""
LEAST_OF_FUNCTIONS = 8
"""Support of what functions of a folder share that have no common role: of five to seven that is often said
only of what they are about."""
LEAST_OF_CALLS = 12
"""Support of what such functions call."""
LEAST_LOGGERS = 12
"""Support of a logger in a folder, whose files share one anyhow."""
LEAST_BITS = 1.0
"""Of information: a property that is half as frequent elsewhere is not told."""
MOST = 60
"""Conventions of a project that are given, the most informative first."""
LEAST_FILES = 2
"""In which something is called before it is told."""
_LOCALS = frozenset({"go", "python", "javascript", "typescript"})
"""Languages in which a call without a receiver means what is defined or imported, else a local variable."""
CALL_WEIGHT = 0.8
"""Of a call beside what a signature says: a type that is returned is told before the call that makes it."""
ALONE = 2.0
"""Bits of a property where there is nothing else of its kind to compare with."""
USUAL = Path(__file__).with_name("usual.toml")


def conventions_of(sources: Sources, detection: Detection) -> tuple[Convention, ...]:
    """The conventions of a project that are worth telling, the most informative first."""
    counting = Counting(sources, detection)
    everyone = [one for one in counting.all() if len(one.items) >= LEAST_SUPPORT]
    frequency, local = _Frequency(everyone), _Locals(sources)
    found = [
        one
        for each in everyone
        for one in _candidates(each, frequency, detection)
        # Tests call what they test; and what a local variable does is no habit.
        if not (one.trait == "calls" and (_is_tested(one, counting.defined) or local.means(one)))
    ]
    found.sort(key=lambda one: (-_score(one), len(one.scope), one.population.name, one.trait, one.values))
    own: dict[str, set[str]] = defaultdict(set)
    for path in counting.inside:
        facts = sources.code[path]
        for language in ECMA if facts.language in ECMA else (facts.language,):
            own[language] |= {one.plain for one in facts.symbols}
    told = [one for one in without_echoes(joined(found))[:MOST] if is_told(one, own[one.population.language])]
    return tuple(map(_convention, told))


def _is_tested(one: Candidate, defined: AbstractSet[str]) -> bool:
    return one.population.kind == "test" and plain(one.values[0]) in defined


class _Locals:
    """Which called names are local variables, as far as the facts of a project tell."""

    def __init__(self, sources: Sources) -> None:
        self._bound = {
            one.plain for facts in sources.code.values() for one in facts.symbols if not one.owner
        } | {one.alias or one.name for facts in sources.code.values() for one in facts.imports}
        self._helpers: dict[str, set[str]] = defaultdict(set)
        for path, facts in sources.code.items():
            for one in facts.symbols if is_test(path) else ():
                self._helpers[one.plain].add(path)

    def means(self, one: Candidate) -> bool:
        """Whether what is called is a local variable of each; or in tests, no helper of tests."""
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
        # Each share with one success and one failure more (Laplace's rule), so that none is 0.
        return log2((support + 1) / (total + 2)) - log2((max(having, 0) + 1) / (outside + 2))


def _candidates(population: Population, frequency: _Frequency, detection: Detection) -> Iterator[Candidate]:
    implied = {one for values in detection.implied.values() for one in values}
    told: dict[tuple[str, str], list[str]] = defaultdict(list)
    least = LEAST_SUPPORT if population.whole or population.kind == "class" else LEAST_OF_FUNCTIONS
    # The widest folder first: what is told of it is not told again of the folders within it.
    for scope, items in sorted(scopes(population.items).items(), key=lambda one: (len(one[0]), one[0])):
        if len(items) < LEAST_SUPPORT or (not scope and not population.whole and not _one_folder(items)):
            continue
        for trait, value, known in _agreed(items, least):
            if any(scope.startswith(above) for above in told[trait, value]):
                continue
            if _usual(population, trait, value, implied) or (scope and _says_little(trait, value)):
                continue
            having = tuple(one for one in known if value in one.traits[trait])
            lacking = tuple(one for one in known if value not in one.traits[trait])
            if not _enough(population, scope, trait, having):
                continue
            bits = frequency.bits(population, trait, value, len(known), len(having))
            if bits >= LEAST_BITS:
                told[trait, value].append(scope)
                yield Candidate(population, scope, trait, (value,), having, lacking, bits)


def _says_little(trait: str, value: str) -> bool:
    """Whether it says little of a folder: its files are named as its functions are, or tested as others."""
    return trait in {"place", "called"} or (trait == "case" and value == "camelCase")


def _enough(population: Population, scope: str, trait: str, having: Sequence[Item]) -> bool:
    """Whether as many share a trait, in as many files, as it takes to be a habit."""
    files = {one.place.path for one in having}
    if trait == "calls":
        least = 0 if population.whole else LEAST_OF_CALLS
        # One file more of tests, which share their subject.
        return len(having) >= least and len(files) >= LEAST_FILES + (population.kind == "test")
    return len(having) >= (LEAST_LOGGERS if scope and trait == "logger" else 0)


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
    for (trait, value), total in sorted(having.items()):
        counted, support = known[trait], total
        if trait == "base":  # one of that name, which extends another of it, counts neither for nor against
            counted = [one for one in counted if not _is_itself(one, trait, {value})]
            support = sum(value in one.traits[trait] for one in counted)
        if trait != "case" and len(known[trait]) < LEAST_KNOWN * len(items):
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
    if any(fnmatchcase(f"{trait}:{value}", one) for one in implied):
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
    name = f"{one.population.name} in {one.scope}" if one.scope else one.population.name
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
