"""What a call means, in three certainties; where nothing is known, it means nothing.

- resolved: the name is defined in the same scope, imported from one place, or a method of a type that is
  written down.
- candidate: a method is called on something unknown, and at most three methods of the project have the name.
- external: the name comes from a package that is none of the project's, or from the language; never a
  namesake in the project.

Calls are resolved when somebody asks, from facts alone. So a file that changed takes no caller along: what
others say of it is in their own facts.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.domain.code_facts import CALLABLE, NOWHERE
from recortex.engines.code.naming import Names, Outside, plain_names
from recortex.engines.code.project import TYPES, Address, family_of, unit_of
from recortex.engines.code.scopes import ABOVE, INSTANCE, own_field, parts_of, written_type

if TYPE_CHECKING:
    from recortex.domain.code_facts import Call, FileFacts
    from recortex.engines.code.project import Project

Certainty = Literal["resolved", "candidate", "external", "unknown"]

COMMON = Path(__file__).with_name("common_methods.txt")
MOST_CANDIDATES = 3
_MADE = re.compile(r"\(?(?:new )?([A-Za-z_$\\][\w$.:\\]*)\([^()]*\)\)?")
_NAMES = re.compile(r"[A-Za-z_$\\][\w$\\.:]*")
_PRIMITIVES = frozenset(
    [
        "int",
        "string",
        "bool",
        "double",
        "float",
        "long",
        "short",
        "byte",
        "char",
        "decimal",
        "object",
        "str",
        "bytes",
        "list",
        "dict",
        "set",
        "tuple",
        "console",
        "process",
        "window",
        "document",
        "i32",
        "u8",
        "usize",
        "f64",
    ]
)


class Meaning(NamedTuple):
    """What a call means.

    Attributes:
        targets: symbols of the project.
        package: that an external name comes from; empty where it is the language's own.
    """

    certainty: Certainty
    targets: tuple[Address, ...] = ()
    package: str = ""


UNKNOWN = Meaning("unknown")


class Resolver:
    """Resolves the calls of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._names = Names(project)

    def meaning(self, path: str, call: Call) -> Meaning:
        """What a call in a file means."""
        if call.receiver:
            found = self._on(path, call)
        else:
            found = self._names.plain(path, call.name.removesuffix("!"), call.caller)
        if isinstance(found, Outside):
            return Meaning("external", package=found.package)
        if self._is_of_c_library(path, call, found):
            return Meaning("external")
        if path.endswith(".rs"):  # macros and functions of Rust never stand for each other
            is_macro = call.name.endswith("!")
            found = [one for one in found if (self._project.symbol(one).kind == "macro") == is_macro]
        if fitting := [self._type_made(one) for one in found if self._can_be_called(one)]:
            return self._certain(list(dict.fromkeys(fitting)), call)
        return self._candidates(path, call) if call.receiver else UNKNOWN

    def _is_of_c_library(self, path: str, call: Call, found: list[Address]) -> bool:
        """Whether C's library is meant, for which a project may have a stand-in where a system lacks it."""
        if call.receiver or family_of(self._project.files[path]) != "c":
            return False
        own = any(one.path == path and self._project.symbol(one).kind == "function" for one in found)
        return call.name in common_methods("c library") and not own

    def _can_be_called(self, address: Address) -> bool:
        kind = self._project.symbol(address).kind
        if kind == "constant" and family_of(self._project.files[address.path]) == "c":
            return False  # a macro without parameters: what it stands for is called
        return kind in CALLABLE or kind in TYPES or kind in {"declaration", "constant", "property"}

    def _type_made(self, address: Address) -> Address:
        """The type instead of its constructor: both are called by its name."""
        symbol = self._project.symbol(address)
        if symbol.parent == NOWHERE or symbol.kind not in {"method", "declaration"}:
            return address
        above = self._project.files[address.path].symbols[symbol.parent]
        return Address(address.path, symbol.parent) if above.plain == symbol.plain else address

    def _certain(self, found: list[Address], call: Call) -> Meaning:
        """One definition is resolved; so are forms of one function, of which the fitting ones are kept."""
        real = [one for one in found if self._project.symbol(one).kind != "declaration"] or found
        if len(plain_names(real, self._project)) == 1:
            fitting = [one for one in real if self._fits(one, call.arguments)]
            return Meaning("resolved", tuple(fitting or real))
        return Meaning("candidate", tuple(real)) if len(real) <= MOST_CANDIDATES else UNKNOWN

    def _fits(self, address: Address, arguments: int) -> bool:
        symbol = self._project.symbol(address)
        any_more = "..." in symbol.signature or "params " in symbol.signature
        return symbol.arity == arguments or (any_more and arguments >= symbol.arity - 1)

    def _candidates(self, path: str, call: Call) -> Meaning:
        family = family_of(self._project.files[path])
        if call.name in common_methods(family) or not _may_be_anything(call.receiver):
            return UNKNOWN
        named = self._project.named(family, call.name)
        found = [one for one in named if self._project.symbol(one).kind == "method"]
        few = 1 <= len(plain_names(found, self._project)) <= MOST_CANDIDATES
        return Meaning("candidate", tuple(found)) if few else UNKNOWN

    # -- methods

    def _on(self, path: str, call: Call) -> list[Address] | Outside:
        facts, on = self._project.files[path], call.receiver
        if on in INSTANCE or on in ABOVE:
            return self._of_instance(path, facts, call)
        types = self._types_of(path, facts, on, call.caller)
        if isinstance(types, Outside):
            return types
        if types is not None:
            return [found for one in types for found in self._names.method(one, call.name)]
        if not _NAMES.fullmatch(on):
            return []
        return self._names.path_of_names(path, [*parts_of(on), call.name], call.caller)

    def _of_instance(self, path: str, facts: FileFacts, call: Call) -> list[Address]:
        around = self._names.around(path, call.caller)
        if around is None:
            owner = facts.symbols[call.caller].owner if call.caller != NOWHERE else ""
            return self._project.members_named(unit_of(path, facts), owner, call.name)
        if call.receiver in ABOVE:
            return self._names.inherited(around, call.name)
        return self._names.method(around, call.name)

    def _types_of(self, path: str, facts: FileFacts, on: str, at: int) -> list[Address] | Outside | None:
        """The types that a value is written to have; None where none is, or where that is not known."""
        if made := _MADE.fullmatch(on):
            found = self._names.types(path, made[1], at)
            return found or None
        name = own_field(on) or on
        written = written_type(facts, name, at)
        if written is None:
            return self._type_of_field(path, facts, on, at)
        return self._type_written(path, written, at)

    def _type_written(self, path: str, written: str, at: int) -> list[Address] | Outside | None:
        if not written:
            return None
        found = self._names.types(path, written, at)
        if isinstance(found, Outside) or found:
            return found
        family = family_of(self._project.files[path])
        known = self._project.named(family, parts_of(written)[-1])
        is_ours = any(self._project.symbol(one).kind in TYPES for one in known)
        return None if is_ours else Outside()

    def _type_of_field(self, path: str, facts: FileFacts, on: str, at: int) -> list[Address] | Outside | None:
        """`s.db`, or `base_` in a method whose type is in another file: what is written there."""
        parts = parts_of(on)
        if len(parts) > 2 or not all(part.lstrip("$").isidentifier() for part in parts):  # noqa: PLR2004
            return None
        if len(parts) == 1 or parts[0] in INSTANCE:
            around = self._names.around(path, at)
            owners: list[Address] | Outside | None = [around] if around else None
        else:
            owners = self._types_of(path, facts, parts[0], at)
        for owner in () if owners is None or isinstance(owners, Outside) else owners:
            for one in self._project.files[owner.path].bindings:
                if one.scope == owner.number and one.name == f"self.{parts[-1]}":
                    return self._type_written(owner.path, one.type, owner.number)
        return None


def _may_be_anything(receiver: str) -> bool:
    """Whether a receiver is a value, and no literal, no type, and nothing of the language itself."""
    return not (receiver[:1] in "\"'`[{0123456789" or receiver[:1].isupper() or receiver in _PRIMITIVES)


@cache
def common_methods(family: str) -> frozenset[str]:
    """Methods that a language's own types have."""
    lines = COMMON.read_text(encoding="utf-8").splitlines()
    listed = dict(line.split(":", 1) for line in lines if not line.startswith("#"))
    return frozenset(listed.get(family, "").split())
