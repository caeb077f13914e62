"""Where files went that are gone, as git recorded it; kept while the checkout stays as it is.

A memory that cites such a file is given again and again, and git takes 25 milliseconds to tell.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, NamedTuple

from recortex.codebase.moves import moves
from recortex.codebase.project import branch_and_commit, git_folders

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

MOST_KEPT = 10_000
"""Files of a checkout whose fate is kept: about a megabyte."""


class _Kept(NamedTuple):
    """What git told of one checkout: the fate of each file, None where it knows nothing."""

    checkout: object
    fates: dict[str, str | None]


_kept: dict[Path, _Kept] = {}


def fates(root: Path, gone: Collection[str], *, seconds: float) -> dict[str, str]:
    """As `Moves.fates`, of files that are gone.

    What is kept holds for one commit and one index: a new name that was never added is none that git knows.

    Args:
        root: of the working tree.
        gone: paths relative to it.
        seconds: after which a question to git is given up.
    """
    commit = branch_and_commit(root)[1]
    if not commit or not gone:
        return {}
    checkout = commit, _index(root)
    kept = _kept.get(root)
    if kept is None or kept.checkout != checkout or len(kept.fates) > MOST_KEPT:
        kept = _kept[root] = _Kept(checkout, {})
    unknown = [path for path in gone if path not in kept.fates or not _stands(root, kept.fates[path])]
    told = kept.fates | (_told(root, unknown, seconds, kept.fates) if unknown else {})
    return {path: fate for path in gone if (fate := told[path]) is not None}


def _told(
    root: Path, paths: Collection[str], seconds: float, kept: dict[str, str | None]
) -> dict[str, str | None]:
    """The fate of each, which is kept unless git may not have answered in time."""
    began = time.monotonic()
    with moves(root, seconds=seconds) as known:
        found = known.fates(paths)
    told = {path: found.get(path) for path in paths}
    if time.monotonic() - began < seconds:
        kept.update(told)
    return told


def _stands(root: Path, fate: str | None) -> bool:
    """Whether the file that another one became is still there."""
    return not fate or os.path.isfile(root / fate)  # noqa: PTH113  takes any name


def _index(root: Path) -> object:
    """What changes whenever git writes its index."""
    try:
        found = (git_folders(root)[0] / "index").stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
