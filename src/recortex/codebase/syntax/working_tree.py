"""The files of code of a working tree, and which of them may have changed since they were last seen.

Times and sizes only say what need not be looked at; a file that may have changed is read and decided by its
hash. A folder whose own time is the same has the same names in it, so it is neither listed nor matched with
what git ignores: an unchanged tree costs one call to the system for each file and two for each folder.
"""

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex.codebase.ignored import hides, ignored_above, with_own
from recortex.codebase.syntax.grammars import BY_ENDING
from recortex.codebase.syntax.limits import VENDORED
from recortex.codebase.syntax.manifests import MANIFESTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from recortex.codebase.ignored import Ignored

MOST_FILES = 50_000
"""Files of code of one tree; what comes after them is left out, and counted."""
DEEPEST = 60
"""Folders within folders."""
RACE = 2_000_000_000
"""Nanoseconds: what changed so shortly before it was looked at may change again with the same time (FAT keeps
two seconds), so it is looked at again next time."""
NEVER = 0
"""A time that no file has."""
SECONDS = 60.0
"""For listing the folders of a tree; those that were not listed by then are left out, and told."""


class Seen(NamedTuple):
    """A file as it was when it was read.

    Attributes:
        key: of its facts; empty where none are kept.
        skipped: why none are.
    """

    name: str
    size: int = -1
    modified: int = NEVER
    changed: int = NEVER
    key: bytes = b""
    skipped: str = ""


class Folder(NamedTuple):
    """A folder as it was when it was listed.

    Attributes:
        modified: its time; `NEVER` where it must be listed again.
        ignores: time and size of its `.gitignore`.
        folders: names of those that are gone into.
        vendored: names of those with other people's code.
    """

    modified: int
    ignores: tuple[int, int]
    folders: tuple[str, ...]
    files: tuple[Seen, ...]
    vendored: tuple[str, ...] = ()


class Visit(NamedTuple):
    """A folder as it is now.

    Attributes:
        path: from the top of the tree, with slashes; empty for the top itself.
        folder: with the files that did not change as they were, and the others with `NEVER` as their time.
        fresh: whether it differs from what was known.
    """

    path: str
    folder: Folder
    fresh: bool


def visits(
    root: Path,
    known: Mapping[str, Folder],
    hidden: Callable[[str], bool] = lambda _: False,
    left_out: Callable[[str], None] = lambda _: None,
) -> Iterator[Visit]:
    """All folders of a tree with code in them or below.

    Args:
        root: the top of the working tree.
        known: its folders as they were seen last, by path.
        hidden: says of the name of a file or folder that it may not be kept.
        left_out: told of each folder that was not listed for want of time.
    """
    walk = _Walk(root, known, hidden)
    waiting = [("", 0, False)]
    end = time.monotonic() + SECONDS
    while waiting:
        path, depth, forced = waiting.pop()
        if time.monotonic() > end:
            left_out(path)
            continue
        found = walk.visit(path, forced=forced)
        if found is None:
            continue
        visit, anew = found
        yield visit
        if depth < DEEPEST:
            inner = reversed(visit.folder.folders)
            waiting += [(f"{path}/{name}" if path else name, depth + 1, anew) for name in inner]


class _Walk:
    def __init__(self, root: Path, known: Mapping[str, Folder], hidden: Callable[[str], bool]) -> None:
        self._root, self._known, self._now, self._hidden = str(root), known, time.time_ns(), hidden
        self._above: dict[str, tuple[Ignored, ...]] = {}
        self._files = 0

    def visit(self, path: str, *, forced: bool) -> tuple[Visit, bool] | None:
        """The folder, and whether all below must be listed again; None where it cannot be read."""
        place = f"{self._root}/{path}" if path else self._root
        old = self._known.get(path)
        try:
            status = os.stat(place, follow_symlinks=path == "")  # noqa: PTH116  hot
            ignores = _signature(f"{place}/.gitignore")
            same = (
                old is not None
                and not forced
                and old.modified == status.st_mtime_ns != NEVER
                and old.ignores == ignores
            )
            folder = old if same and old is not None else self._listed(place, path, status, ignores)
        except OSError:
            return None
        anew = forced or (old is not None and old.ignores != ignores)
        files = [self._looked_at(place, one) for one in folder.files]
        self._files += len(files)
        if self._files > MOST_FILES:
            files = [one._replace(key=b"", skipped="too many files") for one in files]
        now = folder._replace(files=tuple(files))
        return Visit(path, now, now != old), anew

    def _looked_at(self, place: str, one: Seen) -> Seen:
        """A file as it was seen, or with no time where it may be another by now."""
        try:
            status = os.lstat(f"{place}/{one.name}")
        except OSError:
            return Seen(one.name, skipped="it cannot be read")
        if (one.size, one.modified, one.changed) == (
            status.st_size,
            status.st_mtime_ns,
            status.st_ctime_ns,
        ):
            return one
        return Seen(one.name, status.st_size, NEVER, status.st_ctime_ns)

    def _listed(self, place: str, path: str, status: os.stat_result, ignores: tuple[int, int]) -> Folder:
        known = {one.name: one for one in self._known[path].files} if path in self._known else {}
        ignored = self._ignored(place, path)
        folders, vendored, files = [], [], []
        with os.scandir(place) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                name = entry.name
                if name.startswith(".") or not name.isprintable() or entry.is_symlink():
                    continue
                if self._hidden(name):
                    continue
                if entry.is_dir():
                    if name in VENDORED or os.path.lexists(f"{entry.path}/.git"):
                        vendored.append(name)
                    elif not hides(ignored, entry.path, folder=True):
                        folders.append(name)
                elif is_read(name) and not hides(ignored, entry.path, folder=False):
                    files.append(known.get(name) or Seen(name))
        settled = self._now - status.st_mtime_ns > RACE
        modified = status.st_mtime_ns if settled else NEVER
        return Folder(modified, ignores, tuple(folders), tuple(files), tuple(vendored))

    def _ignored(self, place: str, path: str) -> tuple[Ignored, ...]:
        if path not in self._above:
            if not path:
                self._above[path] = with_own(ignored_above(Path(place)), Path(place))
            else:
                above, _, name = path.rpartition("/")
                parent = place[: -len(name) - 1]
                self._above[path] = with_own(self._ignored(parent, above), Path(place))
        return self._above[path]


def is_read(name: str) -> bool:
    """Whether a file of this name has facts: code of our languages, or a manifest."""
    return os.path.splitext(name)[1].lower() in BY_ENDING or name in MANIFESTS  # noqa: PTH122  hot


def _signature(path: str) -> tuple[int, int]:
    try:
        status = os.lstat(path)
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


def as_read(place: str, one: Seen, now: int) -> Seen | None:
    """The times of a file before it is read, for what is kept of it; None where it is no regular file.

    Args:
        place: its path.
        one: what is known of it.
        now: nanoseconds since 1970; a change shortly before is not relied on.

    Raises:
        OSError: it is not there.
    """
    status = os.lstat(place)
    if not stat.S_ISREG(status.st_mode):
        return None
    settled = now - max(status.st_mtime_ns, status.st_ctime_ns) > RACE
    modified = status.st_mtime_ns if settled else NEVER
    return Seen(one.name, status.st_size, modified, status.st_ctime_ns)
