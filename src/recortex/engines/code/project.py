"""The facts of all files of a project, found by path and by name, and where an import leads."""

from __future__ import annotations

import posixpath
import re
import sys
from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.code import CONTAINERS, NOWHERE, FileFacts, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recortex.domain.code import Manifest


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
                # Of two folders that a manifest calls the same, the first one found is kept.
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
        # One file of C# may have several namespaces, beside the one of the whole file.
        spaces = {one.owner for one in facts.symbols if one.parent < 0}
        return sorted({facts.module, *spaces})
    return [facts.module]


def crate_root(path: str) -> str:
    """The folder of the crate that a file of Rust belongs to, as far as its path says."""
    # A crate's sources, tests, examples and benches lie beside each other in its folder (Cargo's layout).
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
    # Here a field is named without its instance, so that `name` may be `self.name`.
    names = {name, f"self.{name}"} if facts.language in OPEN_TYPES else {name}
    around, places = type_around(facts, at), list(scopes(facts, at))
    if around is not None and around not in places:
        places.append(around)
    for scope in [*places, NOWHERE]:
        found = {one.type for one in facts.bindings if one.scope == scope and one.name in names}
        if found:
            # Two types of one variable: which of them holds at the place is not known from facts.
            return found.pop() if len(found) == 1 else ""
    return None


# -- A project as detection and analyses see it: which files are tests, or stand aside of the product


_TEST_FOLDER = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing|testdata|test[-_]\w+|e2e|cypress|__mocks__|conftest"
    r"|[\w.]*\.?(?:Unit|Integration|Functional|Acceptance|End2End)?Tests?)/"
)
_TEST_FILE = re.compile(
    r"(?:^|/)(?:test_[^/]+\.(?:py|c|cc|cpp)|tests?\.(?:py|rs)|conftest\.py"
    r"|[^/]+_(?:test|tests|unittest|spec)\.\w+"
    r"|[^/]+[.-](?:test|spec|e2e-spec|cy)\.\w+|[^/]*(?:Test|Tests|IT|TestCase|Specs?)\.(?:java|cs|php|cpp))$"
)
_PACKAGES = re.compile(r"(?<=src/main/)|(?<=/)(?=(?:com|org|net|io)/[^/]+/)")
_ASIDE = re.compile(
    r"(?:^|/)(?:examples?|samples?|docs?|docs_src|documentation|website|benchmarks?|bench|fixtures?|stories|"
    r"templates?|"
    r"\.storybook|playground|demos?|third_party|vendor|external)/",
    re.IGNORECASE,
)


class Member(NamedTuple):
    """A symbol in its file.

    Attributes:
        path: of the file.
        facts: of the file.
        at: the index of the symbol in them.
    """

    path: str
    facts: FileFacts
    at: int

    @property
    def symbol(self) -> Symbol:
        """The symbol itself."""
        return self.facts.symbols[self.at]


class Sources(NamedTuple):
    """What is known of a project.

    Attributes:
        files: facts of its files by path; those of manifests are only looked at to find modules.
        manifests: those that were read.
        paths: of all its files, also those that are no code.
    """

    files: Mapping[str, FileFacts]
    manifests: Sequence[Manifest] = ()
    paths: Sequence[str] = ()

    @property
    def code(self) -> dict[str, FileFacts]:
        """The files of code that were read."""
        return {
            path: facts
            for path, facts in self.files.items()
            if not facts.skipped and facts.language != MANIFEST
        }


@lru_cache(maxsize=65_536)
def is_test(path: str) -> bool:
    """Whether a file is a test, or helps tests, by its path."""
    return _TEST_FILE.search(path) is not None or _TEST_FOLDER.search(_above_packages(path)) is not None


def product(paths: Iterable[str]) -> set[str]:
    """The files that are neither tests nor examples, documentation or other people's.

    A repository that is nothing but examples is a product itself: there only tests are left out.
    """
    plain = [path for path in paths if not is_test(path) and not path.startswith(".")]
    # Where everything stands aside, nothing does.
    return {path for path in plain if not _ASIDE.search(_above_packages(path))} or set(plain)


def _above_packages(path: str) -> str:
    """A path without folders that are packages of Java: `com.example` is where many projects begin."""
    return _PACKAGES.split(path, maxsplit=1)[0] if path.endswith(".java") else path


# -- where an import leads: to files of the project, or out of it


