"""Memories as lines and pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from recortex.domain.text import clean as without_marks
from recortex.engines.retrieval.weights import reasons
from recortex.lean import lazy_module
from recortex.terminal import SHORT_ID, clean, plural, short, size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.consolidation import consolidating
    from recortex.consolidation.operations import Consolidated, DuplicatePair, Merged
    from recortex.domain.memory import AuditEntry, FileLink, Memory, Relation, Source, Version
    from recortex.domain.search import Hit
    from recortex.operations.base import OpenedMemory, RememberedMemory
    from recortex.operations.browsing import Linked, Listing, Related
    from recortex.operations.moving import Exported, Imported, Relocated, StoreCopied
    from recortex.operations.projects import HostFileChange, Installed
    from recortex.operations.recording import Forgotten, Remembered
    from recortex.operations.sessions import Erased, History, Purged
    from recortex.storage.transfer import TableCopied
    from recortex.terminal import Style, Terminal
else:
    consolidating = lazy_module("recortex.consolidation.consolidating")


_KIND_COLUMN = 18
_MARGIN = SHORT_ID + 2
_MARKS: dict[str, tuple[str, Style]] = {"critical": ("!! ", "red"), "high": ("!  ", "yellow")}
_SHOWN_STATUSES = frozenset({"proposed", "superseded", "archived", "pruned", "quarantined"})


def line_of(memory: Memory, terminal: Terminal) -> str:
    """A memory on one line: id, kind, importance, summary; status and tags where there are any."""
    mark, style = _MARKS.get(memory.importance, ("   ", "dim"))
    after = f" [{memory.status}]" if memory.status in _SHOWN_STATUSES else ""
    tags = " ".join(f"#{tag}" for tag in memory.tags[:4])
    room = terminal.width - _MARGIN - _KIND_COLUMN - 5 - len(after)
    summary = terminal.cut(memory.summary or memory.text, max(room, 30))
    rest = terminal.cut(tags, room - len(summary) - 2) if tags and room - len(summary) > len(tags) else ""
    parts = (
        terminal.style(short(memory.id), "cyan"),
        f"{memory.kind!s:<{_KIND_COLUMN - 1}}",
        f"{terminal.style(mark, style)}{summary}{terminal.style(after, 'yellow')}",
        terminal.style(rest, "dim"),
    )
    return "  ".join(part for part in parts if part).rstrip()


def memory(value: Memory, terminal: Terminal) -> str:
    """A memory whole: its text, then all that is known of it."""
    head = terminal.style(f"{value.kind}  {value.id}", "bold")
    body = terminal.wrap(value.text)
    return "\n".join(
        [head, "", body, "", *(_row(name, said, terminal) for name, said in _facts(value, terminal) if said)]
    )


def remembered(value: RememberedMemory, terminal: Terminal) -> str:
    """A memory as it was kept, and what was known of the matter: what became of it, date, id, text."""
    known = (f"{one.done}: {one.said_on} {short(one.id)} {one.text}" for one in value.known)
    return "\n".join([memory(value, terminal), *(_row("known", one, terminal) for one in known)])


def opened(value: OpenedMemory, terminal: Terminal) -> str:
    """A memory whole, and what became of the code that it cites."""
    told = (_row("cited code", clean(one), terminal) for one in value.cited)
    return "\n".join([memory(value, terminal), *told])


def _row(name: str, said: str, terminal: Terminal) -> str:
    return terminal.wrap(said, indent=14, first=f"{name:<14}")


def _facts(value: Memory, terminal: Terminal) -> Iterator[tuple[str, str]]:
    yield "summary", value.summary if value.summary != value.text else ""
    yield (
        "status",
        f"{value.status}, {value.scope}, version {value.version}" + (", pinned" if value.pinned else ""),
    )
    yield "importance", f"{value.importance} ({value.priority} of 10), confidence {value.confidence:.2f}"
    yield (
        "origin",
        f"{value.origin}, {value.trust}"
        + (f", learned {value.evidence} times" if value.evidence > 1 else ""),
    )
    yield "tags", " ".join(f"#{tag}" for tag in value.tags)
    yield "domain", "" if value.domain == "GENERAL" else value.domain
    yield "files", ", ".join(_file(link) for link in value.files)
    yield "functions", ", ".join(link.name for link in value.functions)
    yield "patterns", ", ".join(link.name or link.id for link in value.patterns)
    yield "constraints", ", ".join(link.name or link.id for link in value.constraints)
    yield "recorded", f"{terminal.when(value.recorded_at)}, changed {terminal.when(value.updated_at)}"
    yield "validated", terminal.when(value.validated_at) if value.validated_at else ""
    until = f" until {value.valid_until:%Y-%m-%d}" if value.valid_until else ""
    yield "true", f"since {value.valid_from:%Y-%m-%d}{until}"
    yield "used", plural(value.access_count, "time") if value.access_count else ""
    yield "superseded", f"by {value.superseded_by}" if value.superseded_by else ""
    yield "supersedes", value.supersedes or ""
    yield "source", source_of(value.source)
    yield "quote", f"“{value.source.quote}”" if value.source.quote else ""


def _file(link: FileLink) -> str:
    first = "" if link.line_start is None else f":{link.line_start}"
    last = "" if link.line_end in {None, link.line_start} else f"-{link.line_end}"
    return f"{link.path}{first}{last}"


def source_of(source: Source) -> str:
    """Where a memory was learned, in words."""
    parts = (
        source.client,
        f"session {source.session[:SHORT_ID]}" if source.session else "",
        f"turn {source.turn}" if source.turn is not None else "",
        f"said by {source.speaker}" if source.speaker else "",
        f"asked for by {source.tool}" if source.tool else "",
        source.url,
    )
    return ", ".join(part for part in parts if part)


def hit(value: Hit, terminal: Terminal) -> str:
    """One hit: its score, its text, why it was found and where it comes from."""
    one = value.memory
    lines = [
        f"{terminal.style(f'{value.score:.2f}', 'green')}  {terminal.style(short(one.id), 'cyan')}  "
        f"{one.kind}"
        + (f"  {terminal.style(value.freshness, 'yellow')}" if value.freshness in {"changed", "gone"} else "")
        + (f"  {terminal.style('weak', 'yellow')}" if value.weak else ""),
        terminal.wrap(one.text, indent=6),
    ]
    if value.cited:
        lines.append(terminal.style(terminal.wrap(clean(value.cited), indent=6), "yellow"))
    if value.disputed:
        other = f"a later one says otherwise: {clean(value.disputed)}"
        lines.append(terminal.style(terminal.wrap(other, indent=6), "yellow"))
    if why := reasons(value.signals):
        lines.append(terminal.style(terminal.wrap(why, indent=6), "dim"))
    if value.why:
        lines.append(terminal.style(terminal.wrap(value.why.text, indent=6), "dim"))
    if value.alike:
        others = f"and {len(value.alike)} alike: {', '.join(map(short, value.alike))}"
        lines.append(terminal.style(terminal.wrap(others, indent=6), "dim"))
    if said := source_of(one.source):
        lines.append(terminal.style(terminal.wrap(said, indent=6), "dim"))
    lines += [
        f"{terminal.style(short(code.id), 'cyan')}  code\n{_verbatim(code.text)}" for code in value.code
    ]
    return "\n".join(lines)


def _verbatim(code: str) -> str:
    """Code by its own lines, none of which a terminal would obey."""
    return "\n".join(f"      {clean(line.expandtabs(4))}".rstrip() for line in code.splitlines())


def lines(values: tuple[Memory, ...], terminal: Terminal) -> str:
    """Memories, a line each."""
    return "\n".join(line_of(one, terminal) for one in values)


def listing(value: Listing, terminal: Terminal) -> str:
    """A page of memories and how many there are."""
    if not value.memories:
        return (
            f"None on this page; {value.total} in all."
            if value.total
            else "No memory passes these filters. `recortex status` shows how many there are."
        )
    whole = "\n\n\n".join(memory(one, terminal) for one in value.memories) if terminal.full else ""
    return f"{whole or lines(value.memories, terminal)}\n\n{len(value.memories)} of {value.total}"


def forgotten(value: Forgotten, terminal: Terminal) -> str:
    """What was put away, or what may have been meant."""
    if value.memory is None:
        if not value.candidates:
            return "Nothing fits; nothing was changed."
        first = short(value.candidates[0].id)
        return (
            f"Nothing was changed. Which one is it?\n{lines(value.candidates, terminal)}\n"
            f"`recortex forget {first}` puts the first one away."
        )
    word = "Would be put away" if value.dry_run else "Put away"
    undo = "" if value.dry_run else f"\n`recortex restore {short(value.memory.id)}` brings it back."
    return f"{word}:\n{line_of(value.memory, terminal)}{undo}"


def linked(value: Linked, terminal: Terminal) -> str:
    """A memory after its links changed."""
    told = f"{value.removed} removed\n" if value.removed else ""
    made = f"{_relation(value.relation, terminal)}\n" if value.relation else ""
    files = ", ".join(clean(_file(link)) for link in value.memory.files)
    return f"{made}{told}{line_of(value.memory, terminal)}" + (f"\nfiles: {files}" if files else "")


def _relation(value: Relation, terminal: Terminal) -> str:
    """A sentence: `3f2a9c01 supersedes 81bb02cd`."""
    both = ", and the other way round" if value.bidirectional else ""
    strength = "" if value.strength == 1 else f" (strength {value.strength:.2f})"
    said = f"{short(value.source_id)} {value.type.words} {short(value.target_id)}{both}{strength}"
    return said + ("" if value.status == "active" else terminal.style(f" [{value.status}]", "yellow"))


def related(value: Related, terminal: Terminal) -> str:
    """A memory and its neighbours, indented by distance."""
    steps = [(one.depth, one.relation, one.memory) for one in value.neighbours]
    return walked(value.memory, steps, terminal)


def walked(start: Memory, steps: Iterable[tuple[int, Relation, Memory]], terminal: Terminal) -> str:
    """A memory, and what is reached from it: each indented by its distance, after the last relation."""
    lines = [
        f"{'  ' * depth}{terminal.style(_verb(last, found), 'green')}  {line_of(found, terminal)}"
        for depth, last, found in steps
    ]
    return "\n".join([line_of(start, terminal), *(lines or ["  no relations"])])


def _verb(relation: Relation, reached: Memory) -> str:
    """What leads from one end of a relation to the memory at its other end."""
    return relation.type.words if relation.target_id == reached.id else relation.type.reversed


# -- what was learned, read in, written out, changed and removed


RULES = "rules"
_MOST_PROBLEMS = 10
_HASH = 12
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SAID: dict[bool | None, str] = {True: "yes", False: "no", None: ""}


def acknowledged(value: Remembered, _terminal: Terminal) -> str:
    """How many were new, and what was taken out."""
    merged = f", {value.merged} merged with what was known" if value.merged else ""
    redacted = f", {plural(value.redacted, 'secret')} taken out" if value.redacted else ""
    return f"{plural(value.added, 'memory')} added{merged}{redacted}."


def imported(value: Imported, terminal: Terminal) -> str:
    """The summary of a back-fill."""
    if value.format in {"adr", "git"}:
        return "\n".join((*_of_project(value, terminal), *_last(value, terminal)))
    if value.sources or value.format == "discover":
        return "\n".join((*_of_systems(value, terminal), *_last(value, terminal)))
    return "\n".join((*_imported(value, terminal), *_last(value, terminal)))


def _imported(value: Imported, terminal: Terminal) -> Iterator[str]:
    if value.files:
        word = "Would read" if value.dry_run else "Read"
        unchanged = f", {value.unchanged} of them unchanged since last time" if value.unchanged else ""
        amount = f": {plural(value.lines, 'line')}, {plural(value.turns, 'turn')}" if value.lines else ""
        if value.format == RULES:
            amount = f": {plural(value.lines, 'statement')}"
        yield f"{word} {plural(value.files, 'file')} of {value.format}{unchanged}{amount}."
        waiting = f", {value.proposed} of them waiting for review" if value.proposed else ""
        relations = f", {plural(value.relations, 'relation')}" if value.relations else ""
        yield (
            f"{plural(value.added, 'memory')} added{waiting}; {value.merged} merged with "
            f"what was known{relations}."
        )
        if value.exchanges:
            yield f"{plural(value.exchanges, 'exchange')} of past sessions added."
        for kind, count in sorted(value.by_kind.items(), key=lambda item: (-item[1], item[0])):
            yield f"  {count:>6,}  {kind}"
        for why, count in value.skipped.items():
            yield f"{plural(count, 'record')} left out: {why}."
    else:
        yield from _nothing_read(value, terminal)


def _last(value: Imported, terminal: Terminal) -> Iterator[str]:
    """What went wrong, and what to do next."""
    for problem in value.problems[:_MOST_PROBLEMS]:
        yield terminal.style(terminal.wrap(problem, indent=2, first="! "), "yellow")
    if len(value.problems) > _MOST_PROBLEMS:
        yield f"! and {len(value.problems) - _MOST_PROBLEMS} more; `--json` shows all"
    if value.proposed and not value.dry_run:
        yield "`recortex review` shows what waits."


def _of_systems(value: Imported, terminal: Terminal) -> Iterator[str]:
    """What became of the rows of other memory systems; the counts add up to the rows."""
    if not value.sources:
        yield "No other memory system was found in your home folder or in the project."
    would = "would be " if value.dry_run else ""
    for one in value.sources:
        yield f"{terminal.style(one.system, 'cyan')}  {clean(one.path)}"
        if one.problem:
            yield terminal.style(terminal.wrap(one.problem, indent=2, first="! "), "yellow")
            continue
        counts = (
            (one.added, "added"),
            (one.changed, "changed, since their rows did"),
            (one.merged, "merged with what says the same"),
            (one.unchanged, "known already"),
        )
        said = [f"{count:,} {would}{what}" for count, what in counts if count or what == "added"]
        said += [plural(one.relations, "relation")] if one.relations else []
        yield f"  {plural(one.rows, 'row')}: {', '.join(said)}; {sum(one.refused.values()):,} left out."
        yield from (f"  {count:>6,}  {clean(why)}" for why, count in one.refused.items())
        if value.dry_run:
            yield from (f"  {clean(line)}" for line in one.mapping)
            yield from (terminal.cut(f"    {clean(line)}", terminal.width) for line in one.examples)
    if value.dry_run and value.format == "discover" and value.sources:
        yield "`recortex import --discover --yes` imports all of this, `--only NAME` a part."


def _of_project(value: Imported, terminal: Terminal) -> Iterator[str]:
    """What the project's own records or commits came to; the counts add up to what was looked at."""
    commits = value.format == "git"
    yield f"Looked at {plural(value.commits, 'commit') if commits else plural(value.files, 'file')}."
    for one in value.found:
        name = clean(one.of)[:_HASH] if commits else clean(one.of).rpartition("/")[2]
        head = f"{terminal.style(one.kind, 'cyan')} [{one.status}] {name}: {clean(one.summary)}"
        yield terminal.cut(f"  {head}", terminal.width)
    would = "would be " if value.dry_run else ""
    counts = (
        (value.added, "added"),
        (value.changed, "replaced by a later one" if commits else "changed"),
        (value.merged, "merged with what was known"),
        (value.ended, "put away, since what they came from is gone"),
        (value.unchanged, "known and unchanged"),
    )
    said = [f"{count:,} {would}{what}" for count, what in counts if count or what == "added"]
    said += [plural(value.relations, "relation")] if value.relations else []
    yield f"Memories: {', '.join(said)}."
    yield from (f"  {count:>6,}  {kind}" for kind, count in value.by_kind.items())
    if value.skipped:
        yield f"Left out: {sum(value.skipped.values()):,}."
    yield from (f"  {count:>6,}  {clean(reason)}" for reason, count in value.skipped.items())


