"""Finds the sessions that agents have left on a disk. Each client declares where it keeps them."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recortex import plugins
from recortex.errors import FormatError, InvalidInputError, UntrustedFileError
from recortex.filesystem import open_regular
from recortex.formats.transcripts.detection import (
    FIRST_LINE_BYTES,
    detect,
    format_names,
    in_database,
    kept_in,
)
from recortex.formats.transcripts.pieces import MalformedLineError, decode_any
from recortex.formats.transcripts.stored import SUFFIXES, is_web_export

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_KNOWN = {client.name: client for client in plugins.clients() if client.reads}
CLIENTS = (*_KNOWN, "chat", "text")
_LINES, _TEXTS = frozenset((".jsonl",)), frozenset((".txt", ".md", ".log"))
_SUFFIXES = _LINES | _TEXTS | SUFFIXES | {".json", ".traj"}
MOST_ENTRIES = 200_000
"""The most files and folders that a search visits: more than a large history, less than a whole disk."""
_OTHER_FILES = (".meta.json",)  # a sub-agent's settings beside its transcript
# `memory` holds the client's own notes.
_NOT_ENTERED = frozenset((".git", "node_modules", "memory", "__pycache__"))


class SessionFile(NamedTuple):
    """A transcript on disk: its client, its size in bytes, its last change in seconds since 1970."""

    path: Path
    client: str
    size: int
    modified: float


@dataclass(slots=True)
class FoundSessions:
    """Sessions, oldest first, so that what was said later is learned later.

    Attributes:
        places: the folders and files that were searched, whether or not they exist.
        sessions: files that can be read.
        others: sessions of another client than asked for.
        aside: what clients keep beside transcripts, such as settings and indexes: whole, but no transcript.
        unknown: files with a transcript's suffix that are empty or broken, or no transcript but named.
        unreadable: files and folders without permission to read, and what is not a regular file.
        cut: the search ended early, after `MOST_ENTRIES` entries.
    """

    places: list[Path]
    sessions: list[SessionFile] = field(default_factory=list)
    others: list[SessionFile] = field(default_factory=list)
    aside: list[Path] = field(default_factory=list)
    unknown: list[Path] = field(default_factory=list)
    unreadable: list[Path] = field(default_factory=list)
    cut: bool = False


def find_sessions(
    client: str | None,
    folder: Path | None = None,
    *,
    home: Path | None = None,
    config: Path | None = None,
    project: Path | None = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> FoundSessions:
    """Look for sessions of a client, or of any.

    Args:
        client: one of `CLIENTS`; None takes any that is recognised.
        folder: a folder, searched with all below it, or one file; None searches where the client keeps its
            history.
        home: the person's home folder.
        config: the client's own folder if it is not in the home folder (`$CLAUDE_CONFIG_DIR`).
        project: the project's folder, in which some clients keep their sessions.
        progress: called with the number of files and folders seen so far.

    Raises:
        InvalidInputError: there is no such client, or no such folder.
        UntrustedFileError: `folder` is a file but not a regular one.
    """
    if client is not None and client not in format_names():
        raise InvalidInputError(
            f"There is no client {client!r}.", hint=f"Known: {', '.join(format_names())}."
        )
    if folder is not None and not folder.exists() and not in_database(folder):
        raise InvalidInputError(f"{folder} does not exist.", hint="Give a folder or a transcript file.")
    found = FoundSessions(list(_roots(client, folder, home, config, project)))
    for path in dict.fromkeys(_candidates(found, progress)):
        try:
            sessions = _sessions_at(path)
        except FormatError:
            (found.aside if path != folder and _is_whole(path) else found.unknown).append(path)
        except (OSError, UntrustedFileError) as error:
            if path == folder and isinstance(error, UntrustedFileError):
                raise  # it was asked for by name: say why it is not opened
            found.unreadable.append(path)
        else:
            for session in sessions:
                (found.sessions if client in {None, session.client} else found.others).append(session)
    found.sessions.sort(key=lambda one: (one.modified, str(one.path)))
    return found


def _sessions_at(path: Path) -> list[SessionFile]:
    """The session in a file, or those in a client's database.

    Raises:
        FormatError: it is neither.
        UntrustedFileError: it is no regular file.
        OSError: it cannot be read.
    """
    if path.suffix.lower() in SUFFIXES or is_web_export(path):
        client, kept = kept_in(path)
        return [SessionFile(one.path, client, one.size, one.modified) for one in kept]
    row, status = detect(path), path.stat()
    return [SessionFile(path, row.name, status.st_size, status.st_mtime)]


def histories(home: Path, config: Path | None = None, project: Path | None = None) -> tuple[str, ...]:
    """The clients that have left a history on this machine.

    Args:
        home: the person's home folder.
        config: Claude Code's own folder where it is not in the home folder.
        project: the project's folder.
    """
    return tuple(
        client
        for client in CLIENTS
        if any(
            place.exists()
            for place in _roots(client, None, home, config if client == "claude-code" else None, project)
        )
    )


def _roots(
    client: str | None, folder: Path | None, home: Path | None, config: Path | None, project: Path | None
) -> Iterator[Path]:
    if folder is not None:
        yield folder
        return
    for name in [client] if client else CLIENTS:
        known = _KNOWN.get(name)  # a plug-in's files, and those of generic formats, may be anywhere
        own, parts = known.history if known else ("", ())
        base = config if config is not None and client else (home / own if home else None)
        yield from (base / part for part in parts if base is not None)
        if project is not None and known and known.in_project:
            yield project / known.in_project


def _candidates(found: FoundSessions, progress: Callable[[str, int, int], None]) -> Iterator[Path]:
    """Files below the places that may be transcripts, on the same file system, up to `MOST_ENTRIES`."""
    entries = 0
    for root in found.places:
        if not root.is_dir():
            yield from [root] if root.exists() else []  # a client that was never used here has none
            continue
        device = root.stat().st_dev
        for where, folders, files in os.walk(
            root, onerror=lambda error: found.unreadable.append(Path(error.filename))
        ):
            entries += len(folders) + len(files)
            if entries > MOST_ENTRIES:
                found.cut = True
                break
            progress("looking for sessions", entries, 0)
            folders[:] = sorted(name for name in folders if _is_searched(where, name, device))
            for name in sorted(files):
                if Path(name).suffix.lower() in _SUFFIXES and not name.endswith(_OTHER_FILES):
                    yield Path(where, name)


def _is_whole(path: Path) -> bool:
    """Whether a file that is no transcript is none that was cut off or broken either."""
    suffix = path.suffix.lower()
    with suppress(OSError, UntrustedFileError, MalformedLineError), open_regular(path) as file:
        head = file.readline(FIRST_LINE_BYTES)
        return suffix in _TEXTS or (bool(head) and (suffix not in _LINES or decode_any(head) is not None))
    return False


def _is_searched(where: str, name: str, device: int) -> bool:
    """Whether to look into a folder: it may hold sessions, and is on the same file system."""
    if name in _NOT_ENTERED:
        return False
    try:
        return os.lstat(os.path.join(where, name)).st_dev == device  # noqa: PTH118  a hot path
    except OSError:
        return True
