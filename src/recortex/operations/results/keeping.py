"""What looking back gives back."""

from __future__ import annotations

from dataclasses import dataclass

from recortex.domain.history import AuditEntry, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The states of a memory, newest first, and what was done to it, oldest first."""

    id: str
    versions: tuple[Version, ...]
    audit: tuple[AuditEntry, ...]


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
