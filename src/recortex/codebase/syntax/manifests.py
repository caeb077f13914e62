"""What a manifest calls the part of the project that it lies in, and what that depends on."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from recortex.codebase.manifests import CARGO_PARTS, NPM_PARTS, entries, go_modules
from recortex.domain.code_facts import FileFacts, Import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MOST_DEPENDENCIES = 2_000
_GO_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)


def read_manifest(name: str, data: bytes) -> FileFacts:
    """The facts of a manifest: its name as `module`, dependencies as imports; none of one of another form."""
    try:
        module, needs = _READERS[name](data.decode("utf-8", "replace"))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return FileFacts("manifest", whole=False)
    names = sorted({str(one)[:200] for one in needs})[:MOST_DEPENDENCIES]
    return FileFacts("manifest", module=module[:200], imports=tuple(Import(one, "", "", 0) for one in names))


def _go(text: str) -> tuple[str, Iterable[str]]:
    found = _GO_MODULE.search(text)
    return (found[1] if found else "", [name for name, _, _ in go_modules(text)])


def _cargo(text: str) -> tuple[str, Iterable[str]]:
    given: dict[str, Any] = tomllib.loads(text)
    name = str(given.get("package", {}).get("name", "")).replace("-", "_")
    return name, [key for key, _ in entries(given, CARGO_PARTS)]


def _package(text: str) -> tuple[str, Iterable[str]]:
    given = json.loads(text)
    return str(given.get("name", "")), [key for key, _ in entries(given, NPM_PARTS)]


_READERS: dict[str, Callable[[str], tuple[str, Iterable[str]]]] = {
    "go.mod": _go,
    "Cargo.toml": _cargo,
    "package.json": _package,
}
MANIFESTS = frozenset(_READERS)
