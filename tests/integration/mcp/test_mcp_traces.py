"""A call of an agent that is traced is part of its trace, by the SDK's own client and OpenTelemetry's."""

import re

from opentelemetry.sdk.trace import TracerProvider

EXPORTED = {
    "RECORTEX_OTEL": "true",
    "OTEL_TRACES_EXPORTER": "console",
    "OTEL_METRICS_EXPORTER": "none",
    "OTEL_LOGS_EXPORTER": "none",
}


def spans_of(text):
    """Of each span that was exported its name, its trace and its parent."""
    found = re.findall(
        r'"name": "(memory\.\w+)".*?"trace_id": "0x(\w+)".*?"parent_id": (?:"0x(\w+)"|null)', text, re.DOTALL
    )
    return {name: (trace, parent) for name, trace, parent in found}


def test_a_call_is_part_of_the_trace_of_the_client(with_client, log):
    tracer = TracerProvider().get_tracer("agent")

    async def work(client):
        await client.call_tool("remember", {"text": "The queue is drained before a deploy"})
        with tracer.start_as_current_span("step of the agent") as step:
            answer = await client.call_tool("recall", {"query": "what is drained before a deploy?"})
        return step.get_span_context(), answer

    step, answer = with_client(work, **EXPORTED)
    assert "drained" in str(answer.content)
    found = spans_of(log())
    trace, parent = found["memory.recall"]
    assert trace == f"{step.trace_id:032x}"
    assert parent
    assert found["memory.search"][0] == trace
    assert found["memory.remember"][0] != trace
