"""What looking back gives back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recortex.domain.history import AuditEntry, Gone, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The states of a memory, newest first, and what was done to it, oldest first.

    Attributes:
        gone: why it is gone for good: purge: a person took it out; expiry: it was pruned long ago;
            move: it went to another store, and is gone there too. None: it is there.
        gone_at: when it went.
    """

    id: str
    versions: tuple[Version, ...]
    audit: tuple[AuditEntry, ...]
    gone: Gone | None = None
    gone_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """Proof that texts are gone.

    Attributes:
        searched_bytes: how much of the store's files was read for the texts.
        traces: files that still hold one; empty when the purge is complete.
    """

    ids: tuple[str, ...]
    files: tuple[str, ...] = ()
    searched_bytes: int = 0
    traces: tuple[str, ...] = ()
    backups_rewritten: int = 0
    dry_run: bool = False
