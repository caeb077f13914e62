"""Metrics: how long operations and hooks take, what came of questions, and whether every part works."""

from recortex.plugins import Capability

CAPABILITY = Capability(
    operations=("recortex.metrics.operations:MetricOperations",),
    jobs=("recortex.metrics.records:JOBS",),
    tables={"metrics": "recortex.metrics.records:MetricRecords"},
    renderers={"Metrics": "recortex.metrics.operations:metrics"},
    report="recortex.metrics.exporting:report",
    tracer="recortex.metrics.exporting:export",
)
