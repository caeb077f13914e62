"""What a name means in a file: something of the same scope, an import, or what is seen without one.

Nothing is searched by its plain name alone: a name that nothing binds means nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.code import NOWHERE
from recortex.engines.code.project import (
    ABOVE,
    INSTANCE,
    OPEN_TYPES,
    TYPES,
    Address,
    family_of,
    find_module,
    modules_above,
    parts_of,
    prefixes,
    scopes,
    type_around,
    unit_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from recortex.domain.code import FileFacts, Import
    from recortex.domain.reports import Hunk
    from recortex.engines.code.project import Place, Project


DEEPEST = 8
"""Re-exports and base types that are followed one after the other."""
MOST_HEADERS = 300
"""Of one file of C, with those that they include."""
DEFAULT = "export default"
"""The mark that names what a module of JavaScript exports by default."""


class Outside(NamedTuple):
    """A name that comes from a package which is none of the project's; empty: from the language."""

    package: str = ""


class Names:
    """Finds what names mean in the files of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        # The same import is followed for each name of a file, and the same name for each of its calls.
        self._places = cache(lambda path, module: find_module(project, path, module))
        self._exported = cache(self._find_exported)

    def place(self, path: str, module: str) -> Place:
        """Where a module is that a file names."""
        found: Place = self._places(path, module)
        return found

    # -- a single name

    def plain(self, path: str, name: str, at: int) -> list[Address] | Outside:
        """What a single name means at a place of a file."""
        facts = self._project.files[path]
        if name in ABOVE or name in INSTANCE:  # what they mean depends on the type around the place
            return []
        for scope in scopes(facts, at):
            symbol = facts.symbols[scope]
            is_type = symbol.kind in TYPES
            # Outside of `OPEN_TYPES` members are named with their instance, so that a plain name means none.
            in_object = symbol.kind == "constant" and family_of(facts) == "ecma"
            if in_object or (is_type and facts.language not in OPEN_TYPES):
                continue
            if found := self._project.in_file(path, f"{symbol.name}.{name}"):
                return found
            if is_type and (inherited := self.method(Address(path, scope), name)):
                return inherited
        # A method of C++ is mostly defined outside of its class, which then is not around the place.
        owner = facts.symbols[at].owner if facts.language == "cpp" and at != NOWHERE else ""
        if owner and (members := self._of_owner(owner, name)):
            return members
        return self._at_top(path, facts, name, at)

    def _of_owner(self, owner: str, name: str) -> list[Address]:
        """A member of the type that a method of C++ belongs to, which may be in a header."""
        if found := self._project.members_named("c", owner, name):
            return found
        types = [one for one in self._project.qualified("c", owner) if self._is_type(one)]
        return [found for one in types for found in self.method(one, name)]

    def _at_top(self, path: str, facts: FileFacts, name: str, at: int) -> list[Address] | Outside:
        imported = self._imported(path, facts, name)
        if imported is not None and family_of(facts) == "ecma":  # `const get = require(…)` is both
            return imported
        for prefix in prefixes(facts, at):
            if found := self._project.in_file(path, f"{prefix}{name}"):
                return self._defined(found, prefix + name) if family_of(facts) == "c" else found
        if imported is not None:
            return imported
        return self._beside(path, facts, name, at) or self._from_stars(path, facts, name)

    # -- what imports bind

    def _imported(self, path: str, facts: FileFacts, name: str) -> list[Address] | Outside | None:
        """What imports bind a name to; None where none does."""
        bound = [self._target(path, one) for one in facts.imports if one.alias == name]
        if not bound:
            return None
        found = [one for target in bound if not isinstance(target, Outside) for one in target]
        outside = next((target for target in bound if isinstance(target, Outside)), None)
        return found or outside or []

    def _target(self, path: str, one: Import) -> list[Address] | Outside:
        place = self.place(path, one.module)
        if place.outside:
            return Outside(place.outside)
        wanted = one.name or ("default" if family_of(self._project.files[path]) == "ecma" else "")
        # A wildcard and a whole module bind no name that could be looked for in a file.
        if wanted in {"", "*"}:
            return []
        found = [address for target in place.paths for address in self.exported(target, wanted, one.module)]
        return found or self._member_of_type(path, one)

    def _member_of_type(self, path: str, one: Import) -> list[Address]:
        """`import static a.b.C.m`, `use a::B::c`: the last part of the module is a type."""
        *above, name = parts_of(one.module) or [""]
        if not above:
            return []
        owners = self._project.in_module(family_of(self._project.files[path]), ".".join(above), name)
        return [found for owner in owners for found in self.method(owner, one.name)]

    def exported(self, path: str, name: str, module: str = "", depth: int = 0) -> list[Address]:
        """What a file has under a name: its own, or what it takes from elsewhere and gives on."""
        return list(self._exported(path, name, module, depth))

    def _find_exported(self, path: str, name: str, module: str, depth: int) -> tuple[Address, ...]:
        facts = self._project.files[path]
        if found := self._project.in_file(path, name):
            return tuple(found)
        if name == "default":
            return self._by_default(path, facts, depth)
        if facts.language == "rust" and (inner := self._inline(path, name, module)):
            return inner
        # These languages give on nothing that they import.
        # Re-exports can form a circle.
        if depth == DEEPEST or facts.language in {"java", "csharp", "php", "go"}:
            return ()
        return self._given_on(path, facts, name, depth)

    def _by_default(self, path: str, facts: FileFacts, depth: int) -> tuple[Address, ...]:
        named = next((one.argument for one in facts.marks if one.name == DEFAULT), "")
        if named and depth < DEEPEST:
            found = self._at_top(path, facts, named, NOWHERE)
            return () if isinstance(found, Outside) else tuple(found)
        return self._given_on(path, facts, "default", depth) if depth < DEEPEST else ()

    def _inline(self, path: str, name: str, module: str) -> tuple[Address, ...]:
        """A name in a module of Rust that stands within a file."""
        parts = module.split("::")
        ends = (".".join([*parts[start:], name]) for start in range(1, len(parts)))
        return next((tuple(found) for end in ends if (found := self._project.in_file(path, end))), ())

    def _given_on(self, path: str, facts: FileFacts, name: str, depth: int) -> tuple[Address, ...]:
        for one in facts.imports:
            named = one.alias == name and one.name not in {"", "*"}
            # What stands in angle brackets is a library's, whose files are not the project's.
            if not named and (one.name != "*" or one.module.startswith("<")):
                continue
            wanted = one.name if named else name
            for target in self.place(path, one.module).paths:
                if target != path and (found := self.exported(target, wanted, one.module, depth + 1)):
                    return tuple(found)
        return ()

    # -- what is seen without an import

    def _beside(self, path: str, facts: FileFacts, name: str, at: int) -> list[Address]:
        family = family_of(facts)
        if facts.language == "go":
            found = self._project.in_module(family, path.rpartition("/")[0], name)
            # The tests of a Go package lie in its folder as a package of their own.
            return [one for one in found if self._project.files[one.path].module == facts.module]
        if facts.language in {"java", "php"} and facts.module:
            return self._project.in_module(family, facts.module, name)
        if facts.language == "csharp":
            around = [prefix.rstrip(".") for prefix in prefixes(facts, at)]
            inner = [".".join(filter(None, (facts.module, space))) for space in around]
            # The innermost namespace first, as C# looks names up.
            spaces = [*inner, *modules_above(facts.module)]
            return next((found for one in spaces if (found := self._of_namespace(one, name))), [])
        return self._included(path, name) if family == "c" else []

    def _of_namespace(self, space: str, name: str) -> list[Address]:
        """A type of C#, whose namespace stands at the top of its file or around it."""
        found: list[Address] = []
        for path in self._project.paths_of("csharp", space) if space else ():
            module = self._project.files[path].module
            inner = name if module == space else "" if module else f"{space}.{name}"
            found += self._project.in_file(path, inner) if inner else []
        return found

    def _from_stars(self, path: str, facts: FileFacts, name: str) -> list[Address]:
        if family_of(facts) == "c":
            return []
        found: list[Address] = []
        for one in facts.imports:
            if one.name == "*" and facts.language == "csharp":
                found += self._of_namespace(one.module, name)
            elif one.name == "*" and not one.alias:
                for target in self.place(path, one.module).paths:
                    found += self.exported(target, name, one.module)
        return list(dict.fromkeys(found))

    def _included(self, path: str, name: str) -> list[Address]:
        """What an included header declares or defines: of a declaration, the definition in the project."""
        seen, waiting = {path: None}, [path]
        # Headers include each other in circles, and a system's may lead to thousands.
        while waiting and len(seen) < MOST_HEADERS:
            current = waiting.pop()
            for one in self._project.files[current].imports:
                for target in self.place(current, one.module).paths if one.name == "*" else ():
                    if target not in seen:
                        seen[target] = None
                        waiting.append(target)
        declared = [found for one in list(seen)[1:] for found in self._project.in_file(one, name)]
        return self._defined(declared, name)

    def _defined(self, declared: list[Address], name: str) -> list[Address]:
        """The definitions in the project of what a file of C only declares."""
        named = [one for one in declared if self._project.symbol(one).kind != "constant"]
        if not named or any(self._project.symbol(one).kind != "declaration" for one in named):
            return named or declared
        # Several files may define a static function of one name; only an exported one can be meant from
        # outside.
        real = [
            one for one in self._project.qualified("c", name) if self._project.symbol(one).kind == "function"
        ]
        return [one for one in real if self._project.symbol(one).exported] or named

    # -- paths and types

    def path_of_names(self, path: str, parts: list[str], at: int) -> list[Address] | Outside:
        """What `a.B.c` means: a name in the module `a.B`, or a member of the type `a.B`."""
        if family_of(self._project.files[path]) == "c":
            return self._of_cpp(path, parts, at)
        # `b`.
        if len(parts) == 1:
            return self.plain(path, parts[0], at)
        # The longest module first: `c` of the module `a.b` goes before a member of the name `b`.
        modules = self._module_named(path, parts[:-1])
        if isinstance(modules, Outside):
            return modules
        if found := [one for module in modules for one in self.exported(module, parts[-1])]:
            return found
        owner = self.path_of_names(path, parts[:-1], at)
        if isinstance(owner, Outside):
            return owner
        return [one for type_ in owner if self._is_type(type_) for one in self.method(type_, parts[-1])]

    def _of_cpp(self, path: str, parts: list[str], at: int) -> list[Address] | Outside:
        if len(parts) == 1:
            return self.plain(path, parts[0], at)
        facts = self._project.files[path]
        spaces = [*prefixes(facts, at), *(f"{one.module}." for one in facts.imports if one.name == "*")]
        for prefix in spaces:
            if found := self._project.qualified("c", prefix + ".".join(parts)):
                return found
        owner = self._of_cpp(path, parts[:-1], at)
        if isinstance(owner, Outside):
            return owner
        return [one for type_ in owner if self._is_type(type_) for one in self.method(type_, parts[-1])]

    def _module_named(self, path: str, parts: list[str]) -> list[str] | Outside:
        """The files of a module by what a file calls it."""
        facts = self._project.files[path]
        joint = "::" if facts.language == "rust" else "."
        written = joint.join(parts)
        for one in facts.imports:
            whole = not one.name and (one.module == written or (one.alias == parts[0] and len(parts) == 1))
            if whole:
                place = self.place(path, one.module)
                if place.outside or place.paths:
                    return Outside(place.outside) if place.outside else list(place.paths)
            elif one.alias == parts[0]:
                found = self._submodule(path, one, joint, parts[1:])
                if found:
                    return found
        if facts.language == "rust":
            place = self.place(path, written)
            return Outside(place.outside) if place.outside in _RUST_STANDARD else list(place.paths)
        return []

    def _submodule(self, path: str, one: Import, joint: str, rest: list[str]) -> list[str] | Outside:
        outer = self.place(path, one.module)
        if outer.outside:
            return Outside(outer.outside)
        if not one.name:
            return []
        start = one.module if one.module.endswith(joint) else one.module + joint
        inner = self.place(path, start + joint.join([one.name, *rest]))
        last = rest[-1] if rest else one.name
        # The place of a module is also found for a name in it; then the file is that of the module around.
        return [found for found in inner.paths if _is_of_module(found, last)]

    def types(self, path: str, written: str, at: int) -> list[Address] | Outside:
        """The types of the project that a written type means."""
        parts = parts_of(written)
        if len(parts) == 1 and parts[0] in INSTANCE:
            around = self.around(path, at)
            return [around] if around else []
        found = self.path_of_names(path, parts, at) if parts else []
        return found if isinstance(found, Outside) else [one for one in found if self._is_type(one)]

    def around(self, path: str, at: int) -> Address | None:
        """The type that a place is in a method of, also where the type is in another file."""
        facts = self._project.files[path]
        if (number := type_around(facts, at)) is not None:
            return Address(path, number)
        unit = unit_of(path, facts)
        for scope in scopes(facts, at):
            # In Go, Rust and C# methods of a type may stand in another file of its unit.
            for one in self._project.qualified(family_of(facts), facts.symbols[scope].owner):
                if self._is_type(one) and unit_of(one.path, self._project.files[one.path]) == unit:
                    return one
        return None

    def _is_type(self, address: Address) -> bool:
        return self._project.symbol(address).kind in TYPES

    # -- methods

    def method(self, owner: Address, name: str, seen: set[Address] | None = None) -> list[Address]:
        """The method of a type, its own or the nearest inherited one."""
        seen = set() if seen is None else seen
        # Types that extend each other, by mistake or by a name taken for another, form a circle.
        if owner in seen or len(seen) > DEEPEST:
            return []
        seen.add(owner)
        return self._project.members(owner, name) or self.inherited(owner, name, seen)

    def inherited(self, owner: Address, name: str, seen: set[Address] | None = None) -> list[Address]:
        """The method that a type has from what it extends."""
        symbol = self._project.symbol(owner)
        seen = {owner} if seen is None else seen
        for base in symbol.bases:
            types = self.types(owner.path, base, symbol.parent)
            for one in () if isinstance(types, Outside) else types:
                if found := self.method(one, name, seen):
                    return found
        return []


