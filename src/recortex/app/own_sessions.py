"""The sessions on this machine that belong to a project, whichever client left them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.turn_places import TurnPlaces
from recortex.errors import RecortexError
from recortex.formats.session_files import CLIENTS, SessionFile, find_sessions

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.app.projects import Project


def is_ours(project: Project, session: SessionFile, named: Path | None = None) -> bool:
    """Whether something in a session was said in a project; its place or its turns say where.

    Args:
        project: the project.
        session: its file.
        named: the file or its folder, which a person named: it counts unless it was all said in other
            projects; of a folder, unless it was all said in the home folder.

    Raises:
        RecortexError: it is no transcript any more.
        OSError: it cannot be read.
    """
    if session.client == "specstory":  # looked for in this project alone
        return True
    places = TurnPlaces(project.root, project.home)
    try:
        own = places.has_own(session.path)
        if own is None and named and named != session.path:
            return not places.at_home(session.path)
    except (RecortexError, OSError):
        if not named:
            raise
        own = None  # the reading itself says what is wrong
    return own is not False if named else own is True


def own_sessions(
    project: Project, claude: Path | None, progress: Callable[[str, int, int], None]
) -> list[SessionFile]:
    """The sessions that clients left of a project, oldest first.

    Args:
        project: the project.
        claude: Claude Code's folder where it is not in the home folder.
        progress: called with the number of files and folders seen so far.

    Raises:
        RecortexError: one is no transcript any more.
        OSError: one cannot be read.
    """
    found = [
        session
        for client in CLIENTS
        for session in find_sessions(
            client,
            home=Path.home(),
            config=claude if client == "claude-code" else None,
            project=project.root,
            progress=progress,
        ).sessions
        if is_ours(project, session)
    ]
    return sorted(found, key=lambda one: (one.modified, str(one.path)))
