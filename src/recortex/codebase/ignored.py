"""What git ignores, by the `.gitignore` files on the way to a path."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from pathspec import GitIgnoreSpec

from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MOST_BYTES = 256 * 1024
"""Of a file with what git ignores."""


class Ignored(NamedTuple):
    """What a `.gitignore` says about the paths below its folder."""

    folder: str
    spec: GitIgnoreSpec


def hides(ignored: Sequence[Ignored], path: str, *, folder: bool) -> bool:
    """Whether git ignores a path: the nearest file that says something about it decides."""
    for one in reversed(ignored):
        relative = os.path.relpath(path, one.folder).replace(os.sep, "/")
        said = one.spec.check_file(relative + "/" if folder else relative).include
        if said is not None:
            return said
    return False


def ignored_above(folder: Path) -> tuple[Ignored, ...]:
    """What the repository of a folder ignores by files above it; none outside of a repository."""
    above = [folder, *folder.parents]
    top = next((one for one in above if (one / ".git").exists()), folder)
    ignored = with_own((), top, ".git/info/exclude")
    for one in reversed(above[: above.index(top) + 1]):
        if one != folder:
            ignored = with_own(ignored, one)
    return ignored


def with_own(above: tuple[Ignored, ...], folder: Path, name: str = ".gitignore") -> tuple[Ignored, ...]:
    """What is ignored above a folder, with what its own file says; one that cannot be read says nothing."""
    try:
        text = read_regular(folder / name, MOST_BYTES).decode("utf-8", "replace")
        return (*above, Ignored(str(folder), GitIgnoreSpec.from_lines(text.splitlines())))
    except (OSError, UntrustedFileError, ValueError):
        return above
