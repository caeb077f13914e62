"""How the memory works, and what a session was given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.amounts import plural
from recortex.cli.rendering.memories import short
from recortex.cli.terminal import clean
from recortex.engines.sessions.analytics import question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.cli.terminal import Terminal
    from recortex.domain.session import Signal
    from recortex.engines.sessions.efficiency import Efficiency
    from recortex.operations.inspecting import (
        BriefCache,
        Given,
        Inspection,
        ModelCosts,
        SessionFigures,
        SessionReceipts,
        StoreFigures,
    )


def inspection(value: Inspection, terminal: Terminal) -> str:
    """The receipts that were asked for, or everything."""
    if value.receipts is not None:
        return receipts(value.receipts, terminal)
    return "\n".join(_lines(value, terminal))


def _lines(value: Inspection, terminal: Terminal) -> Iterator[str]:
    for one in value.stores:
        yield store(one, terminal)
    yield briefs(value.briefs, terminal)
    last = value.captures.get("last")
    if isinstance(last, dict):
        yield "last capture: " + clean(", ".join(f"{name} {count}" for name, count in last.items()))
    yield costs(value.model, terminal)
    if value.sessions:
        yield ""
        yield from (session(one, terminal) for one in value.sessions)
    for notice in value.notices:
        yield terminal.style(terminal.wrap(notice, indent=2, first="! "), "yellow")


def store(value: StoreFigures, terminal: Terminal) -> str:
    """A store: how many memories by kind and status, relations, what waits."""
    head = terminal.style(f"{value.scope}  {clean(value.path)}", "bold")
    states = ", ".join(f"{count:,} {status}" for status, count in sorted(value.by_status.items()))
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(value.by_kind.items()))
    waiting = f", {value.without_vector:,} without a vector" if value.without_vector else ""
    figures = (
        f"{plural(value.memories, 'memory')} ({states or 'none'}), "
        f"{plural(value.relations, 'relation')}{waiting}"
    )
    return "\n".join([head, terminal.wrap(figures, indent=2), terminal.wrap(kinds, indent=2)]).rstrip()


def briefs(value: BriefCache, terminal: Terminal) -> str:
    """The briefs that are kept."""
    newest = f", the newest of {terminal.when(value.newest_at)}" if value.newest_at else ""
    return f"briefs: {value.files} kept, {value.stale} out of date{newest}"


def costs(value: ModelCosts, _terminal: Terminal) -> str:
    """What a language model was paid today."""
    if not value.calls and not value.refused:
        return "language model: not called today"
    rest = f", {value.failed} failed, {value.refused} refused" if value.failed or value.refused else ""
    return (
        f"language model today: {plural(value.calls, 'call')}, {value.tokens:,} tokens, "
        f"${value.usd:.4f}{rest}"
    )


def session(value: SessionFigures, terminal: Terminal) -> str:
    """A session on a line: when, which client, what it was given and used."""
    end = value.end_reason or ("ended" if value.ended_at else "open")
    head = f"{terminal.style(clean(value.id)[:12], 'cyan')}  {terminal.when(value.seen_at)}"
    return f"{head}  {clean(value.client)}  {clean(value.branch)}  {clean(end)}  {_worth(value.efficiency)}"


def _worth(value: Efficiency) -> str:
    if not value.memories:
        return "nothing given"
    saved = f", {value.tokens_saved:,} tokens not repeated" if value.tokens_saved else ""
    return (
        f"{value.used} of {plural(value.memories, 'memory')} used, "
        f"{value.tokens_used:,} of {value.tokens_given:,} tokens ({value.ratio:.0%}){saved}"
    )


def receipts(value: SessionReceipts, terminal: Terminal) -> str:
    """What a session was given, whether it was used, and what was seen of it."""
    seen = ", ".join(f"{count} {name}" for name, count in value.seen.items())
    lines = [session(value.session, terminal), *(given(one, terminal) for one in value.given)]
    if seen:
        lines.append(f"seen: {seen}")
    lines += [
        f"  {one.at:%H:%M:%S}  {one.name:<8} {terminal.cut(_seen(one), terminal.width)}"
        for one in value.signals
    ]
    return "\n".join(lines)


def _seen(value: Signal) -> str:
    """What a signal is about; of a question the intent, and how long its answer took."""
    if value.name != "asked":
        return value.subject
    asked = question(value.subject, value.digest)
    return f"{asked.intent}, {asked.ms} ms"


def given(value: Given, terminal: Terminal) -> str:
    """One receipt."""
    use = terminal.style(f"used: {value.used_as}", "green") if value.used_as else "not used"
    place = f" {clean(value.subject)}" if value.subject else ""
    head = f"  {value.at:%H:%M:%S}  {value.channel}{place}  {value.score:.2f}  {value.tokens} tokens  {use}"
    what = terminal.cut(f"{value.kind}: {value.summary}" if value.kind else "(gone)", terminal.width - 16)
    return f"{head}\n      {terminal.style(short(value.memory), 'cyan')}  {what}"
