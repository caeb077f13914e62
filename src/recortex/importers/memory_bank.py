"""A memory bank, as Cline calls it: six files of a project that an agent keeps as its person asked it to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.importers import Row, Source, documents, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from recortex.importers import Seen, Where

_KINDS = {
    "": "semantic",
    "projectbrief": "goal",
    "productContext": "semantic",
    "activeContext": "progress",
    "systemPatterns": "architecture",
    "techContext": "environment",
    "progress": "progress",
}


def _read(path: Path) -> Iterator[Row]:
    for one in documents(path):
        yield from rows_of(one, one.name.rpartition("/")[2])


def _recognise(seen: Seen) -> bool:
    return seen.folder and len(seen.names & {f"{name}.md" for name in _KINDS if name}) > 1


def _places(where: Where) -> Iterator[Path]:
    for name in ("memory-bank", ".clinerules/memory-bank", ".kilocode/rules/memory-bank"):
        yield where.project / name


SOURCES = (
    Source(
        name="memory-bank",
        title="a memory bank",
        recognise=_recognise,
        read=_read,
        kinds=_KINDS,
        discover=_places,
    ),
)