_RUST_STANDARD = frozenset({"std", "core", "alloc"})


def _is_of_module(path: str, name: str) -> bool:
    """Whether a file is a module's own, and not that of one around it."""
    folder, _, file = f"/{path}".rpartition("/")
    return file.partition(".")[0] == name or folder.endswith(f"/{name}")


def plain_names(addresses: Iterable[Address], project: Project) -> set[tuple[str, str]]:
    """Symbols by file and qualified name: forms of one function are one."""
    return {(one.path, project.symbol(one).name) for one in addresses}


# -- what a text says of code: names that are written as code, and places such as stack traces have


LONGEST = 20_000
"""Characters of a text that are looked at."""
MOST = 40
"""Names, and places, that are taken of one text."""
_NAME = r"[A-Za-z_$][\w$]{0,80}(?:(?:\.|::|->|#|\\)[A-Za-z_$~][\w$]{0,80}){0,6}"
_SPAN = re.compile(r"`([^`\n]{1,200})`")
_WRITTEN = re.compile(rf"({_NAME})(\(.{{0,120}}\))?")
_BARE = re.compile(rf"(?<![\w`./\\$-])({_NAME})(\(\))?(?![\w/\\$]|-\w|\.\w)")
_PLACE = re.compile(r"(?<![\w.])([\w./\\-]{1,200}\.[A-Za-z]{1,5})(?::|\(|\", line )(\d{1,7})(?!\w)")
_JOINT = re.compile(r"\.|::|->|#|\\")
# Capitals within a word: one with only a first capital letter is mostly prose.
_HUMPS = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_SHAPED, _SHORTEST = 6, 3
_OPTION = re.compile(
    r"(?<![\w-])--([a-z][a-z0-9]*(?:-[a-z0-9]+)+)|(?<=`)([a-z][a-z0-9]*(?:-[a-z0-9]+)+)(?=`)"
)


