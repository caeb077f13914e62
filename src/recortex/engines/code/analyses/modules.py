"""Which file of a project imports which other, from import statements and paths alone.

C# names namespaces, not files, and is left out. A name that could mean several files means none.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from recortex.domain.code_facts import FileFacts, Import
    from recortex.engines.code.sources import Project

_ENDINGS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts")
_ALIAS = re.compile(r"^(?:@|~|#)/")


class Modules:
    """The files of a project by the names under which others import them."""

    def __init__(self, project: Project) -> None:
        self.paths = project.files
        self.suffixes: dict[str, list[str]] = defaultdict(list)
        self.types: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.folders: dict[str, list[str]] = defaultdict(list)
        for path, facts in project.files.items():
            parts = path.split("/")
            for depth in range(len(parts)):
                self.suffixes["/".join(parts[depth:])].append(path)
            if facts.language in {"java", "php"}:
                for symbol in facts.symbols:
                    if "." not in symbol.name.removeprefix(f"{facts.module}.").strip("."):
                        self.types[facts.module, symbol.plain].append(path)
            if facts.language == "go":
                self.folders[path.rpartition("/")[0]].append(path)

    def imports(self, path: str, facts: FileFacts) -> Iterator[str]:
        """The files of the project that a file imports, itself left out."""
        find = _FINDERS.get(facts.language)
        if find is not None:
            found = {other for one in facts.imports for other in find(self, path, one)}
            yield from sorted(found - {path})

    def only(self, suffix: str) -> str | None:
        """The one file whose path ends so; None where there is none, or several."""
        found = self.suffixes.get(suffix, ())
        return found[0] if len(found) == 1 else None


def import_graph(project: Project) -> Mapping[str, tuple[str, ...]]:
    """The files that each file imports."""
    modules = Modules(project)
    return {path: tuple(modules.imports(path, facts)) for path, facts in project.files.items()}


def _ecma(modules: Modules, path: str, one: Import) -> Iterator[str]:
    if one.module.startswith("."):
        base = posixpath.normpath(posixpath.join(posixpath.dirname(path), one.module))
        candidates = [base, re.sub(r"\.[mc]?jsx?$", "", base)]
        names = [f"{start}{ending}" for start in candidates for ending in _ENDINGS]
        names += [f"{start}/index{ending}" for start in candidates for ending in _ENDINGS[1:]]
        yield from [name for name in names if name in modules.paths][:1]
    elif alias := _ALIAS.match(one.module):
        rest = one.module[alias.end() :]
        names = [f"{rest}{ending}" for ending in _ENDINGS] + [f"{rest}/index{one}" for one in _ENDINGS[1:]]
        yield from [found for name in names if (found := modules.only(name))][:1]


def _python(modules: Modules, path: str, one: Import) -> Iterator[str]:
    if one.module.startswith("."):
        dots = len(one.module) - len(one.module.lstrip("."))
        parts = path.split("/")[:-dots] + [part for part in one.module.lstrip(".").split(".") if part]
    else:
        parts = one.module.split(".")
    for names in ([*parts, one.name], parts) if one.name not in {"", "*"} else (parts,):
        stem = "/".join(names)
        for suffix in (f"{stem}.py", f"{stem}/__init__.py"):
            found = suffix if suffix in modules.paths else None
            found = found or (
                modules.only(suffix) if not one.module.startswith(".") and len(names) > 1 else None
            )
            if found:
                yield found
                return


def _types(modules: Modules, _path: str, one: Import) -> Iterator[str]:
    found = modules.types.get((one.module, one.name), ())
    if len(found) == 1:
        yield found[0]


def _go(modules: Modules, path: str, one: Import) -> Iterator[str]:
    parts = one.module.split("/")
    for start in range(1, len(parts)):
        folder = "/".join(parts[start:])
        if folder in modules.folders and "." in parts[0]:
            yield from (other for other in modules.folders[folder] if not other.endswith("_test.go"))
            return


def _rust(modules: Modules, path: str, one: Import) -> Iterator[str]:
    whole = f"{one.module}::{one.name}" if one.name else one.module
    if not whole.startswith("crate::"):
        return
    root = path.rpartition("src/")[0] + "src"
    parts = whole.split("::")[1:]
    for end in range(len(parts), 0, -1):
        stem = f"{root}/{'/'.join(parts[:end])}"
        found = next((name for name in (f"{stem}.rs", f"{stem}/mod.rs") if name in modules.paths), None)
        if found:
            yield found
            return


def _include(modules: Modules, path: str, one: Import) -> Iterator[str]:
    if not one.module.startswith("<"):
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), one.module))
        found = beside if beside in modules.paths else modules.only(one.module)
        if found:
            yield found


_FINDERS: Mapping[str, Callable[[Modules, str, Import], Iterator[str]]] = {
    "typescript": _ecma,
    "javascript": _ecma,
    "python": _python,
    "java": _types,
    "php": _types,
    "go": _go,
    "rust": _rust,
    "c": _include,
    "cpp": _include,
}
