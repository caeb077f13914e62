"""Memories as lines and pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.values import plural
from recortex.cli.terminal import clean
from recortex.engines.retrieval.vocabulary import reasons

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.cli.terminal import Style, Terminal
    from recortex.domain.explanation import Hit
    from recortex.domain.memory import FileLink, Memory, Source
    from recortex.domain.relation import Relation
    from recortex.operations.answering import OpenedMemory, RememberedMemory
    from recortex.operations.browsing import Listing, Related
    from recortex.operations.linking import Linked
    from recortex.operations.recording import Forgotten

SHORT_ID = 8  # characters that tell a memory from the others in all but the largest stores
_KIND_COLUMN = 18
_MARGIN = SHORT_ID + 2
_MARKS: dict[str, tuple[str, Style]] = {"critical": ("!! ", "red"), "high": ("!  ", "yellow")}
_SHOWN_STATUSES = frozenset({"proposed", "superseded", "archived", "pruned", "quarantined"})


def short(memory_id: str) -> str:
    """The beginning of an id, as commands accept it."""
    return clean(memory_id)[:SHORT_ID]


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