class Named(NamedTuple):
    """A name of code in a text.

    Attributes:
        parts: of the name, the last one its plain name.
        sure: it is a call, or a name of several parts or words: hardly a word of the language.
    """

    parts: tuple[str, ...]
    sure: bool

    @property
    def plain(self) -> str:
        """Its last part."""
        return self.parts[-1]


class At(NamedTuple):
    """A place in a text: a path, which may be a file's name alone, and a line from 1."""

    path: str
    line: int


def named(text: str) -> list[Named]:
    """The names of code in a text, each once, in their order."""
    found: dict[tuple[str, ...], bool] = {}
    for name, called, marked in _names(text[:LONGEST]):
        parts = tuple(_JOINT.split(name))
        # A plain word is only taken as a name where it stands between code marks.
        sure = called or shaped(parts[-1]) or (marked and len(parts) > 1)
        if sure or marked:
            found[parts] = found.get(parts, False) or sure
    return [Named(parts, sure) for parts, sure in found.items()][:MOST]


def name_of(text: str) -> Named:
    """A name that was given as one of code."""
    name = text.strip().partition("(")[0]
    return Named(tuple(part for part in _JOINT.split(name) if part) or ("",), sure=True)


def _names(text: str) -> Iterator[tuple[str, bool, bool]]:
    """Names, whether each is called, and whether it is marked as code."""
    for span in _SPAN.finditer(text):
        if name := _WRITTEN.fullmatch(span[1].strip()):
            yield name[1], bool(name[2]), True
    # Spans are taken out first, so that what they hold is not found a second time without its marks.
    for name in _BARE.finditer(_SPAN.sub(" ", text)):
        yield name[1], bool(name[2]), False


