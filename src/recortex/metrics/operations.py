"""The operation `metrics`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from recortex.metrics.exporting import (
    Alert,
    Subsystem,
    alerts,
    counted,
    exposition,
    questions_of,
    subsystems,
    unanswered,
)
from recortex.metrics.records import Asked, Histogram, KindCount, MetricRecords, StoreMetrics
from recortex.operations.base import Operations, bounded, scope_name
from recortex.operations.registry import operation
from recortex.terminal import clean, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from recortex.terminal import Terminal


MOST_DAYS = 3_650
NONE = Histogram({}, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """How often something was done, how often it failed, and its milliseconds.

    Attributes:
        kind: operation, hook or job.
        p50, p95, p99: what so many in 100 do not exceed, as far as the buckets tell.
    """

    kind: str
    name: str
    times: int
    failed: int
    p50: float
    p95: float
    p99: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How often something came of what was asked: `hits` of `times`, with so many tokens in all."""

    name: str
    times: int
    hits: int
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """How the memory works, in figures, without a word of what is in it.

    Attributes:
        since: from the day of this time on.
        intents: of agents' questions, how often something was found.
        unanswered: questions that were asked three times or more and found nothing each time.
        questions: the last ones, where they were asked for.
        text: for Prometheus, where it was asked for.
    """

    since: datetime
    timed: tuple[Timed, ...] = ()
    rates: tuple[Rate, ...] = ()
    intents: tuple[Rate, ...] = ()
    unanswered: int = 0
    stores: tuple[StoreMetrics, ...] = ()
    subsystems: tuple[Subsystem, ...] = ()
    alerts: tuple[Alert, ...] = ()
    questions: tuple[Asked, ...] = ()
    text: str = ""


class MetricOperations(Operations):
    """metrics."""

    @operation(read_only=True, person=True)
    def metrics(self, *, days: int = 7, questions: int = 0, prometheus: bool = False) -> Metrics:
        """Show how long operations and hooks took, what came of questions, and whether every part works.

        No word of a memory or question is in it.

        Args:
            days: how many days to look back.
            questions: list so many of the last questions, by their length and what was found.
            prometheus: print everything that was counted in Prometheus's text format.
        """
        # Counters for Prometheus must never fall, so that all that is kept is added up.
        span = timedelta(days=bounded(MOST_DAYS if prometheus else days, most=MOST_DAYS))
        found, since = counted(self._app, span), self._app.clock() - span
        stores = tuple(self._stores(since))
        asked = [
            one
            for services in self._app.all_services()[:1]
            for one in questions_of(services, since, bounded(questions or 1_000))
        ]
        parts = subsystems(self._app)
        text = ""
        if prometheus:
            text = exposition(found, stores, parts)
        return Metrics(
            since=since,
            timed=timed(found),
            rates=rates(found),
            intents=_by_intent(asked),
            unanswered=unanswered(self._app, span),
            stores=stores,
            subsystems=parts,
            alerts=alerts(self._app),
            questions=tuple(asked[:questions]),
            text=text,
        )

    def _stores(self, since: datetime) -> list[StoreMetrics]:
        return [
            StoreMetrics(
                scope=scope_name(services),
                kinds=tuple(
                    KindCount(kind=kind, memories=number, confidence=round(mean, 3))
                    for kind, (number, mean) in records.kinds().items()
                ),
                active=shares.active,
                stale=shares.stale,
                contradicted=shares.contradicted,
                bytes=services.store.bytes(),
            )
            for services in self._app.all_services()
            for records in [services.store.records(MetricRecords)]
            for shares in [records.shares(since)]
        ]


def timed(found: Mapping[tuple[str, str], Histogram]) -> tuple[Timed, ...]:
    """How long operations, hooks and jobs took; the most frequent of each first."""
    all_timed = [
        Timed(
            kind=kind,
            name=name,
            times=one.times,
            failed=found.get((f"{kind}_failed", name), NONE).times,
            p50=round(one.at(0.5), 1),
            p95=round(one.at(0.95), 1),
            p99=round(one.at(0.99), 1),
        )
        for (kind, name), one in found.items()
        if kind in KINDS
    ]
    return tuple(sorted(all_timed, key=lambda one: (KINDS.index(one.kind), -one.times, one.name)))


KINDS = ("operation", "hook", "job")