_ECMA_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
_WRITTEN_AS = ((".js", ".ts"), (".js", ".tsx"), (".jsx", ".tsx"), (".mjs", ".mts"), (".cjs", ".cts"))
_C_STANDARD = frozenset(
    """
    assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign
    stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar
    wchar wctype unistd fcntl pthread sys/types sys/stat sys/socket dirent dlfcn netdb poll sched
    semaphore strings
    """.split()
)
_SOURCE_ROOTS = ("", "src", "lib", "python", "app")


class Place(NamedTuple):
    """Where a module is.

    Attributes:
        paths: its files in the project.
        outside: the package that it belongs to, where it is none of the project's; empty where it is, or
            where nothing is known.
    """

    paths: tuple[str, ...] = ()
    outside: str = ""


def find_module(project: Project, path: str, module: str) -> Place:
    """Where a module is that a file names.

    Args:
        project: all files.
        path: of the file that imports.
        module: as written there.
    """
    language = project.files[path].language
    match language:
        case "python":
            return _python(project, path, module)
        case "javascript" | "typescript":
            return _ecma(project, path, module)
        case "go":
            return _go(project, module)
        case "rust":
            return _rust(project, path, module)
        case "c" | "cpp":
            return _c_family(project, path, module)
        case _:
            return _declared(project, language, module)


# -- Python


def _python(project: Project, path: str, module: str) -> Place:
    folder = path.rpartition("/")[0]
    if module.startswith("."):
        inner = module.lstrip(".")
        base = folder
        # The first dot is the folder itself, each further one the folder above it.
        for _ in range(len(module) - len(inner) - 1):
            base = base.rpartition("/")[0]
        return Place(tuple(_python_files(project, _joined(base, inner.replace(".", "/")))))
    root = module.partition(".")[0]
    # Nearly always the library is meant, although a project may have a module of the same name.
    if root in sys.stdlib_module_names:
        return Place(outside=root)
    inner = module.replace(".", "/")
    for base in _python_roots(project, folder, root):
        found = tuple(_python_files(project, _joined(base, inner)))
        if found:
            return Place(found)
    # Of a package that is the project's, a module that was not found may be generated or of compiled code.
    known = any(True for _ in _python_roots(project, folder, root))
    return Place() if known else Place(outside=root)


def _python_roots(project: Project, folder: str, root: str) -> Iterator[str]:
    """The folders from which a top-level module can be imported, the likeliest first."""
    seen = set()
    above = folder
    while True:
        # A package is imported from the folder above its topmost `__init__.py`, so that this is no root.
        if above not in seen and _is_there(project, _joined(above, root)) and not _is_package(project, above):
            seen.add(above)
            yield above
        if not above:
            break
        above = above.rpartition("/")[0]
    for base in _SOURCE_ROOTS:
        if base not in seen and _is_there(project, _joined(base, root)):
            seen.add(base)
            yield base
    for start in sorted(project.folders):
        base, _, last = start.rpartition("/")
        if (
            last == root
            and base not in seen
            and _is_package(project, start)
            and not _is_package(project, base)
        ):
            seen.add(base)
            yield base


def _is_package(project: Project, folder: str) -> bool:
    return f"{folder}/__init__.py" in project.files if folder else "__init__.py" in project.files


def _is_there(project: Project, place: str) -> bool:
    return (
        f"{place}.py" in project.files
        or f"{place}.pyi" in project.files
        or (place in project.folders or f"{place}/__init__.py" in project.files)
    )


def _python_files(project: Project, place: str) -> Iterator[str]:
    for ending in (".py", "/__init__.py", ".pyi", "/__init__.pyi"):
        if (name := f"{place}{ending}".lstrip("/")) in project.files:
            yield name
            return


# -- JavaScript and TypeScript


def _ecma(project: Project, path: str, module: str) -> Place:
    folder = path.rpartition("/")[0]
    if module.startswith("."):
        place = posixpath.normpath(_joined(folder, module))
        return Place(() if place.startswith("..") else tuple(_ecma_files(project, place)))
    # Aliases that many projects set in their bundler or `tsconfig.json`, neither of which is read.
    if module.startswith(("@/", "~/", "src/")):
        inner = module.partition("/")[2]
        above = folder
        while True:
            for base in (_joined(above, "src"), above):
                if found := tuple(_ecma_files(project, _joined(base, inner))):
                    return Place(found)
            if not above:
                return Place()
            above = above.rpartition("/")[0]
    parts = module.split("/")
    name = "/".join(parts[: 2 if module.startswith("@") else 1])
    if name in project.names["package.json"]:
        home = project.names["package.json"][name]
        rest = module[len(name) + 1 :]
        # A package of a workspace is imported by its name, and its sources mostly lie in `src`.
        for inner in (rest, f"src/{rest}") if rest else ("src/index", "index", "lib/index"):
            if found := tuple(_ecma_files(project, _joined(home, inner))):
                return Place(found)
        return Place()
    return Place(outside=name.removeprefix("node:"))


