"""Where a project's memory is, for tests that look into its files."""

from __future__ import annotations

import os
from pathlib import Path

from recortex.app.projects import establish, find_project, of_url


def project_of(folder: Path, home: Path | None = None):
    """The project that a folder lies in, with the data folder of this test or the one that is given."""
    return find_project(home or Path(os.environ["RECORTEX_HOME"]), folder)


def store_folder(folder: Path, home: Path | None = None) -> Path:
    """The folder of a project's memory, made and bound if it is not there; no store is in it then."""
    return establish(project_of(folder, home)).folder


def has_folder(folder: Path, home: Path | None = None) -> bool:
    """Whether a project has a folder for its memory."""
    return project_of(folder, home).folder is not None


def location_of(url: str, folder: Path, workspace: str = ""):
    """The store that a URL names, for a project."""
    return of_url(url, project_of(folder), workspace=workspace)
