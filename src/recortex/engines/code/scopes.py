"""What a place in a file sees, from the facts of that file alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.code_facts import NOWHERE
from recortex.engines.code.project import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.code_facts import FileFacts

INSTANCE = frozenset({"self", "cls", "this", "$this", "static", "Self"})
"""What code calls the object, or the type, that it is a method of."""
ABOVE = frozenset({"super", "super()", "parent", "base"})
"""What it calls the type that its own extends."""
OPEN_TYPES = frozenset({"java", "csharp", "cpp"})
"""Languages in which methods and fields are named without their instance."""
_BY_FILE = frozenset({"python", "javascript", "typescript", "php", "go"})
"""Languages without namespaces within a file."""
_PARTS = re.compile(r"\.|::|->|\\|\?\.")
_OWN_FIELDS = ("self.", "this.", "this->", "$this->", "cls.")


def parts_of(written: str) -> list[str]:
    """The names of a path as `a.b`, `a::b`, `a->b`."""
    return [part for part in _PARTS.split(written) if part]


def scopes(facts: FileFacts, at: int) -> Iterator[int]:
    """The numbers of the symbols that a place lies in, the innermost first."""
    while at != NOWHERE:
        yield at
        at = facts.symbols[at].parent


def type_around(facts: FileFacts, at: int) -> int | None:
    """The type in the same file whose method a place lies in, also where that stands beside it."""
    around = list(scopes(facts, at))
    for scope in around:
        if facts.symbols[scope].kind in TYPES:
            return scope
    owners = {facts.symbols[scope].owner for scope in around} - {""}
    named = (number for number, one in enumerate(facts.symbols) if one.name in owners and one.kind in TYPES)
    return next(named, None)


def prefixes(facts: FileFacts, at: int) -> list[str]:
    """The namespaces and types around a place as prefixes of names, the innermost first."""
    owner = facts.symbols[at].owner if at != NOWHERE else ""
    if facts.language in _BY_FILE or not owner:
        return [""]
    parts = owner.split(".")
    return [".".join(parts[:length]) + "." if length else "" for length in range(len(parts), -1, -1)]


def modules_above(module: str) -> list[str]:
    """A namespace and those that it lies in, the innermost first."""
    parts = module.split(".")
    return [".".join(parts[:length]) for length in range(len(parts), 0, -1)]


def own_field(on: str) -> str:
    """A field of the instance as bindings have it, `self.name`; empty for anything else."""
    for instance in _OWN_FIELDS:
        if on.startswith(instance):
            return "self." + on.removeprefix(instance)
    return ""


def written_type(facts: FileFacts, name: str, at: int) -> str | None:
    """The type that is written for a variable or field in the innermost scope.

    Empty where several are, None where none is.
    """
    names = {name, f"self.{name}"} if facts.language in OPEN_TYPES else {name}
    around, places = type_around(facts, at), list(scopes(facts, at))
    if around is not None and around not in places:
        places.append(around)
    for scope in [*places, NOWHERE]:
        found = {one.type for one in facts.bindings if one.scope == scope and one.name in names}
        if found:
            return found.pop() if len(found) == 1 else ""
    return None