def _nothing_read(value: Imported, terminal: Terminal) -> Iterator[str]:
    """Where was looked, what was there instead, and what to do."""
    if value.format == RULES:
        yield "No CLAUDE.md, AGENTS.md or the like was found in this project, or none that may be read."
        return
    which = "" if value.format == "any" else f" of {value.format}"
    if not value.places:
        yield terminal.wrap(
            f"{value.format} leaves no session files in a place that is known: nothing was read."
        )
    else:
        yield f"No session{which} was found for this project. Looked in:"
        yield from (terminal.wrap(place, indent=2) for place in value.places)
    if value.elsewhere:
        others = "session there belongs to another project", "sessions there belong to other projects"
        yield f"{plural(value.elsewhere, *others)}."
    yield f"If sessions are elsewhere: `recortex import {value.format} FOLDER`."


def exported(value: Exported, _terminal: Terminal) -> str:
    """The exported text itself, or where it was written."""
    if not value.path:
        return value.text.removesuffix("\n")
    if not value.changed:
        return f"{clean(value.path)} has everything already: nothing was written."
    count = f"{plural(value.memories, 'memory')} and {plural(value.relations, 'relation')}"
    if value.exchanges:
        count += f" and {plural(value.exchanges, 'exchange')}"
    return f"{count} written to {clean(value.path)} ({value.format})."


