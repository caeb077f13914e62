"""What went wrong where nobody looks: a line each in a log of bounded size, which `recortex status` reads."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from recortex.app.location import Location

LOG = "hooks.log"
MOST_BYTES = 128 * 1024
_LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """One failure of a hook or of the job behind it."""

    at: datetime
    event: str
    error: str


def note_trouble(location: Location, event: str, error: str) -> None:
    """Add a failure to the store's log; where even that fails, nothing happens."""
    line = json.dumps(
        {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "event": event,
            "error": " ".join(error.split())[:_LONGEST],
        }
    )
    with suppress(OSError):
        location.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _append(location.place(LOG), line)


def _append(path: Path, line: str) -> None:
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        if os.fstat(handle).st_size > MOST_BYTES:
            os.ftruncate(handle, 0)
        os.write(handle, f"{line}\n".encode())
    finally:
        os.close(handle)


def troubles(location: Location) -> list[Trouble]:
    """The failures that the store's log holds, oldest first."""
    try:
        lines = location.place(LOG).read_bytes()[: 2 * MOST_BYTES].splitlines()
    except OSError:
        return []
    return [one for line in lines if (one := _trouble(line)) is not None]


def _trouble(line: bytes) -> Trouble | None:
    try:
        given: Any = json.loads(line)
        at = datetime.fromisoformat(given["at"])
        return Trouble(at=at, event=str(given["event"]), error=str(given["error"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
