"""Where memories are, how they are, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering import maintenance, pairs
from recortex.cli.rendering.amounts import plural, size
from recortex.cli.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.cli.terminal import Style, Terminal
    from recortex.operations.maintenance import (
        BackedUp,
        Diagnosis,
        Failure,
        Fallback,
        HealthFinding,
        ModelUse,
        Recovered,
        SessionLoop,
        SettingValue,
        StatusReport,
        StoreStatus,
    )
    from recortex.operations.projects import Adoptable, Initialised

_LEVELS: dict[str, tuple[str, Style]] = {
    "ok": ("ok", "green"),
    "notice": ("notice", "yellow"),
    "problem": ("problem", "red"),
}


def initialised(value: Initialised, terminal: Terminal) -> str:
    """Where the memory is, what could be taken over, and what to do next."""
    lines = [_made(value)]
    if value.workspace:
        lines.append(f"This checkout uses the workspace {clean(value.workspace)}.")
    if value.adopted:
        lines.append(f"Took over {plural(value.adopted, 'memory', 'memories')}.")
    lines += [_adoptable(one, terminal) for one in value.adoptable]
    if any(not one.problem for one in value.adoptable):
        lines.append("If they are yours: `recortex init --adopt` takes them over.")
    if value.refused:
        lines.append(f"notice: {clean(value.refused)}")
    return "\n".join([*lines, "", *_next_steps(value)])


def _made(value: Initialised) -> str:
    what = "Made the memory of" if value.created else "There is a memory of"
    return f"{what} {clean(value.root)}\nin {clean(value.path)}."


def _adoptable(one: Adoptable, terminal: Terminal) -> str:
    del terminal
    why = _REASONS[one.reason].format(path=clean(one.made_for))
    if one.problem:
        return f"notice: {why} {clean(one.problem)}"
    span = f", from {one.first:%Y-%m-%d} to {one.last:%Y-%m-%d}" if one.first and one.last else ""
    return f"{why} It holds {plural(one.memories, 'memory', 'memories')}{span}: {clean(one.path)}"


_REASONS = {
    "moved": "This checkout was at {path} before; its memory is still bound to that path.",
    "copied": "This checkout is a copy of {path}, which has a memory of its own.",
    "replaced": "An earlier checkout at {path} has a memory.",
    "older": "An older version kept a memory inside {path}.",
}


def _next_steps(value: Initialised) -> list[str]:
    """The commands that come next here, each with what it does."""
    steps = [
        (f"recortex import {name}", "learn from its sessions in this project") for name in value.histories
    ]
    steps += [(f"recortex install {name}", "let this agent use the memory") for name in value.hosts]
    if value.memories:
        steps.append(("recortex status", "how much is remembered"))
    else:
        steps.append(('recortex remember "…"', "keep something yourself"))
        steps += [] if value.histories else [("recortex tour", "see it at work on an example")]
    steps.append(('recortex recall "…"', "ask in plain words"))
    column = max(len(command) for command, _ in steps) + 2
    return ["Next:", *(f"  {command:<{column}}{what}" for command, what in steps)]


def status(value: StatusReport, terminal: Terminal) -> str:
    """Each store in figures, and what could not be used."""
    lines = [f"recortex {value.version}, vectors by {clean(value.embedder)}"]
    for store in value.stores:
        lines += ["", *_store(store, terminal)]
    if value.fallbacks:
        lines += ["", "Fallbacks", *(fallback(one, terminal) for one in value.fallbacks)]
    if value.language_model:
        lines += ["", model_use(value.language_model, terminal)]
    if value.session_loop.runs or value.session_loop.waiting or value.session_loop.failed:
        lines += ["", session_loop(value.session_loop, terminal)]
    if value.notices:
        lines += ["", *(f"notice: {clean(notice)}" for notice in value.notices)]
    return "\n".join(lines)


def model_use(value: ModelUse, terminal: Terminal) -> str:
    """What the language model cost today."""
    del terminal
    name = clean(f"{value.provider} {value.model}".strip())
    return (
        f"Language model {name}: {plural(value.calls, 'call')} today, {value.tokens:,} of "
        f"{value.daily_tokens:,} tokens, "
        f"${value.usd:.4f} of ${value.daily_usd:.2f}"
    )


def session_loop(value: SessionLoop, terminal: Terminal) -> str:
    """How learning from sessions goes, and what failed last."""
    learned = (
        f"{value.totals.get('sessions', 0)} read, "
        f"{plural(value.totals.get('added', 0), 'memory', 'memories')} added"
    )
    lines = [terminal.style("Sessions", "bold"), f"  {learned}, {value.waiting} waiting"]
    if value.last:
        lines.append(f"  last {clean(str(value.last.get('at', '')))}: {value.last.get('milliseconds', 0)} ms")
    return "\n".join([*lines, *(f"  {failure(one, terminal)}" for one in value.failures)])


def failure(value: Failure, terminal: Terminal) -> str:
    """One failure of a hook or of the job behind it."""
    return (
        f"{terminal.style('failed', 'red')} {terminal.when(value.at)} {clean(value.event)}: "
        f"{clean(value.error)}"
    )


def _store(value: StoreStatus, terminal: Terminal) -> Iterator[str]:
    yield terminal.style(f"{value.scope}  {clean(value.path)}", "bold")
    yield f"  {plural(value.memories, 'memory', 'memories')}{_counts(value.by_status)}"
    if value.by_kind:
        yield terminal.wrap(_listed(value.by_kind), indent=2)
    waiting = f", {value.without_vector:,} without a vector yet" if value.without_vector else ""
    yield (
        f"  {plural(value.relations, 'relation')}, {plural(value.backups, 'backup')}, "
        f"{size(value.bytes)}, schema {value.schema}{waiting}"
    )
    if value.health:
        yield maintenance.health(value.health, terminal)
    if value.model_change:
        yield terminal.wrap(pairs.model_change(value.model_change, terminal), indent=2, first="  ")


def _counts(counts: dict[str, int]) -> str:
    return f" ({_listed(counts)})" if counts else ""


def _listed(counts: dict[str, int]) -> str:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {name}" for name, count in ranked)


def fallback(value: Fallback, terminal: Terminal) -> str:
    """One thing that could not be used."""
    state = " (works again)" if value.recovered else ""
    said = (
        f"{value.component}{state}: {value.failure} Instead: {value.fallback} "
        f"({plural(value.times, 'time')}, last {terminal.when(value.last_at)})"
    )
    return terminal.wrap(said, indent=2, first="  ")


def diagnosis(value: Diagnosis, terminal: Terminal) -> str:
    """Findings first, then settings with where they come from, then what is installed."""
    verdict = terminal.style("All is well.", "green")
    if not value.healthy:
        verdict = terminal.style("Something needs attention.", "red")
    findings = (finding(one, terminal) for one in value.findings)
    settings = [_setting(one, terminal) for one in value.settings if shows(one, terminal)]
    if left := len(value.settings) - len(settings):
        settings.append(
            terminal.style(f"  {left} more are as they come; `recortex doctor --full` shows all.", "dim")
        )
    installed = (f"  {name:<16} {clean(str(version))}" for name, version in value.installed.items())
    return "\n".join([
        verdict,
        "",
        *findings,
        *(["", "Settings"] if value.settings else []),
        *settings,
        *(["", "Installed"] if value.installed else []),
        *installed,
    ])  # fmt: skip


def finding(value: HealthFinding, terminal: Terminal) -> str:
    """One check; what to do about it on a line of its own."""
    word, style = _LEVELS[value.level]
    text = terminal.wrap(f"{value.check}: {value.message}", indent=9, first=f"{word:<9}")
    line = terminal.style(word, style) + text.removeprefix(word)
    return f"{line}\n{terminal.wrap(f'-> {value.todo}', indent=9)}" if value.todo else line


def shows(value: SettingValue, terminal: Terminal) -> bool:
    """Whether a setting is worth a person's time: it was changed, or all are asked for."""
    return terminal.full or not terminal.person or value.origin != "default"


