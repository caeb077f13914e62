"""Whether every part of the memory works; what it brought and cost in a week; and what a person might do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from recortex.app.diagnosis import SAMPLES, failing, losses
from recortex.app.hooks.context import logged_errors
from recortex.domain.time import to_micros
from recortex.domain.vocabulary import Scope
from recortex.engines.privacy import redact
from recortex.metrics.counting import pending
from recortex.metrics.records import DAY, Histogram, MetricRecords
from recortex.operations.maintenance import HookTimes, Week

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.app.application import Application, StoreServices
    from recortex.metrics.records import Asked


HOUR, A_DAY, RECENT = timedelta(hours=1), timedelta(days=1), timedelta(days=7)
MOST_AN_HOUR = 3
"""Failures of one part within an hour; more are an alert."""
MANY_WAITING = 0.05
"""The share of memories without a vector from which recall by meaning is worse."""


_OWN = frozenset({"embedding model", "sqlite-vec", "privacy"})
"""Parts whose failures are told with what they belong to."""
State = tuple[Literal["healthy", "degraded", "unavailable"], str]
_WELL: State = ("healthy", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subsystem:
    """A part of the memory: whether it works, and why not."""

    name: str
    state: Literal["healthy", "degraded", "unavailable"]
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A part that fails too often, or for too long: more than three times in an hour, or for a day."""

    level: Literal["warning", "critical"]
    component: str
    message: str


def subsystems(app: Application) -> tuple[Subsystem, ...]:
    """Every part of the memory, each over all stores."""
    stores = app.all_services()
    failed = {one.degradation.component: one.degradation.failure for each in stores for one in failing(each)}
    found = (
        ("storage", _storage(stores)),
        ("embeddings", _embeddings(app, stores, failed)),
        ("causal graph", _graph(stores)),
        ("privacy", _privacy(failed)),
        ("sessions", _sessions(app)),
        *((name, ("degraded", why)) for name, why in failed.items() if name not in _OWN),
    )
    return tuple(Subsystem(name=name, state=state, why=why) for name, (state, why) in found)


def _storage(stores: Sequence[StoreServices]) -> State:
    # What cannot be written comes before what was lost: until that is mended, nothing new is kept.
    for services in stores:
        if why := services.store.unwritable:
            return "unavailable", f"{services.location.shown} cannot be written: {why}"
    for services in stores:
        if lost := losses(services.store):
            return "degraded", lost[0]
    return _WELL


def _embeddings(app: Application, stores: Sequence[StoreServices], failed: Mapping[str, str]) -> State:
    if app.settings["embedder"] == "none":
        return "unavailable", "vectors are switched off (setting `embedder`)"
    if not all(services.store.vectors.available for services in stores):
        return "unavailable", "sqlite-vec cannot be loaded: recall goes by words alone"
    if why := failed.get("embedding model"):
        return "degraded", why
    waiting = sum(services.store.vectors.count_pending() for services in stores)
    memories = sum(
        sum(one.values()) for services in stores for one in services.store.memories.counts().values()
    )
    if waiting > MANY_WAITING * memories:
        return "degraded", f"{waiting:,} of {memories:,} memories have no vector yet"
    return _WELL


def _graph(stores: Sequence[StoreServices]) -> State:
    circles = sum(len(services.store.relations.circular()) for services in stores)
    return ("degraded", f"{circles:,} relations make memories causes of themselves") if circles else _WELL


def _privacy(failed: Mapping[str, str]) -> State:
    skipped = redact("").skipped
    why = failed.get("privacy") or (f"rules that cannot be run: {', '.join(skipped)}" if skipped else "")
    return ("degraded", why) if why else _WELL


def _sessions(app: Application) -> State:
    # Sessions are worked on in processes that nobody watches: their log is all that tells.
    since = app.clock() - A_DAY
    failed = [one for place in app.locations.values() for one in logged_errors(place) if one.at >= since]
    return ("degraded", f"{len(failed)} hooks or captures failed within a day") if failed else _WELL


def alerts(app: Application) -> tuple[Alert, ...]:
    """The parts that failed too often within the last hour, or fail since more than a day."""
    now, found = app.clock(), []
    for services in app.all_services():
        for component, times in services.store.ledger.degraded_since(now - HOUR).items():
            if times > MOST_AN_HOUR:
                said = f"{component} failed {times} times within an hour"
                found.append(Alert(level="warning", component=component, message=said))
        for one in failing(services):
            # What failed last more than a week ago may have been switched off since.
            if now - one.first_at > A_DAY and now - one.last_at < RECENT:
                told = one.degradation
                said = f"{told.component} fails since {one.first_at:%Y-%m-%d %H:%M}: {told.failure}"
                found.append(Alert(level="critical", component=told.component, message=said))
    return tuple(found)


# -- whether every part works


DAYS = timedelta(days=7)
SOON = timedelta(seconds=1)
OFTEN = 3
"""A question that found nothing so often is told of."""
MOST_ASKED = 1_000
STALE, LEAST_STALE = 0.2, 10
"""The share and number of memories whose code changed from which a person is told."""


