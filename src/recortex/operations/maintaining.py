"""Keeping stores small and safe: gc."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from recortex.app.jobs.running import run_due
from recortex.domain.vocabulary import Scope
from recortex.operations.base import Operations
from recortex.operations.registry import operation
from recortex.operations.results.maintaining import Collected, StoreUpkeep

if TYPE_CHECKING:
    from recortex.app.bank import Bank


class Maintaining(Operations):
    """gc."""

    @operation(destructive=True, idempotent=True)
    def gc(
        self,
        *,
        all: bool = False,  # noqa: A002  the word for it
        full: bool = False,
        dry_run: bool = False,
        scope: Scope | None = None,
    ) -> Collected:
        """Do the upkeep that is due: delete what was pruned long ago, rotate the audit log, make room, make a backup.

        The job that follows each session does the same, a few seconds at a time. A memory is deleted when it was pruned
        90 days ago and neither used nor changed since, unless it is pinned or a living memory stands on it; its id, its
        audit log and the reason stay. Entries of the audit log older than a year become counts by month. A new backup
        is opened, checked and counted before an older one goes.

        Args:
            all: do also what is not due yet.
            full: also write the file anew; others wait for as long as that takes.
            dry_run: only show what would be done.
            scope: only the project's store, or only the global one.
        """
        return Collected(
            stores=tuple(
                self._collected(bank, everything=all or full, full=full, dry_run=dry_run)
                for bank in self._app.banks(scope)
            ),
            dry_run=dry_run,
        )

    def _collected(self, bank: Bank, *, everything: bool, full: bool, dry_run: bool) -> StoreUpkeep:
        before = bank.store.bytes()
        chores = run_due(
            bank, self._app.clock, bank.settings, seconds=math.inf, everything=everything, full=full,
            dry_run=dry_run, progress=self._app.progress,
        )  # fmt: skip
        return StoreUpkeep(
            scope=bank.scope.value if bank.scope else "all", path=bank.store.shown, before=before,
            after=bank.store.bytes(), chores=tuple(chores),
        )  # fmt: skip
