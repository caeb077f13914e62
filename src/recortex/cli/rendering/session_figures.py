"""Many sessions in figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.amounts import plural
from recortex.cli.rendering.memories import short
from recortex.cli.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.cli.terminal import Terminal
    from recortex.engines.sessions.analytics import Analytics, Standing

_WAYS = {"surface": "with the brief", "prompt": "for a prompt", "file": "with a file", "asked": "when asked"}


def figures(value: Analytics, terminal: Terminal) -> str:
    """What sessions were given and used, what was asked, and which memories stand out."""
    if not value.sessions and not value.ways:
        return "No session of an agent was seen."
    return "\n".join(_lines(value, terminal))


def _lines(value: Analytics, terminal: Terminal) -> Iterator[str]:
    running = f", {value.running} running" if value.running else ""
    yield f"{plural(value.sessions, 'session')}{running}, {value.hours:g} hours (median)"
    yield (
        f"{value.tokens_given:,} tokens given, {value.tokens_used:,} used ({value.ratio:.0%}), "
        f"{value.tokens_saved:,} not given again"
    )
    for channel, way in value.ways.items():
        yield (
            f"  {_WAYS.get(channel, channel):<15} {way.times:,} given, {way.used:,} used, "
            f"{way.tokens:,} tokens"
        )
    if value.questions:
        times = f"{value.ms} ms (median), 95 in 100 within {value.slow_ms} ms"
        yield f"{plural(value.questions, 'question')}, {times}"
    for one in value.intents:
        yield f"  {clean(one.intent):<18} {plural(one.times, 'time')}, {one.ms} ms"
    for title, listed in (
        ("Most given", value.most_given),
        ("Most used", value.most_used),
        ("Given often and never used", value.least_useful),
    ):
        if listed:
            yield terminal.style(title, "bold")
            yield from (_standing(one, terminal) for one in listed)


def _standing(value: Standing, terminal: Terminal) -> str:
    what = f"{value.kind}: {value.summary}" if value.kind else "(gone)"
    head = f"  {terminal.style(short(value.id), 'cyan')}  given {value.given}, used {value.used}"
    return f"{head}  {terminal.cut(what, max(terminal.width - 40, 30))}"
