"""Manifests: which libraries a project says that it uses, and on which line.

Pure parsing of texts; nothing is fetched or resolved. A manifest that cannot be read is reported in its
`problem` and never ends anything.
"""

from __future__ import annotations

import ast
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from recortex.codebase.git import branch_and_commit, isolated
from recortex.domain.code import Dependency, FileFacts, Import, Manifest
from recortex.domain.text import lazy, read_toml
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular

LARGEST = 1024 * 1024
"""Characters of a manifest that is read."""
LARGEST_SETUP = 128 * 1024
"""Characters of a `setup.py`, which is parsed as code: hostile ones take a second for each 128 kB."""
LONGEST_LINE = 500
"""Characters of a requirement."""
MOST_TRIES = 100
"""Places at which a name is looked for as a word of its own."""
MOST_DEPENDENCIES = 5_000
NPM_PARTS = ("dependencies", "devDependencies", "peerDependencies")
CARGO_PARTS = ("dependencies", "dev-dependencies")
_Found = Iterator[tuple[str, str, bool]]
"""Name, version, and whether it is only needed by another library."""
_Entries = Iterator[tuple[str, Any]]
_MALFORMED = (ValueError, SyntaxError, AttributeError, TypeError, RecursionError, MemoryError, ET.ParseError)
_IN_WORD = re.compile(r"[\w-]")
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?:\(?\s*([<>=!~^][^;#)]*))?")
_GRADLE = re.compile(r"""["']([\w.-]+:[\w.-]+)(?::([\w.$\{\}-]+))?(?:@\w+)?["']""")
_GRADLE_PLUGIN = re.compile(
    r"""\bid\b\s*(?:\(\s*)?["']([\w.-]+)["'](?:\s*\))?(?:\s+version\s+["']([\w.-]+)["'])?"""
    r"""|\bapply plugin:\s*["']([\w.-]+)["']"""
)
_GRADLE_PARTS = re.compile(r"""group\s*[:=]\s*["']([\w.-]+)["']\s*,\s*name\s*[:=]\s*["']([\w.-]+)["']""")
_GO = re.compile(
    r"^[ \t]*(?:require[ \t]+)?([\w.-]{1,200}\.[\w.-]{1,200}/[^\s()]{1,400})"
    r"[ \t]+(v[^\s/]+)[ \t]*(//[ \t]*indirect)?",
    re.MULTILINE,
)
_CMAKE = re.compile(
    r"\b(?:find_package|find_dependency|FetchContent_Declare|FetchContent_MakeAvailable|pkg_check_modules"
    r"|CPMAddPackage|CPMFindPackage|ExternalProject_Add|add_subdirectory)\s*\(\s*([^)]*)",
    re.IGNORECASE,
)
_CMAKE_LINK = re.compile(r"\btarget_link_libraries\s*\(([^)]*)", re.IGNORECASE)
_CMAKE_WORD = re.compile(r"[\w./:#@+-]+")
_QMAKE = re.compile(r"^[ \t]*(?:greaterThan\([^)\n]*\)[ \t]*:[ \t]*)?QT[ \t]*\+?=[ \t]*(\S.*)$", re.MULTILINE)
_CONAN = re.compile(
    r"""(?:^|["'])[ \t]*([a-z0-9][\w.+-]*)/([\w.\[\]<>=~*+-]+)(?:@[\w./]*)?(?:["']|\s*$)""", re.MULTILINE
)
_MESON = re.compile(r"""\bdependency\(\s*["']([\w.+-]+)["']""")


def ecosystem_of(path: str) -> str:
    """The ecosystem of a manifest by its name; empty: it is none."""
    return next((ecosystem for form, ecosystem, _ in _READERS if _is(form, path)), "")


def _is(form: str, path: str) -> bool:
    return re.fullmatch(f"(?:.*/)?(?:{form})", path, re.IGNORECASE) is not None


def read_manifest(path: str, text: str) -> Manifest | None:
    """What a manifest says; None where the name is none of a manifest.

    Args:
        path: from the project's root, with slashes.
        text: of the file.
    """
    known = next(((ecosystem, reader) for form, ecosystem, reader in _READERS if _is(form, path)), None)
    if known is None:
        return None
    ecosystem, reader = known
    if len(text) > LARGEST:
        return Manifest(path, ecosystem, problem="larger than 1 MB")
    try:
        rows = [row for row in reader(text) if row[0]]
    except _MALFORMED as error:
        said = str(error)[:200] or type(error).__name__
        return Manifest(path, ecosystem, problem=f"cannot be read: {said}")
    problem = f"only the first {MOST_DEPENDENCIES} are read" if len(rows) > MOST_DEPENDENCIES else ""
    return Manifest(path, ecosystem, tuple(_with_lines(rows[:MOST_DEPENDENCIES], text, ecosystem)), problem)


def _with_lines(rows: Iterable[tuple[str, str, bool]], text: str, ecosystem: str) -> Iterator[Dependency]:
    lowered = text.lower()
    known: dict[str, int] = {}
    for name, version, indirect in rows:
        # A `pom.xml` has group and artifact on two lines: that of the artifact is told.
        part = name.rpartition(":")[2] if ecosystem == "maven" else name
        if part not in known:
            place = _place(part.lower(), lowered)
            known[part] = lowered.count("\n", 0, place) + 1 if place >= 0 else 1
        yield Dependency(_plain(name, ecosystem)[:200], version.strip()[:80], known[part], indirect)


def _place(name: str, text: str) -> int:
    """Where a name stands as a word of its own; its first place where it never does."""
    first = place = text.find(name)
    for _ in range(MOST_TRIES):
        before, after = text[place - 1 : place], text[place + len(name) : place + len(name) + 1]
        if place < 0 or not (_IN_WORD.match(before) or before in {"@", "/"} or _IN_WORD.match(after)):
            break
        place = text.find(name, place + 1)
    return place if place >= 0 else first


def _plain(name: str, ecosystem: str) -> str:
    if ecosystem == "pypi":
        # As PEP 503 compares names.
        return re.sub(r"[-_.]+", "-", name).lower()
    return name.lower() if ecosystem in {"nuget", "composer", "cpp"} else name


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def entries(data: Any, parts: Iterable[str]) -> _Entries:
    """What some tables of a manifest name, with what they say of it; a part that is no table has nothing."""
    for part in parts:
        yield from _mapping(_mapping(data).get(part)).items()


def go_modules(text: str) -> list[tuple[str, str, str]]:
    """The modules that a `go.mod` requires: name, version, and a comment where another one needs it."""
    return _GO.findall(text)


def _version(value: Any) -> str:
    if isinstance(value, str):
        return value
    found = _mapping(value).get("version", "")
    return found if isinstance(found, str) else ""


def _vcpkg(text: str) -> _Found:
    for one in _mapping(json.loads(text)).get("dependencies", ()):
        name = one if isinstance(one, str) else _mapping(one).get("name")
        if isinstance(name, str):
            yield name, _version(_mapping(one).get("version>=")), False


def _requirement(line: Any) -> _Found:
    found = _REQUIREMENT.match(" ".join(line[:LONGEST_LINE].split())) if isinstance(line, str) else None
    if found:
        yield found[1], (found[2] or "").strip(), False


def _requirements(text: str) -> _Found:
    for line in text.splitlines():
        if not line.lstrip().startswith(("#", "-")):
            yield from _requirement(line)


def _pyproject(text: str) -> _Found:
    data = read_toml(text)
    project, tool = _mapping(data.get("project")), _mapping(data.get("tool"))
    groups = [project.get("dependencies", ()), *_mapping(project.get("optional-dependencies")).values()]
    for group in [*groups, *_mapping(data.get("dependency-groups")).values()]:
        for one in group:
            yield from _requirement(one)
    poetry = _mapping(tool.get("poetry"))
    tables = [poetry.get("dependencies"), poetry.get("dev-dependencies")]
    tables += [_mapping(one).get("dependencies") for one in _mapping(poetry.get("group")).values()]
    for table in tables:
        for name, value in _mapping(table).items():
            yield name, _version(value), False


def _setup_py(text: str) -> _Found:
    if len(text) > LARGEST_SETUP:
        raise ValueError("it is larger than 128 kB")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword) and node.arg in {
            "install_requires",
            "extras_require",
            "tests_require",
        }:
            for one in ast.walk(node.value):
                if isinstance(one, ast.Constant):
                    yield from _requirement(one.value)


def _setup_cfg(text: str) -> _Found:
    for part in re.findall(r"^(?:install_requires|\w+)\s*=\s*\n((?:[ \t]+\S.*\n?)+)", text, re.MULTILINE):
        for line in part.splitlines():
            yield from _requirement(line.strip())


def _cargo(text: str) -> _Found:
    data = read_toml(text)
    places = [data, _mapping(data.get("workspace")), *_mapping(data.get("target")).values()]
    for place in places:
        for name, value in entries(place, (*CARGO_PARTS, "build-dependencies")):
            yield str(_mapping(value).get("package", name)), _version(value), False


def _xml(text: str) -> ET.Element:
    # Entities made of entities can take all memory ("billion laughs").
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ValueError("it declares entities, which are not read")
    return ET.fromstring(text.lstrip("\ufeff \r\n\t"))  # noqa: S314


def _local(tag: object) -> str:
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _pom(text: str) -> _Found:
    for one in _xml(text).iter():
        # A parent or a plug-in brings libraries along, as those of Spring Boot do.
        if _local(one.tag) in {"dependency", "parent", "plugin"}:
            said = {_local(child.tag): (child.text or "").strip() for child in one}
            if "artifactId" in said:
                yield f"{said.get('groupId', '')}:{said['artifactId']}", said.get("version", ""), False


def _gradle(text: str) -> _Found:
    plain = re.sub(r"(?m)^[ \t]*//.*$", "", text)
    for name, version in _GRADLE.findall(plain):
        yield name, version, False
    for name, version, applied in _GRADLE_PLUGIN.findall(plain):
        yield f"plugin:{name or applied}", version, False
    for group, name in _GRADLE_PARTS.findall(plain):
        yield f"{group}:{name}", "", False


def _version_catalog(text: str) -> _Found:
    data = read_toml(text)
    for value in _mapping(data.get("libraries")).values():
        whole = value if isinstance(value, str) else _mapping(value).get("module")
        if whole is None:
            whole = f"{_mapping(value).get('group', '')}:{_mapping(value).get('name', '')}"
        group, name, version = (*str(whole).split(":"), "", "")[:3]
        yield f"{group}:{name}", version or _version(value), False
    for value in _mapping(data.get("plugins")).values():
        name = value if isinstance(value, str) else str(_mapping(value).get("id", ""))
        yield f"plugin:{name}", _version(value), False


def _msbuild(text: str) -> _Found:
    root = _xml(text)
    for sdk in str(root.get("Sdk", "")).split(";"):
        if sdk:
            yield sdk.partition("/")[0], "", False
    for one in root.iter():
        kind = _local(one.tag)
        if kind in {"PackageReference", "PackageVersion", "FrameworkReference", "GlobalPackageReference"}:
            version = one.get("Version") or next(
                (c.text or "" for c in one if _local(c.tag) == "Version"), ""
            )
            yield one.get("Include") or one.get("Update") or "", version, False
        elif kind == "package":
            yield one.get("id", ""), one.get("version", ""), False


def _cmake(text: str) -> _Found:
    # A `#` before a version belongs to a package, as in `gh:owner/name#1.2`.
    plain = re.sub(r"(?m)#(?!v?\d).*$", "", text)
    for inner in (*_CMAKE.findall(plain), *_CMAKE_LINK.findall(plain)):
        for word in _CMAKE_WORD.findall(inner):
            yield word, "", False


def _qmake(text: str) -> _Found:
    for line in _QMAKE.findall(text):
        for word in line.partition("#")[0].split():
            yield f"Qt::{word}", "", False


def _tables(read: Callable[[str], Any], *parts: str) -> Callable[[str], _Found]:
    """A reader of a manifest that names libraries in tables of these names."""

    def reader(text: str) -> _Found:
        for name, version in entries(read(text.removeprefix("\ufeff")), parts):
            yield name, _version(version), False

    return reader


def _lines(form: re.Pattern[str]) -> Callable[[str], _Found]:
    """A reader of a manifest in which an expression finds names and, by its second group, versions."""

    def reader(text: str) -> _Found:
        for found in form.finditer(text):
            version, indirect = (*found.groups()[1:], "", "")[:2]
            yield found[1], version, bool(indirect)

    return reader


_READERS: tuple[tuple[str, str, Callable[[str], _Found]], ...] = (
    (r"package\.json", "npm", _tables(json.loads, *NPM_PARTS, "optionalDependencies")),
    (r"pyproject\.toml", "pypi", _pyproject),
    (r"(?:[\w.-]*-)?requirements(?:[-_.][\w.-]+|/[\w.-]+)?\.(?:txt|in)", "pypi", _requirements),
    (r"Pipfile", "pypi", _tables(read_toml, "packages", "dev-packages")),
    (r"setup\.py", "pypi", _setup_py),
    (r"setup\.cfg", "pypi", _setup_cfg),
    (r"go\.mod", "go", _lines(_GO)),
    (r"Cargo\.toml", "cargo", _cargo),
    (r"pom\.xml", "maven", _pom),
    (r"[\w.-]+\.gradle(?:\.kts)?", "maven", _gradle),
    (r"[\w.-]*libs\.versions\.toml", "maven", _version_catalog),
    (r".+\.(?:cs|fs|vb)proj|Directory\.(?:Packages|Build)\.props|packages\.config", "nuget", _msbuild),
    (r"composer\.json", "composer", _tables(json.loads, "require", "require-dev")),
    (r"CMakeLists\.txt|.+\.cmake", "cpp", _cmake),
    (r".+\.pr[oi]", "cpp", _qmake),
    (r"conanfile\.(?:txt|py)", "cpp", _lines(_CONAN)),
    (r"vcpkg\.json", "cpp", _vcpkg),
    (r"meson\.build", "cpp", _lines(_MESON)),
)


# -- the commands that a project declares: scripts of its manifests, targets of make, recipes of just


_TARGETS = lazy(r"^([\w.-][\w. -]{0,200}):(?!=)", re.MULTILINE)
_RECIPES = lazy(r"^(?:@?([\w-]{1,80})(?![\w-])[^:=\n]{0,200}:(?!=)|alias ([\w-]{1,80}) *:=)", re.MULTILINE)
_ELSEWHERE = lazy(
    r"^ *-?(?:include|import\??|mod\??)\s|^[^\t#:=\n%$]{0,200}[%$][^:=\n]{0,200}:(?!=)", re.MULTILINE
)
"""Takes in another file, or makes what a pattern or a variable names: what is declared cannot be listed."""


def _scripts(text: str) -> frozenset[str] | None:
    found = json.loads(text)
    scripts = found.get("scripts") if isinstance(found, dict) else None
    return frozenset(scripts) if isinstance(scripts, dict) else frozenset()


def _targets(text: str) -> frozenset[str] | None:
    if _ELSEWHERE.search(text):
        return None
    return frozenset(word for names in _TARGETS.findall(text) for word in names.split())


def _recipes(text: str) -> frozenset[str] | None:
    if _ELSEWHERE.search(text):
        return None
    return frozenset(recipe or alias for recipe, alias in _RECIPES.findall(text))


@dataclass(frozen=True, slots=True)
class Runner:
    """A program that runs what a project declares.

    Attributes:
        call: how a command calls it, with the name that must be declared.
        manifests: the names of the files that declare.
        names: what the text of one declares; None where that cannot be listed. It raises ValueError for a
            text of another form.
    """

    call: re.Pattern[str]
    manifests: tuple[str, ...]
    names: Callable[[str], frozenset[str] | None]


RUNNERS = (
    Runner(lazy(r"^(?:npm|pnpm|yarn|bun) run\s+([\w:.-]+)"), ("package.json",), _scripts),
    Runner(lazy(r"^composer (?:run|run-script)\s+([\w:.-]+)"), ("composer.json",), _scripts),
    Runner(lazy(r"^make\s+([\w.-]+)\s*$"), ("Makefile", "makefile", "GNUmakefile"), _targets),
    Runner(lazy(r"^just\s+([A-Za-z_][\w-]*)(?:\s|$)"), ("justfile", "Justfile", ".justfile"), _recipes),
)


def called(command: str) -> tuple[Runner, str] | None:
    """Who runs a command, and the name that must be declared; None for what needs no declaration."""
    for runner in RUNNERS:
        if found := runner.call.match(command):
            return runner, found[1]
    return None


# -- whether the commands that a statement names are declared in the working tree


MOST_LISTED, MOST_READ = 8 * 1024 * 1024, 1024 * 1024
"""Bytes of git's list of files, and of a file that declares scripts."""
MOST_MANIFESTS = 50
"""Files that declare commands which are read in one pass."""


@dataclass(frozen=True)
class WorkingTree:
    """What a working tree declares, looked up when it is first asked for; without git it knows nothing."""

    root: Path
    _declared: dict[str, frozenset[str] | None] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def _paths(self) -> tuple[str, ...]:
        with isolated(self.root, branch_and_commit(self.root)[1]) as git:
            listing = ("ls-files", "--cached", "--others", "--exclude-standard")
            return git.lines(*listing, most=MOST_LISTED) if git else ()

    def lacks(self, command: str) -> bool:
        """Whether a command calls a script, target or recipe that no manifest of the tree declares."""
        found = called(command)
        if found is None:
            return False
        runner, name = found
        paths = [path for path in self._paths if PurePosixPath(path).name in runner.manifests]
        listed = [self._declares(path, runner) for path in paths[:MOST_MANIFESTS]]
        known = frozenset[str]().union(*(names for names in listed if names))
        # In a manifest that cannot be listed the name may be declared.
        return bool(known) and None not in listed and len(paths) <= MOST_MANIFESTS and name not in known

    def _declares(self, path: str, runner: Runner) -> frozenset[str] | None:
        if path not in self._declared:
            try:
                text = read_regular(self.root / path, MOST_READ).decode("utf-8", "replace")
                self._declared[path] = runner.names(text)
            except (OSError, UntrustedFileError, ValueError):
                self._declared[path] = None
        return self._declared[path]


# -- what a manifest calls the part of the project that it lies in, and what that depends on


MOST_DEPENDENCIES = 2_000
_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)


def package_facts(name: str, data: bytes) -> FileFacts:
    """The facts of a manifest: its name as `module`, dependencies as imports; none of one of another form."""
    try:
        module, needs = _PACKAGES[name](data.decode("utf-8", "replace"))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return FileFacts("manifest", whole=False)
    names = sorted({str(one)[:200] for one in needs})[:MOST_DEPENDENCIES]
    return FileFacts("manifest", module=module[:200], imports=tuple(Import(one, "", "", 0) for one in names))


def _go_module(text: str) -> tuple[str, Iterable[str]]:
    found = _MODULE.search(text)
    return (found[1] if found else "", [name for name, _, _ in go_modules(text)])


def _cargo_package(text: str) -> tuple[str, Iterable[str]]:
    given: dict[str, Any] = read_toml(text)
    name = str(given.get("package", {}).get("name", "")).replace("-", "_")
    return name, [key for key, _ in entries(given, CARGO_PARTS)]


def _npm_package(text: str) -> tuple[str, Iterable[str]]:
    given = json.loads(text)
    return str(given.get("name", "")), [key for key, _ in entries(given, NPM_PARTS)]


_PACKAGES: dict[str, Callable[[str], tuple[str, Iterable[str]]]] = {
    "go.mod": _go_module,
    "Cargo.toml": _cargo_package,
    "package.json": _npm_package,
}
MANIFESTS = frozenset(_PACKAGES)
