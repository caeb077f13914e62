"""Looking after the stores: status, doctor, backup, recover, lifecycle, gc."""

from __future__ import annotations

import math
import os
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from recortex.app.diagnosis import (
    Health,
    HealthFinding,
    diagnose,
    failing,
    health,
    installed,
    losses,
    notices,
    pending,
)
from recortex.app.hooks import (
    STATUS,
    LoggedError,
    logged_errors,
    read_status,
    waiting_requests,
)
from recortex.app.jobs import DOUBTED, is_believed
from recortex.app.jobs.lifecycle import run_lifecycle
from recortex.app.jobs.reembedding import index_notice, outlook
from recortex.app.jobs.running import Done, run_due, work_on
from recortex.app.projects import carries_foreign, is_above_all, without_password
from recortex.domain.search import MemoryQuery
from recortex.domain.text import as_utc
from recortex.domain.vocabulary import AnyScope, Scope, Status
from recortex.engines.similarity import content_hash
from recortex.errors import InvalidInputError
from recortex.lean import Value, field, lazy_module
from recortex.operations.agents import writable
from recortex.operations.base import Operations, filled, scope_name
from recortex.operations.inspecting import StoreCounts, figures
from recortex.operations.registry import operation
from recortex.plugins import capability, load
from recortex.settings import SETTINGS
from recortex.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.app.application import StoreServices
    from recortex.app.backends import files
    from recortex.app.projects import Location
else:
    files = lazy_module("recortex.app.backends.files")


SHOWN_FAILURES = 5


class ModelChange(Value, frozen=True, kw_only=True):
    """A change of the embedding model that is not done yet.

    Memories without a vector of it are found by their words.

    Attributes:
        model: that is set.
        former: models whose vectors memories still have.
        share: of the memories, from 0 to 1, that have a vector of the model.
        left: memories that have none of it.
        per_second: memories in a second so far; 0 where it is not known.
        seconds_left: of work, at that rate; nothing where it is not known.
    """

    model: str
    former: tuple[str, ...]
    share: float
    left: int
    per_second: float = 0.0
    seconds_left: float | None = None


class StoreStatus(StoreCounts, frozen=True, kw_only=True):
    """One store in figures."""

    bytes: int
    schema: int
    backups: int
    health: Health | None = None
    model_change: ModelChange | None = None


class Fallback(Value, frozen=True, kw_only=True):
    """Something that could not be used, and what is used instead."""

    component: str
    failure: str
    fallback: str
    recovered: bool
    last_at: datetime
    times: int


class SessionLoop(Value, frozen=True, kw_only=True):
    """How learning from the agent's sessions goes.

    Attributes:
        waiting: sessions that wait to be learned from.
        runs: of the capture process; `last` and `totals` are its counts and times.
        failures: the last ones of hooks and capture processes; `failed` counts all that the log holds.
    """

    waiting: int = 0
    runs: int = 0
    last: dict[str, Any] = field(default_factory=dict)
    totals: dict[str, Any] = field(default_factory=dict)
    failed: int = 0
    failures: tuple[LoggedError, ...] = ()


class ModelUse(Value, frozen=True, kw_only=True):
    """What the language model cost today, where one is set."""

    provider: str
    model: str
    calls: int
    tokens: int
    usd: float
    daily_usd: float
    daily_tokens: int


class HookTimes(Value, frozen=True, kw_only=True):
    """How long the hooks of an event took: median, and what 95 in 100 do not exceed, in milliseconds."""

    event: str
    times: int
    ms: float
    slow_ms: float


class Week(Value, frozen=True, kw_only=True):
    """What the memory brought and cost in the last seven days.

    Attributes:
        sessions: of agents, that were seen.
        given: memories and exchanges, each time they were given; `used` of them were used.
        wrong: memories that were given and are replaced or contradicted by now.
        tokens: cl100k_base, of all that was given; `tokens_used` of what was used.
        questions: of agents and people; `answered` of them.
        hooks: by event, the most frequent first.
        added: active memories that were recorded; `grown` bytes, where it is known.
        waiting: memories that wait for the person's approval; `contradicted` memories wait for a decision.
        ailing: parts that do not work as they should, and why.
    """

    sessions: int
    given: int
    used: int
    wrong: int
    tokens: int
    tokens_used: int
    questions: int
    answered: int
    hooks: tuple[HookTimes, ...]
    added: int
    grown: int | None
    waiting: int
    contradicted: int
    ailing: tuple[str, ...] = ()


