"""The facts of all files of a project, found by path, by name and by what belongs together."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.code_facts import CONTAINERS, NOWHERE, FileFacts, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


MANIFEST = "manifest"
"""The language of facts that say what a part of the project is called."""
FAMILIES = {"javascript": "ecma", "typescript": "ecma", "c": "c", "cpp": "c"}
"""Languages that call each other; every other one stays by itself."""
TYPES = CONTAINERS | {"type"}


class Address(NamedTuple):
    """A symbol of a project: the path of its file, and its number there, from 0."""

    path: str
    number: int


class Project:
    """Facts of files by path, from the top of the working tree, with slashes.

    Attributes:
        files: of the ten languages.
        names: what manifests call the folders that they lie in, by language of the manifest: module paths of
            Go, names of crates and packages.
    """

    def __init__(self, files: Mapping[str, FileFacts]) -> None:
        self.files = {path: facts for path, facts in files.items() if facts.language != MANIFEST}
        self.names: dict[str, dict[str, str]] = defaultdict(dict)
        for path, facts in files.items():
            if facts.language == MANIFEST and facts.module:
                folder, _, kind = path.rpartition("/")
                self.names[kind].setdefault(facts.module, folder)
        self._by_plain: dict[tuple[str, str], list[Address]] = defaultdict(list)
        self._by_name: dict[tuple[str, str], list[Address]] = defaultdict(list)
        self._members: dict[tuple[str, str], dict[str, list[Address]]] = {}
        self._in_module: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._tops: dict[str, dict[str, list[Address]]] = {}
        self._headers: dict[str, list[str]] = defaultdict(list)
        for path, facts in self.files.items():
            family, unit = family_of(facts), unit_of(path, facts)
            tops: dict[str, list[Address]] = defaultdict(list)
            for index, one in enumerate(facts.symbols):
                address = Address(path, index)
                self._by_plain[family, one.plain].append(address)
                self._by_name[family, one.name].append(address)
                tops[one.name].append(address)
                if owner := one.owner:
                    members = self._members.setdefault((unit, owner), {})
                    members.setdefault(one.plain, []).append(address)
            self._tops[path] = tops
            if family == "c":
                self._headers[path.rpartition("/")[2]].append(path)
            for module in modules_of(path, facts):
                self._in_module[family, module].append(path)
        self.folders = {path.rpartition("/")[0] for path in self.files}

    def symbol(self, address: Address) -> Symbol:
        """The symbol at an address."""
        return self.files[address.path].symbols[address.number]

    def named(self, family: str, plain: str) -> list[Address]:
        """Every symbol of a family of languages with a plain name."""
        return self._by_plain.get((family, plain), [])

    def qualified(self, family: str, name: str) -> list[Address]:
        """Every symbol of a family with a qualified name."""
        return self._by_name.get((family, name), [])

    def in_file(self, path: str, name: str) -> list[Address]:
        """The symbols of a file with a qualified name."""
        return self._tops[path].get(name, []) if path in self._tops else []

    def in_module(self, family: str, module: str, name: str) -> list[Address]:
        """The symbols with a qualified name in the files of a package, a namespace or a folder."""
        return [one for path in self.paths_of(family, module) for one in self.in_file(path, name)]

    def paths_of(self, family: str, module: str) -> list[str]:
        """The files of a package, a namespace or, in Go, a folder."""
        return self._in_module.get((family, module), [])

    def headers(self, name: str) -> list[str]:
        """The files of C and C++ with a name."""
        return self._headers.get(name, [])

    def members(self, owner: Address, plain: str) -> list[Address]:
        """The functions and fields of a type with a plain name, without those that it inherits."""
        facts = self.files[owner.path]
        found = self.members_named(unit_of(owner.path, facts), facts.symbols[owner.number].name, plain)
        here = [one for one in found if one.path == owner.path]
        if facts.language == "cpp":  # declared in a header, defined elsewhere
            return [one for one in found if self.symbol(one).kind != "declaration"] or here or found
        return here or found

    def members_named(self, unit: str, owner: str, plain: str) -> list[Address]:
        """The functions and fields with a plain name of a type with a qualified name, as `unit_of` has it."""
        return self._members.get((unit, owner), {}).get(plain, [])

    def symbols(self) -> Iterator[tuple[Address, Symbol]]:
        """Every symbol with its address."""
        for path, facts in self.files.items():
            for index, one in enumerate(facts.symbols):
                yield Address(path, index), one


def family_of(facts: FileFacts) -> str:
    """The languages that a file's code can call directly."""
    return FAMILIES.get(facts.language, facts.language)


def unit_of(path: str, facts: FileFacts) -> str:
    """What a type's members lie in: its file, but for languages where they may be spread over others."""
    match facts.language:
        case "go":
            return f"go {path.rpartition('/')[0]} {facts.module}"
        case "rust":
            return f"rust {crate_root(path)}"
        case "csharp":
            return f"csharp {facts.module}"
        case "c" | "cpp":
            return "c"
        case _:
            return path


def modules_of(path: str, facts: FileFacts) -> list[str]:
    """The packages, namespaces or folders that a file belongs to."""
    if facts.language == "go":
        return [path.rpartition("/")[0]]
    if facts.language == "csharp":
        spaces = {one.owner for one in facts.symbols if one.parent < 0}
        return sorted({facts.module, *spaces})
    return [facts.module]


def crate_root(path: str) -> str:
    """The folder of the crate that a file of Rust belongs to, as far as its path says."""
    for part in ("src", "tests", "examples", "benches"):
        before, found, _ = f"/{path}".rpartition(f"/{part}/")
        if found:
            return before.strip("/")
    return path.rpartition("/")[0]


# -- what a place in a file sees, from the facts of that file alone


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
