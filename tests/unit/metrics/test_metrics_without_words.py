"""No word of a memory or question is in a metric, a span, a log line or what is exported."""

import json
import logging
from contextlib import suppress

import pytest
from opentelemetry import metrics as otel_metrics
from opentelemetry import trace as otel_trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from recortex import Cortex, telemetry
from recortex.codec import dumps, plain
from recortex.errors import RecortexError
from recortex.metrics import exporting
from recortex.operations.registry import operations_of

WORD = "quixotryhelm"
"""Of no word list, no file and no kind."""
SAID = f"The {WORD} is drained before a deploy because of {WORD}"
ELSEWHERE = frozenset({"install", "uninstall", "models", "erase", "migrate_store"})
"""What works on a person's own files, or ends what the test looks at."""


@pytest.fixture(scope="module")
def exported():
    """What OpenTelemetry is given; a process can set its providers once."""
    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracer = TracerProvider()
    tracer.add_span_processor(SimpleSpanProcessor(spans))
    otel_trace.set_tracer_provider(tracer)
    otel_metrics.set_meter_provider(MeterProvider([reader]))
    return spans, reader


@pytest.fixture
def otel(exported, monkeypatch):
    monkeypatch.setenv("RECORTEX_OTEL", "true")
    exporting.export.cache_clear()
    before = telemetry._listeners
    exported[0].clear()
    yield exported
    telemetry._listeners = before
    telemetry.trace(None)


def given(parameter):
    """An argument that says the word, where one can."""
    if parameter.hint is str or "str" in str(parameter.hint):
        return SAID if str(parameter.hint).startswith(("<class 'str'", "str")) else [SAID]
    return None


def test_every_operation_keeps_its_words_to_itself(otel, project, clock, caplog, monkeypatch, tmp_path):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    monkeypatch.chdir(tmp_path)  # where files are written whose paths say the word
    spans, reader = otel
    caplog.set_level(logging.DEBUG, "recortex")
    telemetry.listen(telemetry.to_logging())
    (project / f"{WORD}.md").write_text(f"# {WORD}\n\n{SAID}.\n")
    with Cortex.open(project, clock=clock) as cortex:
        memory = cortex.remember(SAID, tags=[WORD], files=[f"{WORD}.py"], kind="tribal")
        cortex.remember(f"{WORD} never drains", kind="decision")
        cortex.recall(f"what does {WORD} do?")
        cortex.ingest([f"{WORD}.md"])
        cortex.context(SAID)
        for name, operation in operations_of(Cortex).items():
            if name in ELSEWHERE:
                continue
            required = {one.name: given(one) for one in operation.parameters() if one.required}
            optional = {one.name: given(one) for one in operation.parameters() if given(one) == SAID}
            for arguments in ({**required, **optional}, required, {**required, "id": memory.id}):
                with suppress(RecortexError, TypeError):
                    getattr(cortex, operation.method)(**arguments)
        found = cortex.metrics(questions=1_000)
        assert {one.name for one in found.timed} >= set(operations_of(Cortex)) - ELSEWHERE - {"metrics"}
        text = cortex.metrics(prometheus=True).text
        cortex._app.metered.flush()
        timings = next(iter(cortex._app.locations.values())).timings.read_text()
    told = {
        "metrics": dumps(plain(found)).decode(), "prometheus": text, "timings": timings,
        "spans": json.dumps([json.loads(one.to_json()) for one in spans.get_finished_spans()]),
        "exported metrics": reader.get_metrics_data().to_json(), "log": caplog.text,
    }  # fmt: skip
    assert all(told.values())
    assert [name for name, said in told.items() if WORD[:6] in said.lower()] == []


def test_spans_and_metrics_have_the_names_that_others_use(otel, project, clock, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    spans, reader = otel
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember(SAID)
        with telemetry.part_of({"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}):
            assert cortex.recall(f"what is drained before a deploy with {WORD}?").hits
    finished = {one.name: one for one in spans.get_finished_spans()}
    recall = finished["memory.recall"]
    assert recall.attributes["memory.result.count"] == 1
    assert recall.attributes["memory.operation"] == "recall"
    assert f"{recall.context.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c"
    assert f"{recall.parent.span_id:016x}" == "b7ad6b7169203331"
    search = finished["memory.search"]
    assert search.parent.span_id == recall.context.span_id
    assert finished["memory.embed"].parent.span_id == search.context.span_id
    data = json.loads(reader.get_metrics_data().to_json())
    named = {
        one["name"]: one
        for resource in data["resource_metrics"]
        for scope in resource["scope_metrics"]
        for one in scope["metrics"]
    }
    assert set(named) >= {
        "memory_operation_duration_seconds",
        "memory_recall_results_count",
        "memory_recall_top_similarity",
    }
    labels = {
        name
        for point in named["memory_operation_duration_seconds"]["data"]["data_points"]
        for name in point["attributes"]
    }
    assert labels == {"operation", "sut_name", "status"}


def test_without_the_extra_the_setting_says_what_to_install(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_OTEL", "true")
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.sdk", None)
    exporting.export.cache_clear()
    with pytest.raises(RecortexError) as raised:
        Cortex.open(project)
    assert "recortex[otel]" in raised.value.hint


def test_nothing_is_traced_unless_the_setting_says_so(project, clock):
    with Cortex.open(project, clock=clock):
        assert telemetry._tracer is None
