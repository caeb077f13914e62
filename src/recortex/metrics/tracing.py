"""Spans and metrics by OpenTelemetry, named as mem0 and Cognee name theirs (memory-semconv 0.1).

Labels are names of operations and kinds of stores, attributes counts besides: never words of a memory or
question. Who exports, and where to, is set by OpenTelemetry's own variables, such as OTEL_TRACES_EXPORTER.
"""

from __future__ import annotations

import atexit
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from recortex.errors import ConfigError
from recortex.metrics.figures import BOUNDS
from recortex.telemetry import listen, trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    if type(otel_trace.get_tracer_provider()).__name__ != "ProxyTracerProvider":
        return
    for point in entry_points(group="opentelemetry_configurator"):
        point.load()().configure(auto_instrumentation_version=None)
    for provider in (otel_trace.get_tracer_provider(), otel_metrics.get_meter_provider()):
        if flush := getattr(provider, "force_flush", None):
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
