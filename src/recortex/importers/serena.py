"""Serena: Markdown files that an agent keeps of a project, and those of the person for all projects."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from recortex.domain.vocabulary import RelationType
from recortex.importers import Link, Row, Source, documents, rows_of
from recortex.lean import replace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from recortex.importers import Seen, Where

_MARK = "mem:"
_SHIPPED = "memory_maintenance"
"""The name of the one that Serena writes by itself: how memories are to be kept."""
_KINDS = {
    "": "semantic",
    "suggested_commands": "procedural",
    "style_and_conventions": "preference",
    "code_style": "preference",
    "task_completion_checklist": "workflow",
    "project_overview": "architecture",
    "tech_stack": "environment",
}
"""Onboarding gives these names; the others are the agent's own."""


def _references(text: str) -> set[str]:
    """The names of the memories that a text refers to, as Serena recognises them."""
    parts = text.split(_MARK)
    outside = [not (before[-1:].isalnum() or before[-1:] in {"_", "-", "/"}) for before in parts[:-1]]
    found = (
        "".join(takewhile(lambda sign: sign.isascii() and (sign.isalnum() or sign in "_-/"), part))
        for part, free in zip(parts[1:], outside, strict=True)
        if free
    )
    return {name for name in found if name}


def _read(path: Path) -> Iterator[Row]:
    found = list(documents(path))
    rows = {one.name: list(rows_of(one, one.name.rpartition("/")[2])) for one in found}
    for one in found:
        first, *others = rows[one.name]
        if one.name == _SHIPPED:
            yield Row(id=one.name, refused="Serena wrote it, not an agent or a person")
            continue
        named = sorted(_references(one.text or "") - {one.name})
        links = [
            Link(to=rows[name][0].id, type=RelationType.REFERENCES, words=f"{_MARK}{name}")
            for name in named
            if name in rows
        ]
        yield replace(first, links=tuple(links))
        yield from others


def _recognise(seen: Seen) -> bool:
    """The folder of a project or of all projects, by its place; elsewhere by the file that Serena writes."""
    names = seen.path.parts[-2:]
    named = names in {(".serena", "memories"), ("memories", "global")}
    return seen.folder and (named or f"{_SHIPPED}.md" in seen.names)


def _places(where: Where) -> Iterator[Path]:
    yield where.project / ".serena" / "memories"
    for folder in (*where.named("SERENA_HOME"), where.home / ".serena"):
        yield folder / "memories" / "global"


SOURCES = (
    Source(
        name="serena",
        title="Serena",
        recognise=_recognise,
        read=_read,
        kinds=_KINDS,
        discover=_places,
    ),
)
