"""Stores: where they are, how they are, their upkeep and their vectors, and what to do about it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from recortex.terminal import clean, plural, short, size

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.app.diagnosis import Health, HealthFinding
    from recortex.app.hooks import LoggedError
    from recortex.app.jobs.running import Done
    from recortex.operations.indexing import Backfilled, Reembedded
    from recortex.operations.maintenance import (
        BackedUp,
        Collected,
        Diagnosis,
        Fallback,
        Lifecycle,
        ModelChange,
        ModelUse,
        Recovered,
        SessionLoop,
        SettingValue,
        StatusChange,
        StatusReport,
        StoreStatus,
        StoreUpkeep,
        Week,
    )
    from recortex.operations.projects import Adoptable, Initialised
    from recortex.terminal import Style, Terminal


_LEVELS: dict[str, tuple[str, Style]] = {
    "ok": ("ok", "green"),
    "notice": ("notice", "yellow"),
    "loss": ("lost", "red"),
    "problem": ("problem", "red"),
}


def initialised(value: Initialised, _terminal: Terminal) -> str:
    """Where the memory is, what could be taken over, and what to do next."""
    what = "Made the memory of" if value.created else "There is a memory of"
    lines = [f"{what} {clean(value.root)}", f"in {clean(value.path)}."]
    if value.workspace:
        lines.append(f"This checkout uses the workspace {clean(value.workspace)}.")
    if value.adopted:
        lines.append(f"Took over {plural(value.adopted, 'memory')}.")
    lines += map(_adoptable, value.adoptable)
    if any(not one.problem for one in value.adoptable):
        lines.append("If they are yours: `recortex init --adopt` takes them over.")
    if value.instructions:
        files = plural(len(value.instructions), "file")
        lines.append(f"It follows what {files} of the project say: {clean(_some(value.instructions))}.")
    lines += [f"notice: {clean(one)}" for one in (value.refused, *value.unread_notes) if one]
    # The commands that come next here, each with what it does.
    steps = [
        (f"recortex import {name}", _IN_PROJECT.get(name, "learn from its sessions in this project"))
        for name in value.histories
    ]
    if value.rules:
        steps.append(("recortex import rules", f"follow what {_some(value.rules)} says"))
    steps += [(f"recortex install {name}", "let this agent use the memory") for name in value.hosts]
    if value.memories:
        steps.append(("recortex status", "how much is remembered"))
    else:
        steps.append(('recortex remember "…"', "keep something yourself"))
        steps += [] if value.histories else [("recortex tour", "see it at work on an example")]
    steps.append(('recortex recall "…"', "ask in plain words"))
    column = max(len(command) for command, _ in steps) + 2
    return "\n".join([*lines, "", *["Next:", *(f"  {command:<{column}}{what}" for command, what in steps)]])


_NAMED = 3


def _some(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _adoptable(one: Adoptable) -> str:
    why = _REASONS[one.reason].format(path=clean(one.made_for))
    if one.problem:
        return f"notice: {why} {clean(one.problem)}"
    span = f", from {one.first:%Y-%m-%d} to {one.last:%Y-%m-%d}" if one.first and one.last else ""
    return f"{why} It holds {plural(one.memories, 'memory')}{span}: {clean(one.path)}"


_REASONS = {
    "moved": "This checkout was at {path} before; its memory is still bound to that path.",
    "copied": "This checkout is a copy of {path}, which has a memory of its own.",
    "replaced": "An earlier checkout at {path} has a memory.",
    "older": "An older version kept a memory inside {path}.",
}

_IN_PROJECT = {"specstory": "learn from histories in the project; what they teach waits for review"}


def status(value: StatusReport, terminal: Terminal) -> str:
    """Each store in figures, and what could not be used."""
    lines = [terminal.style(terminal.wrap(one, indent=6, first="lost:"), "red") for one in value.lost]
    lines.append(f"recortex {value.version}, vectors by {clean(value.embedder)}")
    if value.week:
        lines += ["", *_week(value.week, terminal)]
    for store in value.stores:
        lines += ["", *_store(store, terminal)]
    if not value.stores:
        lines += ["", "There is no memory here yet: `recortex init` creates it and says what comes next."]
    if value.fallbacks:
        lines += ["", "Fallbacks", *(_fallback(one, terminal) for one in value.fallbacks)]
    if value.language_model:
        lines += ["", _model_use(value.language_model, terminal)]
    if value.session_loop.runs or value.session_loop.waiting or value.session_loop.failed:
        lines += ["", _session_loop(value.session_loop, terminal)]
    if value.notices:
        lines += ["", *(f"notice: {clean(notice)}" for notice in value.notices)]
    return "\n".join(lines)


def _week(value: Week, terminal: Terminal) -> Iterator[str]:
    """What the memory brought and cost in seven days, and what waits for the person."""
    yield terminal.style("The last seven days", "bold")
    if value.given:
        wrong = f", {value.wrong:,} replaced or contradicted since" if value.wrong else ""
        ignored = f"{value.given - value.used:,} ignored{wrong}"
        yield (
            f"  given to {plural(value.sessions, 'session')}: {value.given:,} times a memory, "
            f"{value.used:,} used ({value.used / value.given:.0%}), {ignored}"
        )
        share = f" ({value.tokens_used / value.tokens:.0%})" if value.tokens else ""
        yield f"  tokens given: {value.tokens:,}; of what was used: {value.tokens_used:,}{share}"
    else:
        seen = (
            f"the {plural(value.sessions, 'session')} that were seen" if value.sessions else "a session yet"
        )
        yield f"  nothing was given to {seen}"
    if value.questions:
        yield f"  asked: {plural(value.questions, 'question')}, {value.answered:,} answered"
    if value.hooks:
        hooks = (f"{one.event} {one.ms:,.0f} ms (95 in 100: {one.slow_ms:,.0f})" for one in value.hooks)
        yield terminal.wrap(f"hooks: {', '.join(hooks)}", indent=2, first="  ")
    grown = ""
    if value.grown is not None:
        grown = f", {'-' if value.grown < 0 else ''}{size(abs(value.grown))} larger"
    yield f"  growth: {plural(value.added, 'active memory')} more{grown}"
    open_ = [f"{plural(value.waiting, 'proposal')}"] if value.waiting else []
    open_ += [f"{value.contradicted:,} memories that contradict each other"] if value.contradicted else []
    if open_:
        yield terminal.wrap(f"waiting for you: {', '.join(open_)} (`recortex review`)", indent=2, first="  ")
    for one in value.ailing:
        yield terminal.style(terminal.wrap(clean(one), indent=12, first="  not well: "), "yellow")


def _model_use(value: ModelUse, _terminal: Terminal) -> str:
    """What the language model cost today."""
    name = clean(f"{value.provider} {value.model}".strip())
    return (
        f"Language model {name}: {plural(value.calls, 'call')} today, {value.tokens:,} of "
        f"{value.daily_tokens:,} tokens, "
        f"${value.usd:.4f} of ${value.daily_usd:.2f}"
    )


def _session_loop(value: SessionLoop, terminal: Terminal) -> str:
    """How learning from sessions goes, and what failed last."""
    read, added = (value.totals.get(name, 0) for name in ("sessions", "added"))
    learned = f"read {read} times, {plural(added, 'memory')} added"
    lines = [terminal.style("Sessions", "bold"), f"  {learned}, {value.waiting} waiting"]
    if value.last:
        lines.append(f"  last {clean(str(value.last.get('at', '')))}: {value.last.get('milliseconds', 0)} ms")
    return "\n".join([*lines, *(f"  {_failure(one, terminal)}" for one in value.failures)])


def _failure(value: LoggedError, terminal: Terminal) -> str:
    """One failure of a hook or of the capture process."""
    return (
        f"{terminal.style('failed', 'red')} {terminal.when(value.at)} {clean(value.event)}: "
        f"{clean(value.error)}"
    )


def _store(value: StoreStatus, terminal: Terminal) -> Iterator[str]:
    yield terminal.style(f"{value.scope}  {clean(value.path)}", "bold")
    yield f"  {plural(value.memories, 'memory')}{_counts(value.by_status)}"
    if value.by_kind:
        yield terminal.wrap(_listed(value.by_kind), indent=2)
    waiting = f", {value.without_vector:,} without a vector yet" if value.without_vector else ""
    yield (
        f"  {plural(value.relations, 'relation')}, {plural(value.backups, 'backup')}, "
        f"{size(value.bytes)}, schema {value.schema}{waiting}"
    )
    if value.exchanges:
        without = value.exchanges_without_vectors
        waiting = f", {without:,} without vectors yet" if without else ""
        yield f"  {plural(value.exchanges, 'exchange')} of past sessions{waiting}"
    if value.documents:
        without = value.chunks_without_vectors
        waiting = f", {without:,} without a vector yet" if without else ""
        yield f"  {plural(value.documents, 'document')} in {plural(value.chunks, 'part')}{waiting}"
    if value.health:
        yield _health(value.health, terminal)
    if value.model_change:
        yield terminal.wrap(_model_change(value.model_change, terminal), indent=2, first="  ")


def _counts(counts: dict[str, int]) -> str:
    return f" ({_listed(counts)})" if counts else ""


def _listed(counts: dict[str, int]) -> str:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{count:,} {name}" for name, count in ranked)


def _fallback(value: Fallback, terminal: Terminal) -> str:
    """One thing that could not be used."""
    state = " (works again)" if value.recovered else ""
    said = (
        f"{value.component}{state}: {value.failure} Instead: {value.fallback} "
        f"({plural(value.times, 'time')}, last {terminal.when(value.last_at)})"
    )
    return terminal.wrap(said, indent=2, first="  ")


def diagnosis(value: Diagnosis, terminal: Terminal) -> str:
    """Findings first, then settings with where they come from, then what is installed."""
    findings = (_finding(one, terminal) for one in value.findings)
    settings = [
        _setting(one, terminal)
        for one in value.settings
        if (terminal.full or not terminal.person or one.origin != "default")
    ]
    if left := len(value.settings) - len(settings):
        settings.append(
            terminal.style(f"  {left} more are as they come; `recortex doctor --full` shows all.", "dim")
        )
    installed = (f"  {name:<16} {clean(str(version))}" for name, version in value.installed.items())
    lines = [_verdict(value, terminal), "", *findings, "", "Settings", *settings, "", "Installed", *installed]
    return "\n".join(lines)


def _verdict(value: Diagnosis, terminal: Terminal) -> str:
    """All findings in one line: the gravest decides."""
    levels = Counter(one.level for one in value.findings)
    if levels["problem"]:
        also = " Something was lost, too." if levels["loss"] else ""
        return terminal.style(f"Something needs attention.{also}", "red")
    if levels["loss"]:
        return terminal.style("Something that was kept is lost; nothing is broken now.", "red")
    if levels["notice"]:
        return terminal.style(f"Nothing is broken; {plural(levels['notice'], 'notice')} below.", "yellow")
    return terminal.style("All is well.", "green")


def _finding(value: HealthFinding, terminal: Terminal) -> str:
    """One check; what to do about it on a line of its own."""
    word, style = _LEVELS[value.level]
    text = terminal.wrap(f"{value.check}: {value.message}", indent=9, first=f"{word:<9}")
    line = terminal.style(word, style) + text.removeprefix(word)
    return f"{line}\n{terminal.wrap(f'-> {value.todo}', indent=9)}" if value.todo else line


def _setting(value: SettingValue, terminal: Terminal) -> str:
    place = f" ({clean(value.place)})" if value.place else ""
    said = f"  {value.name:<16} {clean(str(value.value)) or '(empty)'}"
    return said + terminal.style(f"  {value.origin}{place}", "dim")


def backed_up(value: BackedUp, _terminal: Terminal) -> str:
    """Where the backup is."""
    return f"{plural(value.memories, 'memory')} backed up to {clean(value.path)} ({size(value.bytes)})."


SHOWN_LOSSES = 20


def recovered(value: Recovered, terminal: Terminal) -> str:
    """How the store was brought back."""
    words = {
        "whole": "Nothing was wrong",
        "repaired": "The store was repaired",
        "restored": "The store was restored from a backup",
        "fresh": "Nothing could be saved; a new store was begun",
    }
    if value.lost:
        words["whole"] = "The file is whole now"
    kept = [f"The damaged file is kept: {clean(value.kept)}"] if value.kept else []
    steps = (terminal.wrap(step, indent=4, first="  - ") for step in value.steps)
    lost = [terminal.wrap(clean(one), indent=4, first="  - ") for one in value.lost[:SHOWN_LOSSES]]
    if value.lost:
        lost.insert(0, "Lost, or only as it was in the backup:")
    if len(value.lost) > SHOWN_LOSSES:
        lost.append(
            f"  and {len(value.lost) - SHOWN_LOSSES} more: `recortex recover --json` names all of them"
        )
    return "\n".join([f"{words[value.outcome]}: {plural(value.memories, 'memory')}.", *steps, *kept, *lost])


_STATES: dict[str, Style] = {"partly": "yellow", "skipped": "dim", "failed": "red"}

LEAST_WASTE = 4 * 1024 * 1024
"""Bytes of a store whose waste is shown: a young one's pages are mostly empty."""