def history(value: History, terminal: Terminal) -> str:
    """The states of a memory, newest first, then what was done to it; of one that is gone, why it is."""
    if not value.versions:
        # What is known of a memory that is gone for good.
        if value.gone != "expiry":
            return f"{clean(value.id)} was purged; nothing of it is kept."
        at = f" on {value.gone_at:%Y-%m-%d}" if value.gone_at else ""
        head = f"{clean(value.id)} expired{at}: it was pruned and not used again; its text is gone."
        return "\n".join(
            [terminal.wrap(head, indent=0), "", *(audit_entry(one, terminal) for one in value.audit)]
        )
    states = (version(one, terminal) for one in value.versions)
    return "\n".join([*states, "", *(audit_entry(one, terminal) for one in value.audit)])


def version(value: Version, terminal: Terminal) -> str:
    """One state and the time for which it held."""
    until = "now" if value.recorded_to is None else f"{terminal.when(value.recorded_to)}"
    held = f"version {value.version}, {terminal.when(value.recorded_from)} to {until}, by {value.changed_by}"
    reason = f": {clean(value.reason)}" if value.reason else ""
    body = terminal.wrap(value.memory.text, indent=4)
    return f"{terminal.style(held, 'bold')}{reason}\n{line_of(value.memory, terminal)}\n{body}"


