"""Growing old: lifecycle."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

from recortex.app.jobs.lifecycle import run_lifecycle
from recortex.app.jobs.running import Done, run_due, work_on
from recortex.app.jobs.work import DOUBTED, is_believed
from recortex.domain.spelled import AnyScope
from recortex.domain.time import as_utc
from recortex.domain.vocabulary import Scope, Status
from recortex.operations.base import Operations, filled, scope_name
from recortex.operations.registry import operation


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusChange:
    """A memory that moved on.

    Attributes:
        status: that it has now, or would have.
        reason: why, in a sentence without a word of the memory.
    """

    id: str
    scope: Scope
    kind: str
    status: Status
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """What was archived and pruned.

    Attributes:
        considered: how many memories were old enough to be looked at.
        archived: how many were archived; `undo` or `restore` brings one back.
        pruned: how many were pruned after their time in the archive.
        changes: each of them.
        warnings: which stores nothing was put away in, and why.
    """

    now: datetime
    considered: int = 0
    archived: int = 0
    pruned: int = 0
    changes: tuple[StatusChange, ...] = ()
    dry_run: bool = False
    warnings: tuple[str, ...] = ()


class LifecycleOperations(Operations):
    """lifecycle."""

    @operation(idempotent=True, told=("dry_run",))
    def lifecycle(
        self,
        *,
        now: datetime | None = None,
        dry_run: bool = False,
        trust_clock: bool = False,
        scope: AnyScope | None = None,
    ) -> Lifecycle:
        """Archive what has faded, and prune what has been archived unused for a long time.

        A memory fades from its last use on, by its kind's half-life; pinned memories and hubs do not. It is
        archived after 14 days below its kind's threshold, a proposal after 60 days without confirmation, and
        both are pruned 30 days later (settings: `lifecycle.*`). `restore` and `undo` bring it back.

        Args:
            now: act as if it were this time.
            dry_run: only show what would change.
            trust_clock: the clock is right, even if it has jumped since the store was last used.
            scope: only the project's memories, or only the global ones.
        """
        at = as_utc(now) if now is not None else self._app.clock()
        stores = list(self._app.all_services(scope))
        doubting = (
            []
            if now is not None or dry_run
            else [
                services
                for services in stores
                if not is_believed(
                    work_on(services, self._app.clock, services.settings, math.inf), trusted=trust_clock
                )
            ]
        )
        passes = [
            (services, run_lifecycle(services, at, services.settings, dry_run=dry_run))
            for services in stores
            if services not in doubting
        ]
        return Lifecycle(
            now=at,
            considered=sum(aged.considered for _, aged in passes),
            archived=sum(aged.count(Status.ARCHIVED) for _, aged in passes),
            pruned=sum(aged.count(Status.PRUNED) for _, aged in passes),
            changes=tuple(
                filled(StatusChange, step, scope=services.scope or Scope.PROJECT)
                for services, aged in passes
                for step in aged.transitions
            ),
            dry_run=dry_run,
            warnings=tuple(f"{scope_name(services)}: {DOUBTED}" for services in doubting),
        )


# -- keeping stores small and safe: gc


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
        trust_clock: bool = False,
        scope: AnyScope | None = None,
    ) -> Collected:
        """Do the maintenance that is due: delete what was pruned long ago, rotate the audit log, compact.

        The same happens after each session. A memory is deleted 90 days after it was pruned, unless it was
        used since, is pinned or is needed; its id and the reason stay.

        Args:
            all: also do what is not due yet.
            full: also rewrite the file; other processes wait.
            dry_run: only show what would be done.
            trust_clock: the clock is right, even if it has jumped since the store was last used.
            scope: only this store.
        """
        stores = []
        for services in self._app.all_services(scope):
            before = services.store.bytes()
            if trust_clock and not dry_run:
                is_believed(work_on(services, self._app.clock, services.settings, math.inf), trusted=True)
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