_WORDS = {
    "old-metrics": "old counts of durations and questions",
    "sessions": "notes of old sessions",
    "exchanges": "old exchanges",
    "leftovers": "files and records left over",
    "relations": "weak and unconfirmed causes",
    "importance": "memories whose importance changed with their use",
    "expiry": "memories pruned long ago",
    "versions": "versions of a memory beyond ten",
    "audit": "old entries of the audit log",
    "vectors": "vectors that nothing uses",
    "compaction": "free pages given back, keyword index merged",
    "rewrite": "the file rewritten without unused space",
    "growth": "the store's size noted",
    "validation": "memories compared with the code",
    "backup": "a backup, opened and counted",
}


def collected(value: Collected, terminal: Terminal) -> str:
    """Each store with the jobs that were run."""
    head = "What would be done; nothing was changed.\n\n" if value.dry_run else ""
    return head + (
        "\n\n".join(_store_upkeep(one, terminal) for one in value.stores) or "There is no store yet."
    )


def _store_upkeep(value: StoreUpkeep, terminal: Terminal) -> str:
    """One store with the jobs that were run."""
    change = "" if value.before == value.after else f" -> {size(value.after)}"
    head = terminal.style(f"{value.scope}  {clean(value.path)}", "bold")
    waiting: dict[str, list[Done]] = {}
    for one in value.chores:
        waiting.setdefault(one.note if one.state == "skipped" else one.name, []).append(one)
    jobs = [
        _job(replace(same[0], name=", ".join(_WORDS.get(one.name, one.name) for one in same)), terminal)
        for same in waiting.values()  # what waits for the same thing is told in one line
    ]
    return "\n".join([f"{head}  {size(value.before)}{change}", *(jobs or ["  Nothing is due."])])