def audit_entry(value: AuditEntry, terminal: Terminal) -> str:
    """One change on a line."""
    said = f"{terminal.when(value.at)}  {value.operation:<12} {value.actor:<12} {details(value)}".rstrip()
    return said if len(said) <= terminal.width else clean(said)[: terminal.width - 1] + "…"


def details(value: AuditEntry) -> str:
    """What an entry says beside what was done: `fields text, summary; from active`."""
    said = ((name.replace("_", " "), _told(item)) for name, item in value.details.items())
    return "; ".join(f"{name} {item}" for name, item in said if item)


def _told(item: Any) -> str:
    if isinstance(item, dict):
        return ", ".join(f"{name} {_told(inner)}" for name, inner in item.items())
    if isinstance(item, list | tuple):
        return ", ".join(map(_told, item))
    if item is None or isinstance(item, bool):
        return _SAID[item]
    said = " ".join(clean(str(item)).split())
    return short(said) if _ID.fullmatch(said) else said


def purged(value: Purged, terminal: Terminal) -> str:
    """What is gone, and the proof."""
    count = plural(len(value.ids), "memory")
    if value.exchanges:
        count += f" and {plural(len(value.exchanges), 'exchange')}"
    if value.chunks:
        count += f" and {plural(len(value.chunks), 'part')} of documents"
    if value.dry_run:
        ids = " ".join(short(one) for one in (*value.ids, *value.exchanges, *value.chunks)) or "none"
        return f"{count} would be removed for good: {ids}."
    searched = f"{plural(value.searched_bytes, 'byte')} in {plural(len(value.files), 'file')} were read"
    if value.traces:
        traces = "\n".join(f"  {clean(path)}" for path in value.traces)
        return terminal.style(f"{count} removed, but the text is still in:", "red") + f"\n{traces}"
    backups = f" {plural(value.backups_rewritten, 'backup')} rewritten." if value.backups_rewritten else ""
    left = "".join(f"\n{clean(one)}" for one in value.left)
    return f"{count} removed for good. {searched}: no trace is left there.{backups}{left}"


