"""Conventions in plain English, with numbers and exceptions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recortex.engines.code.conventions.echoes import Candidate

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
    return f"{one.population.name}{several}{where} {_said(one)}"


def _said(one: Candidate) -> str:
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
