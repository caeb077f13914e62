"""Finding the sessions that agents have left on a disk. A client is one row; nothing here reads the environment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.errors import FormatError, InvalidInputError
from recortex.formats.transcripts.detection import FORMATS, detect

if TYPE_CHECKING:
    from collections.abc import Iterator

# client: (its own folder in the home folder, sub-folders of that which hold sessions)
_HISTORIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "claude-code": (".claude", ("projects",)),
    "codex": (".codex", ("sessions", "archived_sessions")),
    "gemini": (".gemini", ("tmp",)),
    "qwen": (".qwen", ("projects", "tmp")),
    "opencode": ("", ()),  # its sessions are in a database; `opencode export` writes files anywhere
    "swe-agent": ("", ()),
    "chat": ("", ()),
    "text": ("", ()),
}
CLIENTS = tuple(_HISTORIES)
_SUFFIXES = frozenset((".jsonl", ".json", ".traj", ".txt", ".md", ".log"))
_OTHER_FILES = (".meta.json",)  # a sub-agent's settings beside its transcript
_NOT_ENTERED = frozenset(
    (".git", "node_modules", "memory", "__pycache__")
)  # `memory`: the client's own notes


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A transcript on disk: its client, its size in bytes and when it was last written (seconds since 1970)."""

    path: Path
    client: str
    size: int
    modified: float


@dataclass(frozen=True, slots=True)
class Found:
    """Sessions, oldest first, so that what was said later is learned later.

    Attributes:
        sessions: files that can be read.
        unknown: files with a transcript's suffix that are of no known format, or of another client than asked for.
        unreadable: files and folders that the system does not let us read.
    """

    sessions: tuple[SessionFile, ...] = ()
    unknown: tuple[Path, ...] = ()
    unreadable: tuple[Path, ...] = ()


def find_sessions(
    client: str | None, folder: Path | None = None, *, home: Path | None = None, config: Path | None = None
) -> Found:
    """Look for sessions of a client, or of any.

    Args:
        client: one of `CLIENTS`; None takes any that is recognised.
        folder: a folder, searched with all below it, or one file; None looks where the client keeps its history.
        home: the person's home folder.
        config: the client's own folder where it is not in the home folder (`$CLAUDE_CONFIG_DIR`).

    Raises:
        InvalidInputError: there is no such client, or no such folder.
    """
    if client is not None and client not in _HISTORIES:
        raise InvalidInputError(f"There is no client {client!r}.", hint=f"Known: {', '.join(CLIENTS)}.")
    if folder is not None and not folder.exists():
        raise InvalidInputError(f"{folder} does not exist.", hint="Give a folder or a transcript file.")
    sessions: list[SessionFile] = []
    unknown: list[Path] = []
    unreadable: list[Path] = []
    for path in dict.fromkeys(_candidates(_roots(client, folder, home, config), unreadable)):
        try:
            found = _session(path)
        except OSError:
            unreadable.append(path)
            continue
        if found is None or client not in {None, found.client}:
            unknown.append(path)
        else:
            sessions.append(found)
    sessions.sort(key=lambda one: (one.modified, str(one.path)))
    return Found(tuple(sessions), tuple(unknown), tuple(unreadable))


def _roots(client: str | None, folder: Path | None, home: Path | None, config: Path | None) -> Iterator[Path]:
    if folder is not None:
        yield folder
        return
    for name in [client] if client else CLIENTS:
        own, parts = _HISTORIES[name]
        base = config if config is not None and client else (home / own if home else None)
        yield from (base / part for part in parts if base is not None)


def _candidates(roots: Iterator[Path], unreadable: list[Path]) -> Iterator[Path]:
    for root in roots:
        if root.is_file():
            yield root
        elif not root.exists():
            continue  # a client that was never used here
        for where, folders, files in os.walk(
            root, onerror=lambda error: unreadable.append(Path(error.filename))
        ):
            folders[:] = sorted(name for name in folders if name not in _NOT_ENTERED)
            for name in sorted(files):
                if Path(name).suffix.lower() in _SUFFIXES and not name.endswith(_OTHER_FILES):
                    yield Path(where, name)


def _session(path: Path) -> SessionFile | None:
    status = path.stat()
    try:
        return SessionFile(path, detect(path).name, status.st_size, status.st_mtime)
    except FormatError:
        return None


def known_formats() -> tuple[str, ...]:
    """The names of all formats that can be read."""
    return tuple(dict.fromkeys(row.name for row in FORMATS))
