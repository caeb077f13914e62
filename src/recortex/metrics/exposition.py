"""Metrics in Prometheus's text format."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from recortex.metrics.figures import BOUNDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recortex.metrics.figures import Histogram, StoreMetrics
    from recortex.metrics.health import Subsystem


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
            below = list(accumulate(one.buckets.get(place, 0) for place in range(series.bounds[-1][0] + 1)))
            for place, bound in series.bounds:
                yield f'{series.name}_bucket{{{label},le="{bound:g}"}} {below[place]}'
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