def counted(app: Application, days: timedelta) -> dict[tuple[str, str], Histogram]:
    """What was counted lately, with what is still to be counted, by name and label."""
    stores = app.all_services(Scope.PROJECT)
    if not stores:
        return {}
    # This process's own timings are not written yet.
    if app.metered:
        app.metered.flush()
    since = app.clock() - days
    found = stores[0].store.records(MetricRecords).totals(since)
    for key, (times, total) in pending(stores[0])[0].items():
        if key.day >= int(since.timestamp()) // DAY:
            known = found.get((key.name, key.label), Histogram({}, 0.0))
            buckets = {**known.buckets, key.bucket: known.buckets.get(key.bucket, 0) + times}
            found[key.name, key.label] = Histogram(buckets, known.total + total)
    return found


def questions_of(services: StoreServices, since: datetime, limit: int) -> list[Asked]:
    """The last questions since a time, latest first, with those that are still to be counted."""
    waiting = [one for one in pending(services)[1] if one.at >= since]
    kept = services.store.records(MetricRecords).questions(since, limit)
    return sorted([*reversed(waiting), *kept], key=lambda one: one.at, reverse=True)[:limit]


def report(app: Application) -> tuple[Week, tuple[str, ...]]:
    """The last seven days, and what a person might do."""
    found, since, until = counted(app, DAYS), app.clock() - DAYS, app.clock() + SOON
    sessions = [one for each in app.all_services(Scope.PROJECT)[:1] for one in [each.store.sessions]]
    given = [one for records in sessions for one in records.given(since, until)]
    ids = list({one.memory for one in given})
    stores = [(each, each.store.records(MetricRecords)) for each in app.all_services()]
    shares = [records.shares(since) for _, records in stores]
    results = [one for (name, _), one in found.items() if name == "results"]
    week = Week(
        sessions=sum(len(records.find_between(since, until)) for records in sessions),
        given=sum(one.times for one in given),
        used=sum(one.times_used for one in given),
        wrong=sum(records.since_wrong(ids) for _, records in stores) if ids else 0,
        tokens=sum(one.tokens for one in given),
        tokens_used=sum(one.tokens_used for one in given),
        questions=sum(one.times for one in results),
        answered=sum(one.times - one.buckets.get(0, 0) for one in results),
        hooks=hook_times(found),
        added=sum(one.added for one in shares),
        grown=_grown(app, to_micros(since)),
        waiting=sum(records.waiting() for _, records in stores),
        contradicted=sum(one.contradicted for one in shares),
        ailing=tuple(f"{one.name}: {one.why}" for one in subsystems(app) if one.state != "healthy"),
    )
    stale, active = sum(one.stale for one in shares), sum(one.active for one in shares)
    return week, tuple(_advice(app, week, stale, active, alerts(app)))


def hook_times(found: Mapping[tuple[str, str], Histogram]) -> tuple[HookTimes, ...]:
    """How long hooks took, by event, the most frequent first."""
    hooks = [
        HookTimes(event=label, times=one.times, ms=round(one.at(0.5), 1), slow_ms=round(one.at(0.95), 1))
        for (name, label), one in found.items()
        if name == "hook"
    ]
    return tuple(sorted(hooks, key=lambda one: (-one.times, one.event)))


def unanswered(app: Application, days: timedelta) -> int:
    """How many questions found nothing each time, three times at least."""
    asked = [
        one
        for services in app.all_services(Scope.PROJECT)[:1]
        for one in questions_of(services, app.clock() - days, MOST_ASKED)
    ]
    empty = [one.digest for one in asked if not one.results]
    # A question that found something once is answered, if only later.
    found = {one.digest for one in asked if one.results}
    return sum(empty.count(one) >= OFTEN for one in set(empty) - found)


def _grown(app: Application, since: int) -> int | None:
    """Bytes by which the stores grew, by the sizes that upkeep noted."""
    changes = []
    for services in app.all_services():
        samples = services.store.maintenance.samples(SAMPLES)
        # Without a sample that is old enough, the oldest one.
        before = next((one for one in samples if one.at <= since), samples[-1] if samples else None)
        if before is not None:
            changes.append(services.store.bytes() - before.bytes)
    return sum(changes) if changes else None


def _advice(
    app: Application, week: Week, stale: int, active: int, alarming: tuple[Alert, ...]
) -> Iterator[str]:
    """What a person might do, the gravest first."""
    for one in sorted(alarming, key=lambda one: one.level):
        yield f"{one.level}: {one.message}. `recortex doctor` says what to do."
    # A share and a number: in a young store, two of five memories are no reason to act.
    if stale >= LEAST_STALE and stale > STALE * active:
        yield f"{stale:,} of {active:,} memories cite code that changed: `recortex validate` checks them."
    if often := unanswered(app, DAYS):
        yield f"{often:,} questions were asked three times or more and found nothing each time."
    for hook in week.hooks:
        if hook.slow_ms > LATE.get(hook.event, USUALLY_LATE):
            yield f"Of 100 hooks of {hook.event}, five take longer than {hook.slow_ms:,.0f} ms."


LATE, USUALLY_LATE = {"session-start": 2_000.0}, 1_000.0
"""Milliseconds of 95 in 100 hooks of an event from which a person is told: half of their time, or less."""
