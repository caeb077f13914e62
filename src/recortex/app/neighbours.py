"""Which files belong to those in play, as the code says: made where facts are put together, read cheaply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.codebase import neighbour_table
from recortex.codebase.files import relative

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.app.application import Application


def neighbours_of(app: Application, files: Sequence[str]) -> list[str]:
    """The files next to some of the project, the nearest first; none where its code was never read.

    Nothing is brought up to date: that takes as long as reading the code.
    """
    path = app.project.facts
    if not (files and path.is_file()):
        return []
    from recortex.engines.code.neighbours import together

    root = app.tree
    inside = [relative(one, root) for one in files]
    return together(inside, neighbour_table.near(path, root, inside))
