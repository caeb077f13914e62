"""Spans and metrics by OpenTelemetry, named as mem0 and Cognee name theirs (memory-semconv 0.1).

Labels are names of operations and kinds of stores, attributes counts besides: never words of a memory or
question. Who exports, and where to, is set by OpenTelemetry's own variables, such as OTEL_TRACES_EXPORTER.
"""

from __future__ import annotations

import atexit
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from recortex.app.diagnosis import SAMPLES, failing, losses
from recortex.app.hooks import logged_errors
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Scope
from recortex.engines.privacy import redact
from recortex.errors import ConfigError
from recortex.metrics.records import BOUNDS, DAY, Histogram, MetricRecords, pending
from recortex.operations.maintenance import HookTimes, Week
from recortex.telemetry import listen, trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.app.application import Application, StoreServices
    from recortex.metrics.records import Asked, StoreMetrics
    from recortex.telemetry import Record, Value

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
    if not all(services.store.has_vectors for services in stores):
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


# -- spans and metrics by OpenTelemetry, named as mem0 and Cognee name theirs (memory-semconv 0.1)
#
# Labels are names of operations and kinds of stores, attributes counts besides: never words of a memory or
# question. Who exports, and where to, is set by OpenTelemetry's own variables, such as
# OTEL_TRACES_EXPORTER.


ATTRIBUTES = {
    "results": "memory.result.count",
    "similarity": "memory.top_similarity",
    "tokens": "memory.result.tokens",
    "recipe": "memory.recipe",
    "intent": "memory.intent",
    "texts": "memory.item.count",
    "scope": "memory.scope",
}
"""Fields of spans that are exported, and as what; no other is."""
SYSTEM = {"memory.sut.name": "recortex"}


@cache
def export() -> None:
    """Export spans and metrics from now on.

    Raises:
        ConfigError: OpenTelemetry is not installed.
    """
    try:
        import opentelemetry.sdk  # noqa: F401  the API alone, which other packages bring, exports nothing
        from opentelemetry import metrics as otel_metrics
        from opentelemetry import trace as otel_trace
    except ImportError:
        raise ConfigError(
            "The setting `otel` is on, and OpenTelemetry is not installed.",
            hint="pip install 'recortex[otel]', or set otel = false.",
        ) from None
    _configure(otel_trace, otel_metrics)
    listen(_Instruments(otel_metrics.get_meter("recortex")))
    trace(_tracer(otel_trace.get_tracer("recortex")))


def _configure(otel_trace: Any, otel_metrics: Any) -> None:
    """Let OpenTelemetry's variables choose the exporters, unless the program around has chosen."""
    # A program around may have configured OpenTelemetry: then its exporters are used.
    if type(otel_trace.get_tracer_provider()).__name__ != "ProxyTracerProvider":
        return
    from importlib.metadata import entry_points

    for point in entry_points(group="opentelemetry_configurator"):
        point.load()().configure(auto_instrumentation_version=None)
    for provider in (otel_trace.get_tracer_provider(), otel_metrics.get_meter_provider()):
        if flush := getattr(provider, "force_flush", None):
            # A command line ends before the exporters' next interval.
            atexit.register(flush)


