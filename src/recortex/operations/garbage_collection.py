"""Keeping stores small and safe: gc."""

from __future__ import annotations

import math
from dataclasses import dataclass

from recortex.app.jobs.running import Done, run_due
from recortex.domain.spelled import AnyScope
from recortex.operations.base import Operations, scope_name
from recortex.operations.registry import operation


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreUpkeep:
    """What was done to a store, or would be.

    Attributes:
        before, after: the bytes that it took.
        chores: the jobs that were run, each with its counts, in their order.
    """

    scope: str
    path: str
    before: int
    after: int
    chores: tuple[Done, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What was done to the stores."""

    stores: tuple[StoreUpkeep, ...]
    dry_run: bool = False


class GarbageCollectionOperations(Operations):
    """gc."""

    @operation(destructive=True, idempotent=True)
    def gc(
        self,
        *,
        all: bool = False,  # noqa: A002  the word for it
        full: bool = False,
        dry_run: bool = False,
        scope: AnyScope | None = None,
    ) -> Collected:
        """Do the maintenance that is due: delete what was pruned long ago, rotate the audit log, compact.

        Each session is followed by the same. A memory is deleted 90 days after it was pruned, unless it was
        used since, is pinned or needed; its id and the reason stay.

        Args:
            all: do also what is not due yet.
            full: also write the file anew; others wait.
            dry_run: only show what would be done.
            scope: only this store.
        """
        stores = []
        for services in self._app.all_services(scope):
            before = services.store.bytes()
            chores = run_due(
                services,
                self._app.clock,
                services.settings,
                seconds=math.inf,
                everything=all or full,
                full=full,
                dry_run=dry_run,
                progress=self._app.progress,
            )
            name, path, after = scope_name(services), services.store.shown, services.store.bytes()
            stores.append(
                StoreUpkeep(scope=name, path=path, before=before, after=after, chores=tuple(chores))
            )
        return Collected(stores=tuple(stores), dry_run=dry_run)
