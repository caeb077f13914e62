"""Which file of a project imports which other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.code_facts import CALLABLE, innermost
from recortex.engines.code.modules import find_module
from recortex.engines.code.project import Project

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recortex.domain.code_facts import FileFacts, Import
    from recortex.engines.code.sources import Sources

_BY_NAME = {"python": ".", "java": ".", "php": ".", "rust": "::"}
"""Languages in which the imported name may be a file of its own, and what stands before it."""
_NO_FILES = frozenset({"csharp"})
"""Languages whose imports name namespaces of many files."""


def import_graph(sources: Sources, *, loading: bool = False) -> Mapping[str, tuple[str, ...]]:
    """The files of the project that each file imports, itself left out; C# names namespaces and has none.

    Args:
        sources: the facts.
        loading: only what is imported when the file is read, not what a function imports when it is called.
    """
    project = Project(sources.files)
    graph = {}
    for path, facts in project.files.items():
        found: set[str] = set()
        if facts.language not in _NO_FILES:
            for one in facts.imports:
                if not (loading and _is_late(facts, one)):
                    found.update(_files(project, path, one))
        graph[path] = tuple(sorted(found - {path}))
    return graph


def _is_late(facts: FileFacts, one: Import) -> bool:
    around = innermost(facts, one.line)
    return around is not None and around.kind in CALLABLE


def _files(project: Project, path: str, one: Import) -> tuple[str, ...]:
    between = _BY_NAME.get(project.files[path].language)
    if between and one.name not in {"", "*"}:
        start = one.module if one.module.endswith(".") else one.module + between
        if found := find_module(project, path, start + one.name).paths:
            return found
    elif between in {".", "::"} and one.name == "*" and project.files[path].language in {"java", "php"}:
        return ()
    return find_module(project, path, one.module).paths
