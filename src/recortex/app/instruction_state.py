"""How a project's instruction files looked when they were last read: hooks compare it, by `stat` alone."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from recortex.app.projects import shown
from recortex.clients.instruction_files import persons_path, watched
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_own, replace_text
from recortex.hashes import blake2b

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from recortex.app.projects import Location

FILE = "instructions.json"
DAYS = 1
"""Files in folders below are looked for this often, where nothing else tells of a change."""
_FORMAT = 2
_MOST_BYTES = 256 * 1024


def notes_beside(transcript: str) -> str:
    """The folder in which Claude Code keeps notes on the project of a transcript; empty without one."""
    return os.path.join(os.path.dirname(transcript), "memory") if transcript else ""  # noqa: PTH118, PTH120


def persons(location: Location, root: Path, claude: Path | None) -> list[str]:
    """The path of the person's own file, which need not be there; none for a store on a server.

    Others may read what is kept there.

    Args:
        location: of the project's store.
        root: the project's top folder.
        claude: Claude Code's own folder, where it is not in the home folder.
    """
    path = None if location.remote else persons_path(claude, root)
    return [str(path)] if path else []


def changed(location: Location, root: Path, now: float, *, elsewhere: Iterable[str] = ()) -> bool:
    """Whether instruction files may have changed since they were last read; none is opened.

    Args:
        location: of the project's store.
        root: the project's top folder.
        now: seconds since 1970 UTC.
        elsewhere: paths outside the project: the person's own file, folders of a client's notes.
    """
    try:
        kept = json.loads(read_own(location.place(FILE), _MOST_BYTES))
        looks = {os.path.join(root, path): look for path, look in kept["looks"].items()}  # noqa: PTH118
        at = float(kept["at"])
        if kept["format"] != _FORMAT or kept["root"] != _mark(root):
            return True
    except (OSError, UntrustedFileError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return any(_look(path) for path in (*watched(root), *elsewhere))
    if not 0 <= now - at < DAYS * 86_400 or any(_look(path) for path in elsewhere if path not in looks):
        return True
    return any(_look(path) != look for path, look in looks.items())


def looks_of(root: Path, more: Iterable[Path]) -> dict[str, list[int] | None]:
    """How the usual places and some more files look now; None where there is nothing."""
    return {path: _look(path) for path in dict.fromkeys((*watched(root), *map(str, more)))}


def note(location: Location, root: Path, looks: dict[str, list[int] | None], now: float) -> None:
    """Note how the files looked before they were read; where that cannot be written, they are read again.

    Paths are kept as they are from the root, and none that holds a secret.
    """
    names = {
        path: os.path.relpath(path, root) if path.startswith(f"{root}{os.sep}") else path for path in looks
    }
    told = {name: looks[path] for path, name in names.items() if shown(name) == name}
    kept = {"format": _FORMAT, "root": _mark(root), "at": now, "looks": told}
    with suppress(OSError):
        replace_text(location.place(FILE), json.dumps(kept))


def _mark(root: Path) -> str:
    """Stands for a folder without its name, which may hold a secret."""
    return blake2b(os.fsencode(root), digest_size=16).hexdigest()


def _look(path: str) -> list[int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116  a hot path
    except (OSError, ValueError):
        return None
    return [status.st_mtime_ns, status.st_size]
