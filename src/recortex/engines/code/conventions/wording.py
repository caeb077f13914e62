"""Conventions in plain English, with numbers and exceptions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.code_patterns import Place
    from recortex.engines.code.conventions.populations import Item, Population

MOST_NAMED = 5
"""Exceptions that are named in the sentence; all are in the convention."""
_SAID = {
    "return": "return `{value}`",
    "mark": "have the mark `{value}`",
    "fieldmark": "have fields with the mark `{value}`",
    "given": "have a parameter with the mark `{value}`",
    "wrapper": "are wrapped in `{value}(…)`",
    "base": "extend or implement `{value}`",
    "suffix": "have names that end in `{value}`",
    "ending": "have names that end in `{value}`",
    "prefix": "have names that begin with `{value}`",
    "async": "are async",
    "typed": "state the type that they return",
    "keywords": "take some parameters by keyword only",
    "first": "take `{value}` as their first parameter",
    "takes": "also take `{value}`",
    "doc": "are documented",
    "calls": "call `{value}`",
    "form": "are written as {value}",
    "modifier": "are declared `{value}`",
    "module": "are defined in {value}",
    "folder": "are in a folder named `{value}`",
    "interface": "have names that begin with `I`",
    "case": "are named in {value}",
    "filename": "are named `{value}`",
    "future": "begin with `from __future__ import annotations`",
    "imports": "import `{value}`",
    "style": "are written with {value}",
    "logger": "are made on {value}",
    "wraps": "wrap the error below with `%w`",
    "called": "are written with `{value}(…)`",
    "opening": "have titles that begin with “{value}”",
}
_PLACES = {
    "beside": "stand beside the file that they test",
    "same name": "have the name of the file that they test",
}


def statement(
    population: Population,
    scope: str,
    trait: str,
    value: str,
    having: Sequence[Item],
    exceptions: Sequence[Place],
) -> str:
    """The sentence of a convention: “14 of 15 handlers in src/api return `Result`; exception: ping.”."""
    total = len(having) + len(exceptions)
    where = f" in {scope}" if scope else ""
    name = "files with names of several words" if trait == "case" else population.name
    count = f"All {total}" if not exceptions else f"{len(having)} of {total}"
    said = f"{count} {name}{where} {_said(population, trait, value, having)}"
    if exceptions:
        said += f"; {'exception' if len(exceptions) == 1 else 'exceptions'}: {_named(exceptions)}"
    return said + "."


def _said(population: Population, trait: str, value: str, having: Sequence[Item]) -> str:
    folders = {one.place.path.rpartition("/")[0] for one in having}
    if trait == "folder" and len(folders) == 1:
        return f"are in {folders.pop()}"
    if trait == "place":
        return _PLACES.get(value) or f"are in a folder `{value.removeprefix('folder ')}`"
    if trait in {"mark", "fieldmark", "given"} and population.language in {
        "python",
        "java",
        "typescript",
        "javascript",
    }:
        value = f"@{value}"
    return _SAID[trait].format(value=value)


def _named(places: Sequence[Place]) -> str:
    several = Counter(one.name for one in places)
    names = [
        one.path if not one.line else one.name if several[one.name] == 1 else f"{one.name} ({one.path})"
        for one in places[:MOST_NAMED]
    ]
    more = len(places) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")
