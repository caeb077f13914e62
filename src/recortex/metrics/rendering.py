"""Metrics for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.terminal import clean, plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.metrics.figures import Asked, StoreMetrics
    from recortex.metrics.health import Subsystem
    from recortex.metrics.operations import Metrics, Rate, Timed
    from recortex.terminal import Terminal

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