def _job(value: Done, terminal: Terminal) -> str:
    """One job: its name, its counts, and what speaks against it."""
    state = "" if value.state == "done" else terminal.style(f"[{value.state}] ", _STATES[value.state])
    said = "; ".join(filter(None, (", ".join(_amounts(value.counts)), clean(value.note)))) or "none"
    text = terminal.wrap(f"{_WORDS.get(value.name, value.name)}: {said}", indent=4, first="  ")
    return f"  {state}{text.lstrip()}"


def _amounts(counts: dict[str, int]) -> Iterator[str]:
    for name, count in counts.items():
        if name.endswith("_bytes") and count:
            yield f"{size(count)} {name.removesuffix('_bytes')}"
        elif name.endswith("_percent"):
            yield f"{count} %"
        elif count:
            words = name.replace("_", " ")
            yield f"{count:,} {words.removesuffix('s') if count == 1 else words}"


def _health(value: Health, _terminal: Terminal) -> str:
    """A store's size in parts, its growth, its upkeep."""
    waste = f", {value.fragmentation:.0%} holds nothing" if value.bytes >= LEAST_WASTE else ""
    parts = (
        f"  {value.active:,} active, {value.archived:,} archived; vectors {size(value.vector_bytes)}, "
        "keyword index "
        f"{size(value.index_bytes)}{waste}"
    )
    return "\n".join([parts, f"  {_growth(value)}; {_upkept(value)}"])


