"""Symbols by what a person or an agent calls them: a name, a path with a name, or a place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.code_facts import Symbol, innermost

if TYPE_CHECKING:
    from recortex.engines.code.project import Address, Project

_PLACE = re.compile(r"(?P<path>[^\s:]+):(?P<line>\d{1,9})")
_IN_FILE = re.compile(r"(?P<path>[^\s:]{0,400}[./][^\s:]{0,400}):(?P<name>[^\d:].*)")
_JOINTS = re.compile(r"::|->|#|\\")
_CLOSING = re.compile(r"\(.*\)$")


def symbol_at(project: Project, path: str, line: int) -> Address | None:
    """The innermost symbol at a line of a file; None where there is none."""
    from recortex.engines.code.project import Address

    facts = project.files.get(path)
    found = innermost(facts, line) if facts else None
    return Address(path, facts.symbols.index(found)) if facts and found else None


def addressed(project: Project, text: str) -> list[Address]:
    """The symbols that a text names.

    Args:
        project: its facts.
        text: `NAME`, `Class.method`, `Class::method`, `PATH:NAME` or `PATH:LINE`.
    """
    text = text.strip()
    if place := _PLACE.fullmatch(text):
        found = symbol_at(project, place["path"], int(place["line"]))
        return [found] if found else []
    path = ""
    if within := _IN_FILE.fullmatch(text):
        path, text = within["path"], within["name"]
    name = dotted(text)
    exact = [
        address
        for address, one in project.symbols()
        if is_named(one, name) and (not path or address.path == path)
    ]
    real = [one for one in exact if project.symbol(one).kind != "declaration"]
    return real or exact


def dotted(text: str) -> str:
    """A name as facts have it: `Class::method()` with a dot, and without brackets."""
    return _CLOSING.sub("", _JOINTS.sub(".", text)).strip(".")


def is_named(one: Symbol, name: str) -> bool:
    """Whether a symbol has a name, or one that ends with it."""
    return one.name == name or one.name.endswith(f".{name}")


def search(project: Project, text: str, limit: int) -> list[Address]:
    """The symbols whose names resemble a text, the nearest first: the same, its beginning, a part."""
    wanted = dotted(text.strip()).lower()
    found = [
        (likeness, one.kind == "declaration", address.path.count("/"), address)
        for address, one in project.symbols()
        if (likeness := _likeness(one, wanted)) is not None
    ]
    return [address for *_, address in sorted(found)[:limit]]


def _likeness(one: Symbol, wanted: str) -> int | None:
    name, plain = one.name.lower(), one.plain.lower()
    if wanted in {plain, name}:
        return 0
    if name.endswith(f".{wanted}"):
        return 1
    if plain.startswith(wanted):
        return 2
    if wanted in name:
        return 3
    squeezed = wanted.replace("_", "").replace(" ", "")
    return 4 if squeezed and squeezed in plain.replace("_", "") else None
