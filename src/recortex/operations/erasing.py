"""Deleting a store whole: erase."""

from __future__ import annotations

from dataclasses import dataclass, field

from recortex.domain.query import MemoryQuery
from recortex.domain.spelled import AnyScope
from recortex.domain.vocabulary import Scope
from recortex.operations.base import Operations
from recortex.operations.registry import operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """Proof that a store is gone.

    Attributes:
        path: where it was.
        memories: that it held, whatever their status.
        files: that were deleted, with their bytes: the store, its backups and indexes, what waited to be
            learned, and the facts of the project's code.
        rows: that were deleted on a server, by table.
        left: files and tables of it that are still there; empty when all of it is gone.
    """

    scope: str
    path: str
    memories: int = 0
    files: dict[str, int] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    left: tuple[str, ...] = ()
    dry_run: bool = False

    @property
    def changes_nothing(self) -> bool:
        """There is nothing to delete, so nobody needs to be asked."""
        return not (self.files or self.rows)


class ErasureOperations(Operations):
    """erase."""

    @operation(destructive=True, idempotent=True, person=True)
    def erase(self, *, scope: AnyScope = Scope.PROJECT, dry_run: bool = False) -> Erased:
        """Delete the whole memory of this project for good, backups and all; nothing can bring it back.

        Afterwards its files and tables are looked for: `left` names what is still there. Your own store, the
        agents' transcripts and what you exported stay. `recortex purge` deletes single memories and texts.

        Args:
            scope: the project's store, or your own (global).
            dry_run: only show what would be deleted.
        """
        from recortex.app.erasing import erase, held

        locations = self._app.locations
        location = locations[None if None in locations else Scope(scope)]
        before = held(location)
        known = 0
        if location.exists:
            known = self._app.services_at(location).store.memories.count(MemoryQuery(statuses=()))
        after = None if dry_run else erase(self._app, location)
        return Erased(
            scope=Scope(scope).value,
            path=location.shown,
            memories=known,
            files=before.files,
            rows=before.rows,
            left=(*after.files, *after.rows) if after else (),
            dry_run=dry_run,
        )
