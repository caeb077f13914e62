"""The folders that were made for a client's files, so that uninstalling removes those that are empty then.

They are noted in a file of our own: an empty folder that the client had before stays. Without the note, all
stay.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from recortex.errors import UntrustedFileError
from recortex.filesystem import read_own, replace_text

if TYPE_CHECKING:
    from collections.abc import Iterable

NOTE = "made-folders.json"
_LARGEST = 1_000_000


def note(home: Path, made: Iterable[Path]) -> None:
    """Add folders to those that we made."""
    noted = _noted(home)
    more = [str(folder) for folder in made if str(folder) not in noted]
    if more:
        _write(home, [*noted, *more])


def take_away(home: Path) -> None:
    """Remove those that we made and that are empty, the innermost first."""
    noted = _noted(home)
    for folder in sorted(noted, key=len, reverse=True):
        with suppress(OSError):  # it holds something, or is gone
            Path(folder).rmdir()
    left = [folder for folder in noted if Path(folder).is_dir()]
    if left != noted:
        _write(home, left)


def _noted(home: Path) -> list[str]:
    try:
        found = json.loads(read_own(home / NOTE, _LARGEST))
    except (OSError, ValueError, UntrustedFileError):
        return []
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _write(home: Path, folders: list[str]) -> None:
    place = home / NOTE
    if not folders:
        place.unlink(missing_ok=True)
        return
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    replace_text(place, json.dumps(folders))
