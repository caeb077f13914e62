"""A repository's own command files: prompts that clients send to the agent in the person's name."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from recortex import plugins
from recortex.errors import UntrustedFileError
from recortex.filesystem import read_regular

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_FILES, MOST_BYTES, MOST_FOLDERS = 300, 64_000, 300
"""Of one folder's commands: files that are read, bytes of one, and folders that are looked into."""
_OF_ALL = (".agents",)
"""The folders of any client, beside those that each declares for itself."""
_FOLDERS = ("command", "commands", "prompts", "skill", "skills", "workflows")
_ENDINGS = (".md", ".toml")


def command_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each command file that clients find below a folder.

    Links to folders are not followed; what is no regular file, is too large or is no UTF-8 is left out.
    """
    real, read = folder.resolve(), 0
    for path in _found(folder):
        if read == MOST_FILES:
            return
        with suppress(OSError, UntrustedFileError, ValueError):
            if path.resolve().is_relative_to(real):
                text = read_regular(path, MOST_BYTES).decode()
                read += 1
                yield path.name, text


def _found(folder: Path) -> Iterator[Path]:
    looked = 0
    owned = (*(own for client in plugins.clients() for own in client.own_folders), *_OF_ALL)
    for top in (folder / own / name for own in owned for name in _FOLDERS):
        if not top.is_dir() or top.is_symlink():
            continue
        for place, folders, names in os.walk(top):
            looked += 1
            if looked > MOST_FOLDERS:
                return
            folders.sort()
            skills = top.name.startswith("skill")
            for name in sorted(names):
                if name == "SKILL.md" or (not skills and name.endswith(_ENDINGS)):
                    yield Path(place, name)