def names_in(text: str) -> list[str]:
    """The plain names in a text that code may have: symbols, and options or settings with hyphens."""
    found: dict[str, None] = {}
    for name, called, marked in _names(text[:LONGEST]):
        *owners, last = _JOINT.split(name)
        found |= dict.fromkeys(one for one in owners if marked or shaped(one))
        found |= {last: None} if called or marked or shaped(last) else {}
    hyphenated = (one[1] or one[2] for one in _OPTION.finditer(text[:LONGEST]))
    found |= dict.fromkeys(hyphenated)
    # Of two letters there are too many in any code.
    return [one for one in found if len(one) >= _SHORTEST][:MOST]


def shaped(name: str) -> bool:
    """Whether a name is one of several words, as in code: `open_store`, `openStore`, `OpenStore`."""
    bare = name.strip("_$")
    return len(bare) >= _SHAPED and ("_" in bare or _HUMPS.search(bare) is not None)


def places(text: str) -> list[At]:
    """The places in a text, each once, in their order: `PATH:LINE`, and how stack traces write it."""
    found = (At(one[1].replace("\\", "/"), int(one[2])) for one in _PLACE.finditer(text[:LONGEST]))
    return list(dict.fromkeys(found))[:MOST]


# -- what the changes of a commit say took a name's place