def _setting(value: SettingValue, terminal: Terminal) -> str:
    place = f" ({clean(value.place)})" if value.place else ""
    said = f"  {value.name:<16} {clean(str(value.value)) or '(empty)'}"
    return said + terminal.style(f"  {value.origin}{place}", "dim")


def backed_up(value: BackedUp, terminal: Terminal) -> str:
    """Where the backup is."""
    del terminal
    return (
        f"{plural(value.memories, 'memory', 'memories')} backed up to {clean(value.path)} "
        f"({size(value.bytes)})."
    )


SHOWN_LOSSES = 20


def recovered(value: Recovered, terminal: Terminal) -> str:
    """How the store was brought back."""
    words = {
        "whole": "Nothing was wrong",
        "repaired": "The store was repaired",
        "restored": "The store was restored from a backup",
        "fresh": "Nothing could be saved; a new store was begun",
    }
    kept = [f"The damaged file is kept: {clean(value.kept)}"] if value.kept else []
    steps = (terminal.wrap(step, indent=4, first="  - ") for step in value.steps)
    lost = [terminal.wrap(clean(one), indent=4, first="  - ") for one in value.lost[:SHOWN_LOSSES]]
    if value.lost:
        lost.insert(0, "Lost, or only as it was in the backup:")
    if len(value.lost) > SHOWN_LOSSES:
        lost.append(
            f"  and {len(value.lost) - SHOWN_LOSSES} more: `recortex recover --json` names all of them"
        )
    return "\n".join(
        [f"{words[value.outcome]}: {plural(value.memories, 'memory', 'memories')}.", *steps, *kept, *lost]
    )