class StatusReport(Value, frozen=True, kw_only=True):
    """How the memory is; `notices` say what a person might do.

    Attributes:
        lost: what stores lost of what they had acknowledged.
    """

    version: str
    stores: tuple[StoreStatus, ...]
    embedder: str
    lost: tuple[str, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()
    session_loop: SessionLoop = SessionLoop()
    language_model: ModelUse | None = None
    week: Week | None = None
    notices: tuple[str, ...] = ()


class SettingValue(Value, frozen=True, kw_only=True):
    """A setting with where it came from."""

    name: str
    value: Any
    origin: str
    place: str
    help: str


class Diagnosis(Value, frozen=True, kw_only=True):
    """What is installed, where data is, whether it is whole, which settings hold.

    Attributes:
        healthy: no finding is a problem or a loss.
    """

    healthy: bool
    findings: tuple[HealthFinding, ...]
    settings: tuple[SettingValue, ...]
    installed: dict[str, str]


class BackedUp(Value, frozen=True, kw_only=True):
    """A backup that was made."""

    path: str
    bytes: int
    memories: int


class Recovered(Value, frozen=True, kw_only=True):
    """How a store was brought back.

    Attributes:
        outcome: whole: nothing was wrong; repaired: its own file was mended; restored: from a backup; fresh:
            a new store had to be begun.
        kept: the damaged file, never deleted.
        lost: what could not be brought back, or only as it was in a backup; each begins with the memory's id
            where it is known.
    """

    outcome: Literal["whole", "repaired", "restored", "fresh"]
    memories: int
    steps: tuple[str, ...] = ()
    kept: str = ""
    lost: tuple[str, ...] = ()


class MaintenanceOperations(Operations):
    """status, doctor, backup, recover."""

    @operation(core=True, read_only=True)
    def status(self) -> StatusReport:
        """Show what memory brought and cost this week, what is kept where, and what does not work."""
        stores: list[StoreStatus] = []
        fallbacks: list[Fallback] = []
        all_services = self._app.all_services()  # once: another thread may open one more meanwhile
        for services in all_services:
            stores.append(
                StoreStatus(
                    **figures(services),
                    bytes=services.store.bytes(),
                    schema=services.store.schema,
                    backups=len(services.store.backups.all()),
                    health=health(services, services.settings),
                    model_change=_change(services),
                )
            )
            fallbacks += [
                filled(Fallback, one.degradation, last_at=one.last_at, times=one.times)
                for one in failing(services)
            ]
        week, advice = self._week() if stores else (None, ())
        return StatusReport(
            version=__version__,
            stores=tuple(stores),
            embedder=self._app.embedder_name,
            lost=tuple(
                f"{services.location.shown}: {lost}"
                for services in all_services
                for lost in losses(services.store)
            ),
            fallbacks=tuple(fallbacks),
            session_loop=self._session_loop(),
            language_model=self._language_model(),
            week=week,
            notices=(*self._notices(all_services, stores), *advice),
        )

    def _week(self) -> tuple[Week, tuple[str, ...]]:
        """What the memory brought and cost, and what a person might do."""
        found: tuple[Week, tuple[str, ...]] = load(capability("metrics").report)(self._app)
        return found

    def _notices(self, all_services: Sequence[StoreServices], stores: Sequence[StoreStatus]) -> Iterator[str]:
        # What is unusual about the folder that the memory is kept for
        project = self._app.project
        if is_above_all(project.root):
            yield (
                f"{project.root} is no project: what is kept here is used in this folder alone. Run Recortex "
                "in a project's folder, or keep what holds everywhere with `--scope global`."
            )
        if carries_foreign(project):
            yield (
                "This checkout carries the id of another data directory (RECORTEX_HOME): each keeps its own "
                f"memories of it, and what is told here comes from {project.home} alone."
            )
        if ignored := len(self._app.settings.problems):
            # Their words may be a stranger's, of a project's file, and an agent reads this: `doctor` alone
            # repeats them.
            yield f"{ignored} of what was set cannot be used: `recortex doctor` names it."
        if self._app.project.elsewhere:
            yield (
                "This checkout was moved or copied, and its memories are kept for another path: run "
                "`recortex init`."
            )
        yield from (notice for services in all_services if (notice := pending(services).notice))
        yield from (" ".join(slow) for services in all_services if (slow := index_notice(services)))
        for services, store in zip(all_services, stores, strict=True):
            yield from notices(store.health, services.settings) if store.health else ()

    def _language_model(self) -> ModelUse | None:
        settings = self._app.settings
        if not settings["llm.provider"]:
            return None
        spent = self._app.services(Scope.GLOBAL).store.model_calls.total_today(self._app.clock())
        return filled(
            ModelUse,
            spent,
            provider=settings["llm.provider"],
            model=settings["llm.model"],
            # The store counts in millionths of a dollar, as integers.
            usd=spent.micro_usd / 1_000_000,
            daily_usd=settings["llm.daily_usd"],
            daily_tokens=settings["llm.daily_tokens"],
        )

    def _session_loop(self) -> SessionLoop:
        places = self._app.locations.values()
        location = next(iter(places))
        record = read_status(location.place(STATUS))
        failed = sorted((one for place in places for one in logged_errors(place)), key=lambda one: one.at)
        return SessionLoop(
            waiting=waiting_requests(location.place("queue")),
            runs=int(record.get("runs") or 0),
            last=record.get("last") or {},
            totals=record.get("totals") or {},
            failed=len(failed),
            failures=tuple(failed[-SHOWN_FAILURES:]),
        )

    @operation(read_only=True)
    def doctor(self) -> Diagnosis:
        """Check installation, stores and settings, and say what to fix."""
        findings = tuple(diagnose(self._app))
        helps = {setting.name: setting.help for setting in SETTINGS}
        return Diagnosis(
            healthy=all(finding.level in {"ok", "notice"} for finding in findings),
            findings=findings,
            settings=tuple(
                filled(
                    SettingValue,
                    # A URL may hold a password.
                    one,
                    value=without_password(one.value) if one.name == "url" else one.value,
                    help=helps[one.name],
                )
                for one in self._app.settings
            ),
            installed=installed(),
        )

    @operation()
    def backup(self, path: str = "", *, scope: AnyScope = Scope.PROJECT) -> BackedUp:
        """Back up a store, whole and consistent, even while it is in use.

        Args:
            path: the file to write; by default a new one in the store's `backups` folder.
            scope: the project's store, or the global one.
        """
        services = self._app.services(scope)
        target = writable(self._app, path) if path else None
        # A file that is no backup must not be written over by one.
        if target and os.path.lexists(target) and not files.replaceable(target):
            raise InvalidInputError(f"{path} is there, and is no backup.", hint="Give another path.")
        made = services.store.backups.make(self._app.clock(), path=target)
        return BackedUp(path=str(made), bytes=made.stat().st_size, memories=files.memories_in(made))

    @operation(destructive=True, idempotent=True)
    def recover(self, *, scope: AnyScope = Scope.PROJECT) -> Recovered:
        """Repair a damaged store: from its write-ahead log, what can be read, or a backup; else start afresh.

        The damaged file is never deleted.

        Args:
            scope: the project's store, or the global one.
        """
        location = self._location(Scope(scope))
        if location.remote:
            raise InvalidInputError(
                "`recover` mends a store in a file; this one is on a server.",
                hint="Restore the server's own backup, or copy one of `recortex backup` into a new "
                "workspace: "
                "`recortex migrate-store FILE 'postgresql://…?workspace=NEW'`.",
            )
        # Nobody may write to the file while it is mended.
        self._app.close()
        backups = files.oldest_first(location.backups)
        done = files.recover(location.database, backups, now=self._app.clock(), fingerprint=content_hash)
        services = self._app.services(scope)
        count = services.store.memories.count(MemoryQuery(statuses=()))
        lost = (*done.lost, *losses(services.store))
        return filled(Recovered, done, memories=count, kept=str(done.kept or ""), lost=lost)

    def _location(self, scope: Scope) -> Location:
        locations = self._app.locations
        return locations[None if None in locations else scope]


def _change(services: StoreServices) -> ModelChange | None:
    seen = outlook(services)
    if not seen.outdated:
        return None
    left = None if seen.seconds_left is None else round(seen.seconds_left, 1)
    share, rate = round(seen.share, 4), round(seen.per_second, 1)
    return filled(ModelChange, seen, share=share, per_second=rate, seconds_left=left)


# -- growing old: lifecycle


class StatusChange(Value, frozen=True, kw_only=True):
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


class Lifecycle(Value, frozen=True, kw_only=True):
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
            # A time that was given is a trial: it says nothing of this machine's clock.
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


class StoreUpkeep(Value, frozen=True, kw_only=True):
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


class Collected(Value, frozen=True, kw_only=True):
    """What was done to the stores."""

    stores: tuple[StoreUpkeep, ...]
    dry_run: bool = False


class GarbageCollectionOperations(Operations):
    """gc."""

    @operation(destructive=True, idempotent=True, told=("all", "dry_run"))
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
                # Before the jobs, which would otherwise wait for the clock.
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