def erased(value: Erased, terminal: Terminal) -> str:
    """What was deleted, and whether anything is left."""
    if value.changes_nothing:
        return f"There is no memory at {clean(value.path)}."
    parts = [plural(value.memories, "memory")]
    if value.files:
        parts.append(f"{plural(len(value.files), 'file')} ({size(sum(value.files.values()))})")
    if value.rows:
        parts.append(f"{plural(sum(value.rows.values()), 'row')} in {plural(len(value.rows), 'table')}")
    what, place = ", ".join(parts), clean(value.path)
    if value.dry_run:
        listed = [*(f"  {clean(path)}" for path in value.files), *(f"  {name}" for name in value.rows)]
        return "\n".join([f"{what} at {place} would be deleted for good:", *listed])
    if value.left:
        left = "\n".join(f"  {clean(one)}" for one in value.left)
        return terminal.style(f"{what} at {place} deleted, but this is still there:", "red") + f"\n{left}"
    return f"{what} at {place} deleted for good. It was looked for afterwards: nothing is left."


_SHOWN = 16


def relocated(value: Relocated, terminal: Terminal) -> str:
    """Where a memory is now, and which relations did not go with it."""
    where = "your own store" if value.memory.scope == "global" else "the project's store"
    head = f"{clean(value.memory.id)} is in {where} now: {clean(value.memory.summary)}"
    left = [f"  left behind: {clean(one)}" for one in value.left]
    return "\n".join([terminal.cut(head, terminal.width), *left])