LEAST_SHARE = 0.5
"""Of the lines with the old name that a commit removed, how many must have the new one in its place."""
LEAST_ALONE = 0.8
"""Of the lines where a name took its place, how many must have the same one: otherwise it was split."""
TWICE = 2
"""Places where the name was exchanged, where none of them declares it."""
MOST_CHANGED_LINES = 200
"""Lines of one change among which the likest one is looked for."""
LEAST_LIKE = 0.5
_LONGEST_LINE = 500
_SHORTEST_NEW = 3
_TOKEN = re.compile(r"\w+|[^\w\s]")
_HYPHENATED = re.compile(r"\w+(?:-\w+)*|[^\w\s]")
_WORD_OF_CODE = re.compile(r"[^\W\d][\w-]*")
_DECLARES = (
    r"\b(?:def|class|fn|func|fun|function|type|interface|struct|enum|trait|union|object|record|const|let|var|"
    r"val|static|mod|module|namespace|package|macro_rules!|typedef|define|public|private|protected|internal)"
    r"\b[^=;,(]*(?:\([^)]*\)\s*)?"
)


class Replaced(NamedTuple):
    """The name that took an old one's place, and whether a line that declares the old one shows it."""

    new: str
    declared: bool


def replaced_in(old: str, hunks: Iterable[Hunk]) -> Replaced | None:
    """What took a name's place in most of the lines that a commit took it from; None where nothing did.

    Args:
        old: the name, a word of code or several with hyphens.
        hunks: of the commit.
    """
    # A hyphen is part of an option's name, so that `dry-run` is not found in `no-dry-run`.
    whole = re.compile(
        rf"(?<!\w)(?<!\w-){re.escape(old)}(?![\w-])" if "-" in old else rf"\b{re.escape(old)}\b"
    )
    field = rf"^\s*(?:pub(?:\([a-z]+\))?\s+)?[\"']?{re.escape(old)}[\"']?\s*[:=(]"
    declares = re.compile(rf"{_DECLARES}\b{re.escape(old)}\b|{field}")
    removed, votes, declared = 0, Counter[str](), set[str]()
    for hunk in hunks:
        for place, line in enumerate(hunk.removed):
            if len(line) > _LONGEST_LINE or not whole.search(line):
                continue
            removed += 1
            if new := _partner(old, line, place, hunk):
                votes[new] += 1
                if declares.search(line):
                    declared.add(new)
    if not votes:
        return None
    ((new, count),) = votes.most_common(1)
    split = count < LEAST_ALONE * votes.total()
    if split or count < LEAST_SHARE * removed or (count < TWICE and new not in declared):
        return None
    return Replaced(new, new in declared)


def _partner(old: str, line: str, place: int, hunk: Hunk) -> str:
    """The name that stands where the old one stood, in the added line that is likest."""
    token = _HYPHENATED if "-" in old else _TOKEN
    before, found = token.findall(line), list[tuple[float, str]]()
    same = len(hunk.removed) == len(hunk.added)
    # Where as many lines came as went, each stands for the one at its place.
    lines: Sequence[str] = hunk.added[place : place + 1] if same else hunk.added[:MOST_CHANGED_LINES]
    for other in lines:
        after = token.findall(other[:_LONGEST_LINE])
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        if same or matcher.ratio() >= LEAST_LIKE:
            found += [(matcher.ratio(), new) for new in _exchanged(old, before, after, matcher)]
    return max(found, default=(0.0, ""))[1]


def _exchanged(
    old: str, before: Sequence[str], after: Sequence[str], matcher: SequenceMatcher[str]
) -> Iterator[str]:
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "replace" and b - a == d - c and old in before[a:b]:
            new = after[c + before[a:b].index(old)]
            # A change of case alone, or to one or two letters, shows no new name.
            if len(new) >= _SHORTEST_NEW and new.lower() != old.lower() and _WORD_OF_CODE.fullmatch(new):
                yield new