def _ecma_files(project: Project, place: str) -> Iterator[str]:
    names = [place, *(place + ending for ending in _ECMA_ENDINGS)]
    # TypeScript names a module by the file that it will be compiled to.
    names += [place.removesuffix(said) + meant for said, meant in _WRITTEN_AS if place.endswith(said)]
    names += [_joined(place, f"index{ending}") for ending in _ECMA_ENDINGS]
    yield from (name for name in names if name in project.files)


# -- languages whose files say where they belong


def _declared(project: Project, language: str, module: str) -> Place:
    """Java, C# and PHP: by the packages and namespaces that files declare; `a.b.C` also names a type."""
    if paths := project.paths_of(language, module):
        return Place(tuple(paths))
    outer, _, name = module.rpartition(".")
    inside = [one.path for one in project.in_module(language, outer, name)] if outer or name else []
    if inside:
        return Place(tuple(dict.fromkeys(inside)))
    return Place(outside=module)


def _go(project: Project, module: str) -> Place:
    for name, folder in project.names["go.mod"].items():
        if module == name or module.startswith(f"{name}/"):
            inner = _joined(folder, module[len(name) + 1 :])
            return Place(tuple(project.paths_of("go", inner)))
    return Place(outside=module)


# -- Rust


def _rust(project: Project, path: str, module: str) -> Place:
    parts = [part for part in module.split("::") if part]
    crate = crate_root(path)
    if not parts:
        return Place()
    if parts[0] == "crate":
        return _rust_files(project, _joined(crate, "src"), parts[1:])
    if parts[0] in {"self", "super"}:
        base = _rust_inner(path)
        while parts and parts[0] in {"self", "super"}:
            base = base if parts[0] == "self" else base.rpartition("/")[0]
            parts = parts[1:]
        return _rust_files(project, base, parts)
    if parts[0] in project.names["Cargo.toml"]:
        home = project.names["Cargo.toml"][parts[0]]
        return _rust_files(project, _joined(home, "src"), parts[1:])
    # In the 2018 edition a path may begin with a submodule of the current one.
    near = _rust_files(project, _rust_inner(path), parts, least=1)
    return near if near.paths else Place(outside=parts[0])


def _rust_inner(path: str) -> str:
    """The folder of a module's submodules."""
    folder, _, name = path.rpartition("/")
    plain = name.removesuffix(".rs")
    return folder if plain in {"mod", "lib", "main"} else _joined(folder, plain)


def _rust_files(project: Project, base: str, parts: list[str], least: int = 0) -> Place:
    """The file of a module; what is left of the path may be modules, types or functions within it."""
    # The longest path that is a file; what is left may be an item in it.
    for length in range(len(parts), least - 1, -1):
        place = "/".join([*([base] if base else []), *parts[:length]])
        names = [f"{place}.rs", f"{place}/mod.rs"]
        if not length:
            names = [f"{base}/lib.rs", f"{base}/main.rs", f"{base}/mod.rs", f"{base}.rs"]
        found = tuple(name.lstrip("/") for name in names if name.lstrip("/") in project.files)
        if found:
            return Place(found if length or not parts else found[:1])
    return Place()


# -- C and C++


def _c_family(project: Project, path: str, module: str) -> Place:
    name = module.strip("<>")
    folder = path.rpartition("/")[0]
    # Headers of C++'s library have no ending.
    if module.startswith("<") and (name.removesuffix(".h") in _C_STANDARD or "." not in name):
        return Place(outside=name)
    near = posixpath.normpath(_joined(folder, name))
    if near in project.files and not module.startswith("<"):
        return Place((near,))
    # Paths to include are set by the build, so any file whose path ends so may be meant: if it is the only
    # one.
    found = [one for one in project.headers(name.rpartition("/")[2]) if f"/{one}".endswith(f"/{name}")]
    if len(found) == 1:
        return Place(tuple(found))
    return Place() if found else Place(outside=name)


def _joined(base: str, inner: str) -> str:
    return f"{base}/{inner}" if base and inner else base or inner
