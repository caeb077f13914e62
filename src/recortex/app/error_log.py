"""What went wrong where nobody looks: a line each in a log of bounded size, which `recortex status` reads."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from recortex.app.naming import without_secrets
from recortex.errors import UntrustedFileError
from recortex.filesystem import append_own, read_own

if TYPE_CHECKING:
    from recortex.app.projects import Location

LOG = "hooks.log"
MOST_BYTES = 128 * 1024
_LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedError:
    """One failure of a hook or of the capture process."""

    at: datetime
    event: str
    error: str


def log_error(location: Location, event: str, error: str) -> None:
    """Add a failure to the store's log; where even that fails, nothing happens."""
    at = datetime.now(UTC).isoformat(timespec="seconds")
    line = json.dumps({"at": at, "event": event, "error": without_secrets(error)[:_LONGEST]})
    with suppress(OSError, UntrustedFileError):
        location.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        append_own(location.place(LOG), f"{line}\n", MOST_BYTES)


def logged_errors(location: Location) -> list[LoggedError]:
    """The failures that the store's log holds, oldest first."""
    try:
        lines = read_own(location.place(LOG), 2 * MOST_BYTES).splitlines()
    except (OSError, UntrustedFileError):
        return []
    return [one for line in lines if (one := _logged_error(line)) is not None]


def _logged_error(line: bytes) -> LoggedError | None:
    try:
        given: Any = json.loads(line)
        at = datetime.fromisoformat(given["at"])
        return LoggedError(at=at, event=str(given["event"]), error=str(given["error"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
