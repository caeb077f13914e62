"""Where an import leads: to files of the project, or out of it.

A module that cannot be found counts as outside only where its root is none of the project's: an import of the
project's own that leads nowhere is not known, and never something of the same name elsewhere.
"""

from __future__ import annotations

import posixpath
import sys
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.code.project import crate_root

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.engines.code.project import Project

_ECMA_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
_WRITTEN_AS = ((".js", ".ts"), (".js", ".tsx"), (".jsx", ".tsx"), (".mjs", ".mts"), (".cjs", ".cts"))
_C_STANDARD = frozenset(
    [
        "assert",
        "complex",
        "ctype",
        "errno",
        "fenv",
        "float",
        "inttypes",
        "iso646",
        "limits",
        "locale",
        "math",
        "setjmp",
        "signal",
        "stdalign",
        "stdarg",
        "stdatomic",
        "stdbool",
        "stddef",
        "stdint",
        "stdio",
        "stdlib",
        "stdnoreturn",
        "string",
        "tgmath",
        "threads",
        "time",
        "uchar",
        "wchar",
        "wctype",
        "unistd",
        "fcntl",
        "pthread",
        "sys/types",
        "sys/stat",
        "sys/socket",
        "dirent",
        "dlfcn",
        "netdb",
        "poll",
        "sched",
        "semaphore",
        "strings",
    ]
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
        for _ in range(len(module) - len(inner) - 1):
            base = base.rpartition("/")[0]
        return Place(tuple(_python_files(project, _joined(base, inner.replace(".", "/")))))
    root = module.partition(".")[0]
    if root in sys.stdlib_module_names:
        return Place(outside=root)
    inner = module.replace(".", "/")
    for base in _python_roots(project, folder, root):
        found = tuple(_python_files(project, _joined(base, inner)))
        if found:
            return Place(found)
    known = any(True for _ in _python_roots(project, folder, root))
    return Place() if known else Place(outside=root)


def _python_roots(project: Project, folder: str, root: str) -> Iterator[str]:
    """The folders from which a top-level module can be imported, the likeliest first."""
    seen = set()
    above = folder
    while True:
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
        for inner in (rest, f"src/{rest}") if rest else ("src/index", "index", "lib/index"):
            if found := tuple(_ecma_files(project, _joined(home, inner))):
                return Place(found)
        return Place()
    return Place(outside=name.removeprefix("node:"))


def _ecma_files(project: Project, place: str) -> Iterator[str]:
    names = [place, *(place + ending for ending in _ECMA_ENDINGS)]
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
    near = _rust_files(project, _rust_inner(path), parts, least=1)
    return near if near.paths else Place(outside=parts[0])


def _rust_inner(path: str) -> str:
    """The folder of a module's submodules."""
    folder, _, name = path.rpartition("/")
    plain = name.removesuffix(".rs")
    return folder if plain in {"mod", "lib", "main"} else _joined(folder, plain)


def _rust_files(project: Project, base: str, parts: list[str], least: int = 0) -> Place:
    """The file of a module; what is left of the path may be modules, types or functions within it."""
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
    if module.startswith("<") and (name.removesuffix(".h") in _C_STANDARD or "." not in name):
        return Place(outside=name)
    near = posixpath.normpath(_joined(folder, name))
    if near in project.files and not module.startswith("<"):
        return Place((near,))
    found = [one for one in project.headers(name.rpartition("/")[2]) if f"/{one}".endswith(f"/{name}")]
    if len(found) == 1:
        return Place(tuple(found))
    return Place() if found else Place(outside=name)


def _joined(base: str, inner: str) -> str:
    return f"{base}/{inner}" if base and inner else base or inner
