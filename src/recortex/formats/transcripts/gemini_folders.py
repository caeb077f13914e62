"""Where a session of Gemini CLI ran: its file does not say, the files around it do.

A project's sessions lie in `tmp/NAME/chats`. `tmp/NAME/.project_root` holds the folder (0.61),
`projects.json` beside `tmp` maps folders to names, and before 0.39 NAME was the SHA-256 of the folder.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from recortex.errors import UntrustedFileError
from recortex.filesystem import read_own

_CHATS, _ROOT, _REGISTRY = "chats", ".project_root", "projects.json"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LONGEST = 4096  # bytes of a folder's name
_MOST_BYTES = 4 * 1024 * 1024  # of the registry


def folder_of(path: Path) -> str:
    """The folder in which the session of a file ran; empty where nothing tells."""
    project = _project(path)
    if project is None:
        return ""
    named = _read(project / _ROOT, _LONGEST).strip()
    return named if Path(named).is_absolute() else _registered(project)


def digest_of(path: Path) -> str:
    """The SHA-256 of the folder, where the session's file lies in a folder of that name; else empty."""
    project = _project(path)
    return project.name if project is not None and _DIGEST.fullmatch(project.name) else ""


def digest(folder: Path) -> str:
    """What the client calls a folder by."""
    return hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()


def _project(path: Path) -> Path | None:
    """The folder of the project that a session's file lies in; a sub-agent's lies one deeper."""
    return next((one.parent for one in list(path.parents)[:2] if one.name == _CHATS), None)


def _registered(project: Path) -> str:
    try:
        known: Any = json.loads(_read(project.parent.parent / _REGISTRY, _MOST_BYTES) or "null")
    except (ValueError, RecursionError):
        return ""
    projects = known.get("projects") if isinstance(known, dict) else None
    if not isinstance(projects, dict):
        return ""
    found = [folder for folder, name in projects.items() if name == project.name]
    return found[0] if len(found) == 1 and Path(found[0]).is_absolute() else ""


def _read(path: Path, most: int) -> str:
    try:
        return read_own(path, most).decode("utf-8", "replace")
    except (OSError, UntrustedFileError):
        return ""
