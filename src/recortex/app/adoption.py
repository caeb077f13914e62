"""Stores that a checkout may take over: of the path it was moved from, or of an older version's folder.

None is used before a person agrees: what lies in a folder says nothing about whose it is.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from recortex.app.backends.stores import open_store
from recortex.app.location import DATABASE, Location
from recortex.app.naming import hidden, shown
from recortex.app.projects import PARTS, RECORD, bound_to, locate, read_record
from recortex.codebase.project import Checkout
from recortex.errors import ConfigError, StorageError
from recortex.filesystem import require_own, require_own_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.app.application import Application
    from recortex.app.backends.files import Summary
    from recortex.app.projects import Project
    from recortex.ports.kept_store import KeptStore

OLDER = ".recortex"
"""Where stores were before they moved out of the work tree."""
Reason = Literal["moved", "copied", "replaced", "older"]


class Candidate(NamedTuple):
    """A store whose memories could come to this checkout.

    Attributes:
        folder: it is in.
        reason: moved, copied: the checkout carries the id of that store, which is bound to another path,
            where the checkout is gone or still there; replaced: an earlier checkout at the same path; older:
            in the work tree.
        path: of the checkout that it was made for.
    """

    folder: Path
    reason: Reason
    path: str

    @property
    def database(self) -> Path:
        """Its file."""
        return self.folder / DATABASE

    def summary(self) -> Summary:
        """How many memories it holds, and of what time.

        Raises:
            StorageError: it cannot be read, or is not ours to use.
        """
        require_own_folder(self.folder)
        require_own(self.database)
        from recortex.app.backends.files import summarise

        return summarise(self.database)


def candidates(project: Project) -> list[Candidate]:
    """The stores that `recortex init --adopt` could take over; each is there, none is this checkout's own."""
    return [one for one in _possible(project) if os.path.lexists(one.database)]


def named(project: Project, path: Path) -> Candidate:
    """The store that is bound to a path that a person names, such as a folder without git that was moved.

    Raises:
        ConfigError: there is none.
    """
    wanted = path.absolute()
    found = [folder for folder in bound_to(project.home, wanted) if folder != project.folder]
    if not found:
        raise ConfigError(
            f"No memories are kept for {wanted}.",
            hint="Give the path that the project's folder had when they were learned.",
        )
    return Candidate(found[0], "copied" if wanted.exists() else "moved", shown(str(wanted)))


def take_over(candidate: Candidate, target: Path) -> None:
    """Copy a store, with what waits to be learned and its backups, into a project's folder that has none yet.

    The copy is checked first. Then the old store is removed, unless another checkout uses it.

    Raises:
        StorageError: it cannot be read or copied whole.
    """
    from recortex.app.backends.files import copy_whole

    candidate.summary()
    copy_whole(candidate.database, target / DATABASE)
    if candidate.reason != "older":  # files in a work tree may be a stranger's: only the database is taken
        for part in ("backups", "queue"):
            shutil.copytree(candidate.folder / part, target / part, dirs_exist_ok=True, symlinks=True)
    discard(candidate)


def opened(candidate: Candidate, app: Application) -> KeptStore:
    """The store itself, for taking its memories one by one.

    Raises:
        StorageError: it cannot be opened.
    """
    candidate.summary()
    location = Location(candidate.database, candidate.folder)
    return open_store(location, clock=app.clock, settings=app.settings, degraded=app.degraded)


def discard(candidate: Candidate) -> None:
    """Remove a store that was taken over, unless a checkout still uses it."""
    if candidate.reason == "copied":
        return  # the checkout that was copied uses it
    if candidate.reason == "older":
        shutil.rmtree(candidate.folder)
        return
    for name in (RECORD, *(path.name for path in candidate.folder.glob(f"{DATABASE}*")), *PARTS):
        path = candidate.folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    shutil.rmtree(candidate.folder, ignore_errors=True)


def _possible(project: Project) -> Iterator[Candidate]:
    for folder in dict.fromkeys(filter(None, (project.elsewhere, project.former))):
        record = read_record(folder)
        if record is not None:
            yield Candidate(
                folder, "copied" if _still_used(project, record.path, record.id) else "moved", record.path
            )
    anchor = project.checkout.anchor
    for folder in bound_to(project.home, anchor):
        if folder != project.folder:
            yield Candidate(folder, "replaced", shown(str(anchor)))
    if not refused(project):
        yield Candidate(project.root / OLDER, "older", shown(str(project.root)))


def refused(project: Project) -> str:
    """Why an older version's folder in the work tree is not used; empty where there is none or it may be."""
    older = project.root / OLDER
    if not os.path.lexists(older):
        return ""
    try:
        require_own_folder(older)
        require_own(older / DATABASE)
        _require_untracked(project.root)
    except StorageError as error:
        return error.message
    return ""


def _require_untracked(root: Path) -> None:
    from recortex.codebase.git import tracked

    if tracked(root, OLDER):
        raise StorageError(
            f"{root / OLDER} is part of the repository: what it holds may be anybody's. It is not used.",
            hint="Take it out of the repository with `git rm -r --cached .recortex` if it is your own.",
        )


def _still_used(project: Project, path: str, id_: str) -> bool:
    """Whether a checkout is still at a path, with the id of the store that is bound to it."""
    if hidden(path):
        return True  # unknown, so that nothing is removed
    anchor = Path(path)
    git = anchor / ".git" if (anchor / ".git").is_dir() else anchor
    checkout = Checkout(anchor, git) if (git / "config").is_file() else Checkout(anchor)
    record = locate(project.home, checkout).record
    return anchor.exists() and record is not None and record.id == id_
