"""Which files belong to those in play, as the code says: made where facts are put together, read cheaply."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from recortex.codebase import neighbour_table
from recortex.codebase.git import relative

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.app.application import Application
    from recortex.engines.code.project import Project

SECONDS = 600
"""Between two times that neighbours are made anew: it takes as long as all else, and they rarely change."""


def neighbours_of(app: Application, files: Sequence[str]) -> list[str]:
    """The files next to some of the project, the nearest first; none where its code was never read.

    Nothing is brought up to date: that takes as long as reading the code.
    """
    path = app.project.facts
    if not (files and path.is_file()):
        return []
    from recortex.engines.code.ranking import together

    inside = [relative(one, app.tree) for one in files]
    known = neighbour_table.near(path, app.tree, inside)
    if not known and app.tree != app.root:  # nobody asked for the code of this working tree yet
        known = neighbour_table.near(path, app.root, inside)
    return together(inside, known)


def keep_neighbours(
    path: Path, root: Path, files: Mapping[str, bytes], project: Callable[[], Project], now: datetime
) -> None:
    """Note which files belong to which, unless that was done just before; where that fails, the old holds.

    Args:
        path: of the file of facts.
        root: of the tree.
        files: the keys of the facts of its files, by path.
        project: puts the facts together.
        now: the time.
    """
    import apsw
    from blake3 import blake3

    at = int(now.timestamp())
    state = blake3(b"".join(one.encode() + key for one, key in sorted(files.items()))).digest()
    before, then = neighbour_table.made(path, root)
    if state == before or 0 <= at - then < SECONDS:
        return
    from recortex.engines.code.ranking import neighbours
    from recortex.engines.code.resolution import references

    with suppress(apsw.Error):
        neighbour_table.keep(path, root, neighbours(references(project())), state, at)
