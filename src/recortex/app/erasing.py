"""Deletes a store whole, its file with all beside it or its workspace on a server, and looks again.

A project's folder is given another name before anything in it is deleted, so that no other process finds half
of it; what a kill leaves is deleted by the next run.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recortex.app.backends.stores import erase_workspace, workspace_rows
from recortex.app.brief import forget_briefs
from recortex.app.projects import bound_to, unbind
from recortex.errors import PermissionsError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from recortex.app.application import Application
    from recortex.app.location import Location

ENDING = ".erased"
"""Of the name of a folder that is being deleted: nothing looks for a project's memory there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What a store consists of.

    Attributes:
        files: each with its bytes.
        rows: of a workspace on a server, by table.
    """

    files: dict[str, int]
    rows: dict[str, int]


def describe_erasable(location: Location) -> Held:
    """What `erase` would delete."""
    rows = workspace_rows(location) if location.remote else {}
    return Held(files={str(path): _size(path) for path in _files(location)}, rows=rows)


def erase(app: Application, location: Location) -> Held:
    """Delete a store whole; returns what is left of it: nothing, unless it could not be deleted.

    Raises:
        PermissionsError: a folder or a file cannot be deleted.
        StoreUnavailableError: the server cannot be reached.
    """
    gone = _files(location)
    forget_briefs([location])
    app.close()
    rows = erase_workspace(location) if location.remote else {}
    try:
        for folder in _folders(location):
            doomed = folder if folder.name.endswith(ENDING) else folder.with_name(folder.name + ENDING)
            if doomed != folder:
                if doomed.exists():
                    shutil.rmtree(doomed)
                folder.rename(doomed)
            shutil.rmtree(doomed)
        for path in gone:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise PermissionsError(f"Not all could be deleted: {error}.") from error
    if location.project is not None:
        unbind(location.project)
    return Held(files={str(path): _size(path) for path in _there(gone)}, rows=rows)


def _folders(location: Location) -> list[Path]:
    """The folders of a project's own store, those of earlier checkouts at its path among them."""
    project = location.project
    if project is None:
        return []
    found = bound_to(project.home, project.checkout.anchor)
    with suppress(OSError):
        found += [entry for entry in location.folder.parent.iterdir() if entry.name.endswith(ENDING)]
    return found


def _files(location: Location) -> list[Path]:
    """Every file of a store, and the facts of the project's code."""
    found = [path for folder in _folders(location) for path in folder.rglob("*") if not path.is_dir()]
    if location.project is None:
        found += location.files()
    else:
        facts = location.project.facts
        found += facts.parent.glob(f"{facts.stem}.*")
    return _there(dict.fromkeys(found))


def _there(paths: Iterable[Path]) -> list[Path]:
    return [path for path in paths if os.path.lexists(path)]


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.lstat().st_size
    return 0