def _growth(value: Health) -> str:
    if value.bytes_per_month is None:
        return "growth not known yet"
    sign = "-" if value.bytes_per_month < 0 else ""
    until = "" if value.days_to_threshold is None else f", {value.days_to_threshold:,} days to the threshold"
    return f"grows by {sign}{size(abs(value.bytes_per_month))} a month{until}"


def _upkept(value: Health) -> str:
    gc = f"{value.last_gc:%Y-%m-%d}" if value.last_gc else "never"
    backup = f"{value.last_backup:%Y-%m-%d}" if value.last_backup else "never"
    return f"upkeep {gc}, backup {backup}"


def _model_change(value: ModelChange, _terminal: Terminal) -> str:
    """How far a change of the embedding model is."""
    rest = f", about {_lasting(value.seconds_left)} of work" if value.seconds_left is not None else ""
    return (
        f"Change to {clean(value.model)}: {value.share:.0%} done, {value.left:,} left{rest}. Until then "
        "those are found "
        "by their words. A job after each session goes on with it; `recortex reembed` does it now."
    )


def backfilled(value: Backfilled, _terminal: Terminal) -> str:
    """How many vectors were made, and how many are left."""
    if value.dry_run:
        return f"{plural(value.left, 'memory')} without a vector.{_of_others(value)}"
    by = f" by {clean(value.embedder)} in {value.seconds:.1f} s" if value.embedder else ""
    why = (
        f" {clean(value.stopped)}"
        if value.stopped and (value.left or value.exchanges_left or value.chunks_left)
        else ""
    )
    return f"{plural(value.done, 'vector')} made{by}; {value.left:,} left.{_of_others(value)}{why}"


