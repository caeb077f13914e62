"""Whose the notes are that Claude Code keeps beside the sessions of a project.

It names their folder by the project's path, with a dash for every sign that is no letter or digit, so that
`/a-b` and `/a/b` share one. Notes in a shared folder are nobody's until the person says whose they are.
"""

from __future__ import annotations

import json
import os
import shlex
from contextlib import suppress
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.app.naming import shown
from recortex.app.turn_places import TurnPlaces
from recortex.errors import UntrustedFileError
from recortex.filesystem import open_regular, read_own, replace_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from recortex.app.location import Location
    from recortex.app.projects import Project

FILE = "notes.json"
"""Beside the store: the shared folders that the person said are this project's."""
_MOST_BYTES = 64 * 1024
_MOST_SESSIONS = 200
_FIRST_LINES = 40
_LONGEST_LINE = 256 * 1024
_MOST_ENTRIES = 20_000
"""Of the folders that are looked through for one whose path has the same name."""


def notes_folder(claude: Path | None, root: Path) -> Path:
    """The folder in which Claude Code keeps its notes on a project.

    Args:
        claude: Claude Code's own folder, where it is not in the home folder.
        root: the project's top folder.
    """
    return (claude or Path.home() / ".claude") / "projects" / name_of(str(root)) / "memory"


def name_of(path: str) -> str:
    """What Claude Code calls a folder's path by."""
    return "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in path)


def sharer(folder: Path, root: Path, project_of: Callable[[str], Path | None]) -> str:
    """The path of another folder, of another project or of none, whose notes lie in this one; else empty.

    Args:
        folder: in which the notes are.
        root: the project's top folder.
        project_of: the root of the project that a folder lies in; None where that is not known.
    """
    own, name = root.resolve(), folder.parent.name
    # In which folders the latest sessions of a client's folder began.
    found: list[tuple[float, str]] = []
    with suppress(OSError), os.scandir(folder.parent) as entries:
        found = [
            (entry.stat().st_mtime, entry.path)
            for entry in entries
            if entry.name.endswith(".jsonl") and entry.is_file()
        ]
    seen = (_begun(Path(path)) for _, path in sorted(found, reverse=True)[:_MOST_SESSIONS])
    for path in chain(iter(dict.fromkeys(filter(None, seen))), islice(_named(name), _MOST_SESSIONS)):
        if name_of(path) == name and not _inside(path, own) and project_of(path) != own:
            return path
    return ""


def sharers(location: Location, project: Project, folders: Sequence[Path]) -> dict[Path, str]:
    """Those of some folders whose notes may be another project's, each with its path.

    Args:
        location: of the project's store, which knows what the person said.
        project: the project.
        folders: in which notes are.
    """
    places, said = TurnPlaces(project.root, project.home), _said(location)
    unsaid = (folder for folder in folders if _mark(folder) not in said and folder.is_dir())
    found = {folder: sharer(folder, project.root, places.project_of) for folder in unsaid}
    return {folder: other for folder, other in found.items() if other}


def describe_unread(folder: Path, other: str) -> tuple[str, str]:
    """In words that the notes of a shared folder are not read, and what the person can do."""
    place = shown(str(folder))
    both = f"this project and on {shown(other)} in one folder, {place}"
    return (
        f"Claude Code keeps its notes on {both}: they are not read, since nothing says whose they are.",
        f"If they are this project's: `recortex import rules {shlex.quote(place)}`.",
    )


def claim(location: Location, folder: Path) -> None:
    """Note that the person said that a folder's notes are this project's.

    Raises:
        OSError: it cannot be written.
    """
    marks = sorted({*_said(location), _mark(folder)})
    replace_text(location.place(FILE), json.dumps({"mine": marks}))


def _said(location: Location) -> frozenset[str]:
    try:
        kept = json.loads(read_own(location.place(FILE), _MOST_BYTES))["mine"]
        return frozenset(mark for mark in kept if isinstance(mark, str))
    except (OSError, UntrustedFileError, ValueError, TypeError, KeyError, RecursionError):
        return frozenset()


def _mark(folder: Path) -> str:
    """Stands for a folder without its name, which may hold a secret."""
    return blake2b(os.fsencode(folder.resolve()), digest_size=16).hexdigest()


def _inside(path: str, own: Path) -> bool:
    try:
        return Path(path).resolve().is_relative_to(own)
    except (OSError, ValueError, RuntimeError):
        return False


def _begun(path: Path) -> str:
    """The folder that a session's first line with one names."""
    with suppress(OSError, UntrustedFileError), open_regular(path) as file:
        for _ in range(_FIRST_LINES):
            raw = file.readline(_LONGEST_LINE)
            with suppress(ValueError, RecursionError):
                line = json.loads(raw or b"null")
                cwd = line.get("cwd") if isinstance(line, dict) else None
                if isinstance(cwd, str) and cwd:
                    return cwd
    return ""


def _named(name: str) -> Iterator[str]:
    """The folders on this machine whose paths have a name; only such are entered as may lead to one."""
    start = Path(Path.cwd().anchor or os.sep)
    beginning = name_of(str(start))
    waiting = [(str(start), name.removeprefix(beginning))] if name.startswith(beginning) else []
    looked = 0
    while waiting and looked < _MOST_ENTRIES:
        place, rest = waiting.pop()
        with suppress(OSError), os.scandir(place) as entries:
            for entry in islice(entries, _MOST_ENTRIES - looked):
                looked += 1
                part = name_of(entry.name)
                if not (rest == part or rest.startswith(f"{part}-")) or not entry.is_dir():
                    continue
                if rest == part:
                    yield entry.path
                else:
                    waiting.append((entry.path, rest[len(part) + 1 :]))
