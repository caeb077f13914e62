"""Finding the sessions that agents have left on a disk.

A client is one row; nothing here reads the environment.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.errors import FormatError, InvalidInputError, UntrustedFileError
from recortex.formats.transcripts.detection import detect, format_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
MOST_ENTRIES = 200_000
"""Files and folders that are looked at. A large history of sessions has some ten thousand; a whole disk has
millions."""
_OTHER_FILES = (".meta.json",)  # a sub-agent's settings beside its transcript
_NOT_ENTERED = frozenset(
    (".git", "node_modules", "memory", "__pycache__")
)  # `memory`: the client's own notes


@dataclass(frozen=True, slots=True)
class SessionFile:
    """A transcript on disk.

    Its client, its size in bytes and when it was last written (seconds since 1970).
    """

    path: Path
    client: str
    size: int
    modified: float


@dataclass(frozen=True, slots=True)
class Found:
    """Sessions, oldest first, so that what was said later is learned later.

    Attributes:
        sessions: files that can be read.
        unknown: files with a transcript's suffix that are of no known format.
        others: sessions of another client than asked for.
        unreadable: files and folders that the system does not let us read, and what is no regular file.
        cut: the search ended early, since there were more entries than `MOST_ENTRIES`.
        places: the folders and files that were looked into, whether or not they exist.
    """

    sessions: tuple[SessionFile, ...] = ()
    unknown: tuple[Path, ...] = ()
    others: tuple[SessionFile, ...] = ()
    unreadable: tuple[Path, ...] = ()
    cut: bool = False
    places: tuple[Path, ...] = ()


def find_sessions(
    client: str | None,
    folder: Path | None = None,
    *,
    home: Path | None = None,
    config: Path | None = None,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> Found:
    """Look for sessions of a client, or of any.

    Args:
        client: one of `CLIENTS`; None takes any that is recognised.
        folder: a folder, searched with all below it, or one file; None looks where the client keeps its
            history.
        home: the person's home folder.
        config: the client's own folder where it is not in the home folder (`$CLAUDE_CONFIG_DIR`).
        progress: told how many files and folders were looked at.

    Raises:
        InvalidInputError: there is no such client, or no such folder.
        UntrustedFileError: the file that was named is no regular one.
    """
    if client is not None and client not in format_names():
        raise InvalidInputError(
            f"There is no client {client!r}.", hint=f"Known: {', '.join(format_names())}."
        )
    if folder is not None and not folder.exists():
        raise InvalidInputError(f"{folder} does not exist.", hint="Give a folder or a transcript file.")
    sessions: list[SessionFile] = []
    others: list[SessionFile] = []
    unknown: list[Path] = []
    unreadable: list[Path] = []
    walk = _Walk(unreadable, progress)
    places = tuple(_roots(client, folder, home, config))
    for path in dict.fromkeys(walk.candidates(places)):
        try:
            found = _session(path)
        except (OSError, UntrustedFileError) as error:
            if path == folder and isinstance(error, UntrustedFileError):
                raise  # it was asked for by name: say why it is not opened
            unreadable.append(path)
            continue
        if found is None:
            unknown.append(path)
        else:
            (sessions if client in {None, found.client} else others).append(found)
    sessions.sort(key=lambda one: (one.modified, str(one.path)))
    return Found(tuple(sessions), tuple(unknown), tuple(others), tuple(unreadable), walk.cut, places)


def histories(home: Path, config: Path | None = None) -> tuple[str, ...]:
    """The clients that have left a history on this machine.

    Args:
        home: the person's home folder.
        config: Claude Code's own folder where it is not in the home folder.
    """
    named = {"claude-code": config}
    return tuple(
        client
        for client in CLIENTS
        if any(place.is_dir() for place in _roots(client, None, home, named.get(client)))
    )


def _roots(client: str | None, folder: Path | None, home: Path | None, config: Path | None) -> Iterator[Path]:
    if folder is not None:
        yield folder
        return
    for name in [client] if client else CLIENTS:
        own, parts = _HISTORIES.get(name, ("", ()))  # a plug-in's files may be anywhere
        base = config if config is not None and client else (home / own if home else None)
        yield from (base / part for part in parts if base is not None)


class _Walk:
    """Looks through folders for files that may be transcripts, on one file system, and not without end."""

    def __init__(self, unreadable: list[Path], progress: Callable[[str, int, int], None]) -> None:
        self._unreadable = unreadable
        self._progress = progress
        self._entries = 0
        self.cut = False

    def candidates(self, roots: Iterable[Path]) -> Iterator[Path]:
        for root in roots:
            if not root.is_dir():
                yield from [root] if root.exists() else []  # a client that was never used here has none
                continue
            yield from self._below(root)

    def _below(self, root: Path) -> Iterator[Path]:
        device = root.stat().st_dev
        for where, folders, files in os.walk(root, onerror=self._note):
            self._entries += len(folders) + len(files)
            if self._entries > MOST_ENTRIES:
                self.cut = True
                return
            self._progress("looking for sessions", self._entries, 0)
            folders[:] = sorted(name for name in folders if self._entered(where, name, device))
            for name in sorted(files):
                if Path(name).suffix.lower() in _SUFFIXES and not name.endswith(_OTHER_FILES):
                    yield Path(where, name)

    def _note(self, error: OSError) -> None:
        self._unreadable.append(Path(error.filename))

    @staticmethod
    def _entered(where: str, name: str, device: int) -> bool:
        """Whether a folder is looked into.

        None that never holds sessions, and none of another file system.
        """
        if name in _NOT_ENTERED:
            return False
        try:
            return os.lstat(os.path.join(where, name)).st_dev == device  # noqa: PTH118  a hot path
        except OSError:
            return True


def _session(path: Path) -> SessionFile | None:
    status = path.stat()
    try:
        return SessionFile(path, detect(path).name, status.st_size, status.st_mtime)
    except FormatError:
        return None
