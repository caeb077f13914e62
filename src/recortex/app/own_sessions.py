"""The sessions on this machine that belong to a project, whichever client left them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.projects import Project, find_project
from recortex.formats.session_files import CLIENTS, SessionFile, find_sessions
from recortex.formats.transcripts import open_transcript

if TYPE_CHECKING:
    from collections.abc import Callable


def is_ours(project: Project, session: SessionFile) -> bool:
    """Whether a session ran in a project; its place or its first turn says where.

    Raises:
        RecortexError: it is no transcript any more.
        OSError: it cannot be read.
    """
    if session.client == "specstory":  # looked for in this project alone
        return True
    reader = open_transcript(session.path)
    for turn in reader:
        cwd = turn.cwd or reader.info.cwd
        if not cwd or not Path(cwd).exists():
            return False
        return find_project(project.home, Path(cwd)).root == project.root
    return False


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
