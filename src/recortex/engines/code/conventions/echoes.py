"""Candidates that say the same are told once: joined, or left out."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.engines.code.conventions.populations import Item, Population

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
        keys = list(_said(one))
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


def _said(one: Candidate) -> Iterator[tuple[str, str]]:
    """What a candidate says, in the words of every trait that would say it."""
    yield one.trait, one.values[0]
    if one.trait == "folder" and "…" in one.population.name:
        yield "suffix", one.population.name.partition("…")[2]
    if one.trait == "calls":  # `ResponseEntity` is called to return one
        yield "return", one.values[0]
        yield "return", f"{one.values[0]}<…>"
