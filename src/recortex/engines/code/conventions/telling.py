"""Which conventions are told: those of a kind that readers mostly found worth telling.

The table was learned from 520 conventions of 37 projects, each judged by one reader as true and worth telling
or not; traits of which none was judged, or too few were right, have no row. `bench/detection.py --labels`
gives the figures by trait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.code.detection.evidence import plain

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from recortex.engines.code.conventions.echoes import Candidate
    from recortex.engines.code.conventions.populations import Population


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
