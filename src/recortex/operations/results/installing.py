"""What putting Recortex into an agent's own program gives back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFileChange:
    """What became of one of the client's files, or would.

    Attributes:
        backup: the copy that was made before; empty where nothing was there or nothing changed.
        diff: the lines that would come and go; only where nothing is written.
    """

    path: str
    action: Literal["unchanged", "created", "changed", "removed"]
    backup: str = ""
    diff: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """A client's files after Recortex was put in or taken out.

    Attributes:
        installed: it is in there now; False after it was taken out.
        dry_run: nothing was written.
        notes: what to know or to do next.
    """

    host: str
    installed: bool
    files: tuple[HostFileChange, ...]
    dry_run: bool = False
    notes: tuple[str, ...] = ()