def store_copied(value: StoreCopied, terminal: Terminal) -> str:
    """From where to where, and each table that holds something with its checksum."""
    what = "would be copied" if value.dry_run else "copied and compared"
    effort = f"{value.written} written, {value.seconds:.1f} s"
    return "\n".join(
        [
            f"{value.memories} memories, {value.rows} rows {what} ({effort})",
            f"  from {clean(value.source)}",
            f"  to   {clean(value.target)}",
            *(_table_copied(one, terminal) for one in value.tables if one.rows),
        ]
    )


def _table_copied(value: TableCopied, terminal: Terminal) -> str:
    """A table, its rows, the beginning of its checksum."""
    return terminal.cut(
        f"  {clean(value.table):<20} {value.rows:>9}  {value.checksum[:_SHOWN]}", terminal.width
    )


_COLOURS: dict[str, Style] = {"+": "green", "-": "red"}


def installed(value: Installed, terminal: Terminal) -> str:
    """The client, its files, and what to do next."""
    done = "would be" if value.dry_run else "is"
    title = f"Recortex {done} {'in' if value.installed else 'out of'} {clean(value.host)}."
    files = (_file_change(file, terminal) for file in value.files)
    return "\n".join([title, *files, *(f"note: {clean(note)}" for note in value.notes)])


def _file_change(value: HostFileChange, terminal: Terminal) -> str:
    """A file, what became of it, and its diff where nothing was written."""
    kept = f" (as it was: {clean(value.backup)})" if value.backup else ""
    return "\n".join([f"  {value.action}  {clean(value.path)}{kept}", *_diff(value.diff, terminal)])


def _diff(text: str, terminal: Terminal) -> Iterator[str]:
    for line in text.splitlines():
        colour = _COLOURS.get(line[:1])
        yield f"    {terminal.style(clean(line), colour) if colour else clean(line)}"


# -- consolidations


