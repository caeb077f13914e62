"""Spans and metrics by OpenTelemetry, named as mem0 and Cognee name theirs (memory-semconv 0.1).

Labels are names of operations and kinds of stores, attributes counts besides: never words of a memory or
question. Who exports, and where to, is set by OpenTelemetry's own variables, such as OTEL_TRACES_EXPORTER.
"""

from __future__ import annotations

import atexit
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import entry_points
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.errors import ConfigError
from recortex.metrics.records import BOUNDS
from recortex.telemetry import listen, trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recortex.metrics.records import Histogram, StoreMetrics
    from recortex.metrics.week import Subsystem
    from recortex.telemetry import Record, Value


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