def rates(found: Mapping[tuple[str, str], Histogram]) -> tuple[Rate, ...]:
    """How often something came of questions, and of hooks that may say something."""
    return tuple(
        Rate(
            name=label,
            times=one.times,
            # Bucket 0 holds the questions without any result.
            hits=one.times - one.buckets.get(0, 0),
            tokens=round(found.get(("tokens", label), NONE).total),
        )
        for (name, label), one in found.items()
        if name == "results" or (name == "said" and label in SAYING)
    )


SAYING = frozenset({"session-start", "user-prompt-submit", "pre-tool-use"})


def _by_intent(asked: list[Asked]) -> tuple[Rate, ...]:
    names = sorted({one.intent for one in asked if one.intent})
    by_name = {name: [one for one in asked if one.intent == name] for name in names}
    return tuple(
        Rate(
            name=name,
            times=len(some),
            hits=sum(one.results > 0 for one in some),
            tokens=sum(one.tokens for one in some),
        )
        for name, some in sorted(by_name.items(), key=lambda item: -len(item[1]))
    )


# -- metrics for people


_MEGABYTE = 1024 * 1024
_PRECISE, _LONG = 10, 10_000
"""Milliseconds below which a decimal is told, and from which seconds are."""
_HEADS = {"operation": "Operations", "hook": "Hooks", "job": "Background jobs"}


def metrics(value: Metrics, terminal: Terminal) -> str:
    """Tables of what was counted, then the stores, then what does not work."""
    return value.text.rstrip() if value.text else "\n".join(_told(value, terminal))


def _told(value: Metrics, terminal: Terminal) -> Iterator[str]:
    yield f"Since {value.since:%Y-%m-%d}"
    if not value.timed:
        yield "Nothing was counted yet: operations and hooks are from now on."
    for kind, head in _HEADS.items():
        title = f"{head:<26}{'times':>8}{'failed':>8}{'p50':>10}{'p95':>10}{'p99':>10}"
        yield from _block(title, map(_timed, (one for one in value.timed if one.kind == kind)), terminal)
    yield from _block("Something was found or said", map(_rate, value.rates), terminal)
    yield from _block("By intent of agents' questions", map(_rate, value.intents), terminal)
    if value.unanswered:
        yield f"  {plural(value.unanswered, 'question')} asked three times or more found nothing each time"
    for store in value.stores:
        title = f"Store: {store.scope}, {store.bytes / _MEGABYTE:,.1f} MB"
        yield from _block(title, _store(store), terminal)
    yield from _block("Parts", map(_part, value.subsystems), terminal)
    for alert in value.alerts:
        yield terminal.style(terminal.wrap(f"{alert.level}: {alert.message}", indent=2), "red")
    asked = (_asked(one, terminal) for one in value.questions)
    yield from _block("Last questions, without their words", asked, terminal)


def _block(head: str, lines: Iterable[str], terminal: Terminal) -> Iterator[str]:
    """Lines under a heading; nothing where there are none."""
    if told := list(lines):
        yield from ("", terminal.style(head, "bold"), *told)


def _part(one: Subsystem) -> str:
    return f"  {one.name:<16}{one.state}{f': {clean(one.why)}' if one.why else ''}"


def _asked(one: Asked, terminal: Terminal) -> str:
    return (
        f"  {terminal.when(one.at)}  {one.operation:<8} {one.digest}  {one.length:>5} characters  "
        f"{one.milliseconds:>6} ms  {one.results:>3} found  {one.tokens:>5} tokens  {clean(one.intent)}"
    ).rstrip()


def _timed(one: Timed) -> str:
    failed = f"{one.failed:,}" if one.failed else ""
    took = "".join(f"{_ms(value):>10}" for value in (one.p50, one.p95, one.p99))
    return f"  {clean(one.name):<24}{one.times:>8,}{failed:>8}{took}"


def _ms(value: float) -> str:
    if value < _PRECISE:
        return f"{value:.1f} ms"
    return f"{value:,.0f} ms" if value < _LONG else f"{value / 1000:,.0f} s"


def _rate(one: Rate) -> str:
    tokens = f", {one.tokens:,} tokens" if one.tokens else ""
    return (
        f"  {clean(one.name):<24}{one.hits:>8,} of {one.times:,} ({one.hits / max(one.times, 1):.0%}){tokens}"
    )


def _store(value: StoreMetrics) -> Iterator[str]:
    share = f"{value.stale / max(value.active, 1):.0%}"
    yield (
        f"  {plural(value.active, 'active memory')}, {value.stale:,} cite code that changed ({share}), "
        f"{value.contradicted:,} contradicted"
    )
    yield from (f"  {one.kind:<24}{one.memories:>8,}  confidence {one.confidence:.2f}" for one in value.kinds)