def _tracer(tracer: Any) -> Any:
    from opentelemetry import propagate
    from opentelemetry.trace import Status, StatusCode, get_current_span

    @contextmanager
    def around(name: str, fields: Mapping[str, Value], carrier: Mapping[str, str]) -> Iterator[None]:
        label = fields.get(name)
        title = f"memory.{label or name}"
        inside = get_current_span().get_span_context().is_valid
        begun = propagate.extract(carrier) if carrier and not inside else None
        attributes = {**SYSTEM, "memory.operation": str(label or name)}
        # The message of an exception would be exported with it, and may hold words of a memory.
        with tracer.start_as_current_span(
            title, context=begun, attributes=attributes, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield
            except BaseException as error:
                # Of an error its name alone: its message may hold what was asked.
                span.set_status(Status(StatusCode.ERROR, type(error).__name__))
                span.set_attribute("error.type", type(error).__name__)
                raise
            finally:
                for field, attribute in ATTRIBUTES.items():
                    if field in fields:
                        span.set_attribute(attribute, fields[field])

    return around


class _Instruments:
    """A listener that adds spans of operations to metrics."""

    def __init__(self, meter: Any) -> None:
        self._duration = meter.create_histogram(
            "memory_operation_duration_seconds",
            unit="s",
            description="Durations of operations.",
            explicit_bucket_boundaries_advisory=[bound / 1000 for bound in BOUNDS[::2]],
        )
        self._results = meter.create_histogram(
            "memory_recall_results_count",
            description="Results of questions.",
            explicit_bucket_boundaries_advisory=[0, 1, 2, 5, 10, 20, 50],
        )
        self._similarity = meter.create_histogram(
            "memory_recall_top_similarity",
            description="Likeness of the best result of questions.",
            explicit_bucket_boundaries_advisory=[one / 10 for one in range(1, 11)],
        )

    def __call__(self, record: Record) -> None:
        if record.kind != "span" or record.name != "operation":
            return
        labels = {
            "operation": str(record.fields["operation"]),
            "sut_name": "recortex",
            "status": "error" if record.error else "ok",
        }
        self._duration.record(record.seconds, labels)
        if "results" in record.fields:
            with suppress(TypeError, ValueError):
                self._results.record(int(record.fields["results"]), labels)
                self._similarity.record(float(record.fields["similarity"]), labels)


# -- text for Prometheus


class Series(NamedTuple):
    """A histogram: what is counted, as what it is told, by which label, within which buckets and bounds."""

    of: str
    name: str
    label: str
    said: str
    bounds: tuple[tuple[int, float], ...]
    unit: float = 1.0


_SECONDS = tuple((place, bound / 1000) for place, bound in enumerate(BOUNDS) if place % 2 == 0)
"""Every second bound: with all of them, each operation would have twenty lines more."""
_SHARES = tuple((bound, bound / 20) for bound in range(2, 21, 2))
SERIES = (
    Series(
        "operation",
        "memory_operation_duration_seconds",
        "operation",
        "Durations of operations.",
        _SECONDS,
        1000,
    ),
    Series(
        "hook",
        "recortex_hook_duration_seconds",
        "hook",
        "Durations of hooks, from the start of their process.",
        _SECONDS,
        1000,
    ),
    Series("job", "recortex_job_duration_seconds", "job", "Durations of background jobs.", _SECONDS, 1000),
    Series(
        "results",
        "memory_recall_results_count",
        "operation",
        "Results of questions.",
        tuple((bound, float(bound)) for bound in (0, 1, 2, 5, 10, 20, 50)),
    ),
    Series(
        "similarity",
        "memory_recall_top_similarity",
        "operation",
        "Likeness of the best result of questions, 0 to 1.",
        _SHARES,
    ),
)
_LEVELS = {"healthy": 0, "degraded": 1, "unavailable": 2}
_GAUGES = (
    ("memory_bytes_total", "Size of the store.", "bytes"),
    ("recortex_stale_memories", "Active memories some of whose cited code is changed or gone.", "stale"),
    ("recortex_contradicted_memories", "Active memories that another one contradicts.", "contradicted"),
)


def exposition(
    found: Mapping[tuple[str, str], Histogram], stores: Sequence[StoreMetrics], parts: Sequence[Subsystem]
) -> str:
    """Everything that was counted."""
    histograms = (line for one in SERIES for line in _series(one, found))
    return "\n".join([*histograms, *_sums(found), *_kept(stores), *_working(parts)]) + "\n"


def _series(series: Series, found: Mapping[tuple[str, str], Histogram]) -> Iterator[str]:
    yield from _head(series.name, "histogram", series.said)
    for (of, value), one in sorted(found.items()):
        if of == series.of:
            label = f'{series.label}="{_escaped(value)}"'
            # Buckets of Prometheus count all that is below a bound, and ours what lies between two.
            below = list(accumulate(one.buckets.get(place, 0) for place in range(series.bounds[-1][0] + 1)))
            for place, bound in series.bounds:
                yield f'{series.name}_bucket{{{label},le="{bound:g}"}} {below[place]}'
            # Prometheus requires the bucket of everything.
            yield f'{series.name}_bucket{{{label},le="+Inf"}} {one.times}'
            yield f"{series.name}_sum{{{label}}} {one.total / series.unit:g}"
            yield f"{series.name}_count{{{label}}} {one.times}"


def _sums(found: Mapping[tuple[str, str], Histogram]) -> Iterator[str]:
    yield from _head("recortex_failures_total", "counter", "Operations, hooks and jobs that failed.")
    for (of, value), one in sorted(found.items()):
        if of.endswith("_failed"):
            kind = of.removesuffix("_failed")
            yield f'recortex_failures_total{{kind="{kind}",name="{_escaped(value)}"}} {one.times}'
    yield from _head("recortex_tokens_total", "counter", "Tokens of answers.")
    for (of, value), one in sorted(found.items()):
        if of == "tokens":
            yield f'recortex_tokens_total{{operation="{_escaped(value)}"}} {one.total:.0f}'


def _kept(stores: Sequence[StoreMetrics]) -> Iterator[str]:
    yield from _head("memory_items_total", "gauge", "Active memories.")
    for store in stores:
        for one in store.kinds:
            labels = f'store_kind="{store.scope}",kind="{_escaped(one.kind)}"'
            yield f"memory_items_total{{{labels}}} {one.memories}"
    for name, said, of in _GAUGES:
        yield from _head(name, "gauge", said)
        yield from (f'{name}{{store_kind="{store.scope}"}} {getattr(store, of)}' for store in stores)


def _working(parts: Sequence[Subsystem]) -> Iterator[str]:
    yield from _head("recortex_subsystem_state", "gauge", "0: healthy, 1: degraded, 2: unavailable.")
    for one in parts:
        yield f'recortex_subsystem_state{{subsystem="{_escaped(one.name)}"}} {_LEVELS[one.state]}'


def _head(name: str, kind: str, said: str) -> tuple[str, str]:
    return f"# HELP {name} {said}", f"# TYPE {name} {kind}"


def _escaped(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
