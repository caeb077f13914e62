"""Which conventions are told: those of a kind that readers mostly found worth telling.

The table was learned from 520 conventions of 37 projects, each judged by one reader as true and worth telling
or not; traits of which none was judged, or too few were right, have no row. `bench/detection.py --labels`
gives the figures by trait.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from blake3 import blake3

from recortex.engines.code.detection.evidence import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from recortex.domain.code_patterns import Convention
    from recortex.engines.code.conventions.populations import Item, Population


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
    Row("suffix", "class", support=15, files=10, agreement=0.85),
    Row("mark", "class", support=8),
    Row("mark", "suffix", support=8, own=True),
    Row("mark", "function", support=8, own=True),
    Row("mark", "test", support=20),
    Row("mark", "class", support=6, own=True),
    Row("mark", "role", support=6),
    Row("given", support=6, own=True),
    Row("calls", "role", support=8, own=True),
    Row("calls", "function", support=12, own=True),
    Row("calls", "test", support=10),
    Row("first", "role", support=12),
    Row("first", "test", support=12, whole=True),
    Row("return", "role", support=8),
    Row("prefix", "role", support=8),
    Row("keywords", support=12),
    Row("wrapper", support=10),
    Row("modifier", support=9),
    Row("interface", files=5),
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
    "fieldmark": "have fields with the {marks} {quoted}",
    "given": "have a parameter with the {marks} {quoted}",
    "wrapper": "are wrapped in `{value}(…)`",
    "base": "extend or implement {quoted}",
    "suffix": "have names that end in `{value}`",
    "ending": "have names that end in `{value}`",
    "prefix": "have names that begin with `{value}`",
    "async": "are async",
    "typed": "state the type that they return",
    "keywords": "take some parameters by keyword only",
    "first": "take `{value}` as their first parameter",
    "takes": "also take {quoted}",
    "doc": "are documented",
    "calls": "call {quoted}",
    "form": "are written as {value}",
    "modifier": "are declared `{value}`",
    "module": "are defined in {value}",
    "folder": "are in a folder named `{value}`",
    "interface": "have names that begin with `I`",
    "case": "are named in {value}",
    "filename": "are named `{value}`",
    "future": "begin with `from __future__ import annotations`",
    "imports": "import {quoted}",
    "style": "are written with {value}",
    "logger": "are made on {value}",
    "wraps": "wrap the error below with `%w`",
    "called": "are written with `{value}(…)`",
    "opening": "have titles that begin with “{value}”",
}
_MARKS = frozenset({"mark", "fieldmark", "given"})
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
        said += f"; {'exception' if len(one.lacking) == 1 else 'exceptions'}: {_named(one)}"
    return said + "."


def claim(one: Candidate) -> str:
    """The same without numbers: “handlers in src/api return `Result`”."""
    where = f" in {one.scope}" if one.scope else ""
    several = " with names of several words" if one.trait == "case" else ""
    return f"{one.population.name}{several}{where} {_wording_said(one)}"


def _wording_said(one: Candidate) -> str:
    value = one.values[0]
    folders = {item.place.path.rpartition("/")[0] for item in one.having}
    if one.trait == "folder" and len(folders) == 1:
        return f"are in {folders.pop()}"
    if one.trait == "place":
        return _PLACES.get(value) or f"are in a folder `{value.removeprefix('folder ')}`"
    at = "@" if one.trait in _MARKS and one.population.language in _WITH_AT else ""
    quoted = [f"`{at}{value}`" for value in one.values]
    listed = quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    several = "marks" if len(quoted) > 1 else "mark"
    return _SAID[one.trait].format(value=value, quoted=listed, marks=several)


def _named(one: Candidate) -> str:
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
_JOINED = frozenset({"mark", "fieldmark", "given", "calls", "takes", "imports", "base"})
"""Traits with several values, which are told in one sentence where the same members have them."""
_ONCE = frozenset({"suffix", "prefix", "ending", "filename", "doc", "async", "form"})
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
    if one.trait == "folder" and "…" in one.population.name:
        yield "suffix", one.population.name.partition("…")[2]
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