def _of_others(value: Backfilled | Reembedded) -> str:
    """What was done for exchanges and parts of documents; empty where nothing was to do."""
    told = ""
    for done, left, name, names in (
        (value.exchanges, value.exchanges_left, "exchange", ""),
        (value.chunks, value.chunks_left, "part of a document", "parts of documents"),
    ):
        if done:
            told += f" {plural(done, name, names)} got theirs; {left:,} left."
        elif left:
            told += f" {plural(left, name, names)} without vectors."
    return told


def reembedded(value: Reembedded, _terminal: Terminal) -> str:
    """How many memories were brought to the model, how many are left, and how long that may take."""
    if not value.model:
        return "Vectors are switched off."
    former = f" of {clean(', '.join(value.former))}" if value.former else ""
    if value.dry_run:
        return (
            f"{plural(value.left, 'memory')} to be brought to "
            f"{clean(value.model)}{former and ', some with a vector' + former}.{_of_others(value)}"
        )
    took = f" in {value.seconds:.1f} s, {value.per_second:,.0f} per second" if value.per_second else ""
    left = value.left or value.exchanges_left or value.chunks_left
    rest = f", about {_lasting(value.seconds_left)}" if left and value.seconds_left else ""
    why = f" {clean(value.stopped)}" if value.stopped and left else ""
    return (
        f"{plural(value.done, 'memory')} brought to {clean(value.model)}{took}; "
        f"{value.left:,} left{rest}.{_of_others(value)}{why}"
    )


_MOST_CHANGES = 20


def lifecycle(value: Lifecycle, terminal: Terminal) -> str:
    """How many moved on, and the first of them with their reasons."""
    would = "would be " if value.dry_run else ""
    head = (
        f"{value.archived:,} {would}archived, {value.pruned:,} {would}pruned,"
        f" of {plural(value.considered, 'memory')} old enough."
    )
    lines = [
        line
        for status, group in groupby(value.changes[:_MOST_CHANGES], attrgetter("status"))
        for line in (f"{status}:", *(_change(one, terminal) for one in group))
    ]
    left = len(value.changes) - _MOST_CHANGES
    return "\n".join([head, *lines, *([f"  … and {left:,} more (--json shows all)"] if left > 0 else [])])


def _change(value: StatusChange, terminal: Terminal) -> str:
    return f"  {terminal.style(short(value.id), 'cyan')}  {clean(value.kind)}: {clean(value.reason)}"


def _lasting(seconds: float) -> str:
    """A time to wait, as people say it."""
    minutes = round(seconds / 60)
    return f"{minutes:,} min" if minutes else f"{seconds:.0f} s"