def consolidated(value: Consolidated, terminal: Terminal) -> str:
    """The pairs, the merged memory and what it replaces, what is planned or was done, or the metrics."""
    if value.action == "metrics":
        return _metrics(value)
    if value.action in {"plan", "run"}:
        return _groups(value, terminal)
    if value.merged:
        word = "Would become" if value.dry_run else "Merged into"
        old = "\n".join(f"  {line_of(one, terminal)}" for one in value.superseded)
        text = terminal.wrap(value.merged.text, indent=6)
        kept = f"\nBackup before it: {without_marks(value.backup)}" if value.backup else ""
        return f"{word}:\n{line_of(value.merged, terminal)}\n{text}\nin place of:\n{old}{kept}"
    cut = "" if value.complete else " The store is too large for every pair to be looked at."
    if not value.pairs:
        return f"Nothing seems to be said twice.{cut}"
    count = f"{len(value.pairs)} of {plural(value.total, 'pair')}"
    end = f"{count}. `recortex consolidate merge ID ID` merges one.{cut}"
    return "\n\n".join([*(_pair(one, terminal) for one in value.pairs), end])


def _pair(value: DuplicatePair, terminal: Terminal) -> str:
    """Both memories, what speaks for a merge and what against it."""
    lines = [
        f"{terminal.style(f'{value.score:.2f}', 'green')}  {without_marks(value.why)}",
        *(
            f"  {terminal.style(short(one.id), 'cyan')}  {one.kind}\n{terminal.wrap(one.text, indent=6)}"
            for one in (value.better, value.other)
        ),
    ]
    if value.contradiction:
        against = f"  They may contradict each other: {without_marks(value.contradiction)}."
        lines.append(terminal.style(against, "yellow"))
    return "\n".join(lines)


_RESULTS = {
    "strengthened": "near-copies",
    "updated": "one said it already",
    "created": "they say it in other words, or add to each other",
}


def _groups(value: Consolidated, terminal: Terminal) -> str:
    done = [one for one in value.groups if not one.refused]
    shown = [_group(one, terminal, dry_run=value.dry_run) for one in value.groups]
    for pair in value.apart:
        why = terminal.style(without_marks(pair.why), "yellow")
        shown.append(f"Kept apart: {why}\n{line_of(pair.one, terminal)}\n{line_of(pair.other, terminal)}")
    verb = "would become" if value.dry_run else "became"
    sources = sum(len(one.sources) for one in done)
    end = (
        f"{sources} of {plural(value.total, 'memory')} {verb} {len(done)}; {value.pending} stay as they are."
    )
    if not done:
        end = f"Of {plural(value.total, 'memory')} none can be merged."
    if value.backup:
        end += f"\nBackup before it: {without_marks(value.backup)}\n`recortex undo ID` takes one back."
    elif done and value.dry_run:
        end += "\n`recortex consolidate run` does it; with ids, only for groups that hold one of them."
    return "\n\n".join([*shown, end])


def _group(one: Merged, terminal: Terminal, *, dry_run: bool) -> str:
    word = "Would become" if dry_run else "Merged into"
    if one.refused:
        word = f"Not merged, since {without_marks(one.refused)}"
    asked = ", ".join(f"«{without_marks(each)}»" for each in one.asked)
    why = f"{_RESULTS[one.result]}; likeness {one.likeness:.2f} at least; each is found by {asked}"
    if one.polished:
        why += "; worded by the language model, which says the same"
    old = "\n".join(f"  {line_of(each, terminal)}" for each in one.sources)
    text = terminal.wrap(one.memory.text, indent=6)
    return f"{word}:\n{line_of(one.memory, terminal)}\n{text}\nin place of:\n{old}\n{terminal.wrap(why)}"


def _metrics(value: Consolidated) -> str:
    if not value.events:
        return "Nothing was consolidated yet. `recortex consolidate plan` shows what can be."
    rows = [plural(value.events, "consolidation")]
    for name, found in value.metrics.items():
        least, most = consolidating.TARGETS[name]
        wanted = " to ".join(
            [
                *([f"at least {least:g}"] if least is not None and most is None else []),
                *([f"at most {most:g}"] if most is not None and least is None else []),
                *([f"{least:g}", f"{most:g}"] if least is not None and most is not None else []),
            ]
        )
        rows.append(f"  {name:<15} {found:.2f}  ({wanted}{', missed' if name in value.missed else ''})")
    return "\n".join(rows)
