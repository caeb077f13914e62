"""Answers on a terminal, where somebody reads them now: tables, and no line wider than the screen.

Only imported for a terminal: what goes into a pipe keeps its plain form, and no start waits for `rich`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from io import StringIO
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from recortex.cli.rendering.memories import details, source_of
from recortex.cli.rendering.project import EXCLUDING, leaving, sides
from recortex.cli.rendering.sessions import inspection
from recortex.terminal import SHORT_ID, clean, plural, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rich.console import RenderableType

    from recortex.domain.memory import Memory
    from recortex.operations.browsing import Listing
    from recortex.operations.inspecting import Inspection
    from recortex.operations.reviewing import Contradiction, Reviewed
    from recortex.operations.sessions import History
    from recortex.terminal import Terminal

_TRAILING = re.compile(r"(?<! )(?:[ ]|\x1b\[[0-9;]*m)+$", re.MULTILINE)
"""Blanks at the end of a line, and what ends a style among them."""
_MARKS = {"critical": ("!! ", "red"), "high": ("! ", "yellow")}


def show(value: Any, form: Callable[[Any, Terminal], str], terminal: Terminal) -> str:
    """An answer as a screen of its own where there is one, else its plain form folded to the width."""
    screen = None if terminal.full else _SCREENS.get(type(value).__name__)
    made = screen(value, terminal) if screen else None
    if made is None:
        return "\n".join(_folded(line, terminal) for line in form(value, terminal).split("\n"))
    return _drawn(made, terminal)


def _drawn(made: RenderableType, terminal: Terminal) -> str:
    file = StringIO()
    console = Console(
        file=file,
        width=terminal.width,
        force_terminal=terminal.colour,
        no_color=not terminal.colour,
        color_system="standard" if terminal.colour else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    console.print(made)
    return _TRAILING.sub(lambda found: found[0].replace(" ", ""), file.getvalue()).rstrip("\n")


def _folded(line: str, terminal: Terminal) -> str:
    """A line of the plain form, broken where the screen ends, its further lines as far in as itself."""
    if len(line) <= terminal.width and line.isascii():
        return line
    text = Text.from_ansi(line)
    if text.cell_len <= terminal.width:
        return line
    indent = min(len(text.plain) - len(text.plain.lstrip()), terminal.width // 2)
    return _drawn(Padding(text[indent:], (0, 0, 0, indent)), terminal)


def _text(said: str, style: str = "") -> Text:
    return Text(clean(said), style=style, overflow="fold")


def _inset(said: str, columns: int, style: str = "") -> Padding:
    return Padding(_text(said, style), (0, 0, 0, columns))


def _table(*columns: tuple[str, bool]) -> Table:
    """A table without lines; of each column its heading, and whether it may be wrapped."""
    table = Table(
        box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold"
    )
    for name, wraps in columns:
        table.add_column(name, no_wrap=not wraps, overflow="fold", ratio=1 if wraps else None)
    return table


def _id(memory_id: str) -> Text:
    return Text(short(memory_id), style="cyan")


def _memory_cell(memory: Memory) -> Text:
    """What a memory says in a table: importance, summary, state and tags."""
    mark, style = _MARKS.get(memory.importance, ("", ""))
    said = Text.assemble(
        (mark, style), clean(" ".join((memory.summary or memory.text).split())), overflow="fold"
    )
    if memory.status != "active":
        said.append(f" [{memory.status}]", "yellow")
    if memory.tags:
        said.append(clean(" " + " ".join(f"#{tag}" for tag in memory.tags[:4])), "dim")
    return said


def _memories(memories: Iterable[Memory], terminal: Terminal) -> Table:
    table = _table(("id", False), ("kind", False), ("memory", True), ("changed", False))
    for one in memories:
        table.add_row(
            _id(one.id),
            _text(str(one.kind)[:14]),
            _memory_cell(one),
            _text(terminal.when(one.updated_at), "dim"),
        )
    return table


def _listing(value: Listing, terminal: Terminal) -> RenderableType | None:
    if not value.memories:
        return None
    shown = len(value.memories)
    count = (
        plural(value.total, "memory") if shown == value.total else f"{shown:,} of {value.total:,} memories"
    )
    end = f"{count}. `recortex get ID` shows one whole, `recortex list --full` all of these."
    return Group(_memories(value.memories, terminal), "", _text(end, "dim"))


def _reviewed(value: Reviewed, terminal: Terminal) -> RenderableType | None:
    """What waits for approval: whole, with its quote, and how sure it is."""
    if value.action != "list" or not (value.memories or value.contradictions or value.flagged):
        return None
    parts: list[RenderableType] = []
    for subject, group in value.groups:
        parts.append(_text(subject, "bold"))
        for one in group:
            parts += [_waiting(one, terminal), ""]
        if len(group) > 1:
            ids = " ".join(one.id[:SHORT_ID] for one in group)
            parts += [_text(f"All of these: recortex review approve {ids}", "dim"), ""]
    if value.memories:
        waits = plural(value.waiting, "memory waits", "memories wait")
        decide = (
            f"{waits} for you. `recortex review approve ID` keeps one, `recortex review reject "
            "ID` puts it away."
        )
        parts.append(_text(decide, "dim"))
    if value.contradictions:
        parts += ["", Text(EXCLUDING, "bold"), ""]
        parts += [_contradiction(one, terminal) for one in value.contradictions]
    if value.flagged:
        how = "These may no longer hold; `recortex review approve ID` keeps one as it is:"
        parts += ["", Text(how, "bold"), ""]
        for each in value.flagged:
            why = (_inset(one, SHORT_ID + 2, "dim") for one in each.why)
            parts += [_memories((each.memory,), terminal), *why]
    if value.leaving:
        parts += ["", _text(leaving(value.leaving), "dim")]
    return Group(*parts)


def _waiting(one: Memory, terminal: Terminal) -> RenderableType:
    sure, at = (f"  {one.confidence:.0%} sure", "bold"), (f"  {terminal.when(one.valid_from)}", "dim")
    head = Text.assemble(_id(one.id), f"  {one.kind}", sure, (f"  {one.status}", "yellow"), at)
    lines: list[RenderableType] = [head, _inset(one.text, 2)]
    if one.source.quote and one.source.quote != one.text:
        lines.append(_inset(f"“{one.source.quote}”", 4, "italic"))
    if where := source_of(one.source):
        lines.append(_inset(where, 4, "dim"))
    return Group(*lines)


def _contradiction(value: Contradiction, terminal: Terminal) -> RenderableType:
    return Group(
        _memories((value.newer, value.older), terminal), _inset(sides(value), SHORT_ID + 2, "dim"), ""
    )


def _history(value: History, terminal: Terminal) -> RenderableType | None:
    if not value.versions:
        return None
    parts: list[RenderableType] = []
    for one in value.versions:
        until = "until now" if one.recorded_to is None else f"until {terminal.when(one.recorded_to)}"
        head = Text.assemble(
            (f"Version {one.version}", "bold"),
            f"  from {terminal.when(one.recorded_from)} {until}, by {one.changed_by}",
        )
        head.append(clean(f": {one.reason}") if one.reason else "")
        parts += [head, _inset(one.memory.text, 2), ""]
    table = _table(("when", False), ("what", False), ("by", False), ("", True))
    for entry in value.audit:
        at, what = _text(terminal.when(entry.at), "dim"), _text(details(entry), "dim")
        table.add_row(at, _text(entry.operation), _text(entry.actor), what)
    return Group(*parts, table) if value.audit else Group(*parts)


def _inspection(value: Inspection, terminal: Terminal) -> RenderableType | None:
    """The plain figures, and the sessions as a table."""
    if value.receipts is not None or not value.sessions:
        return None
    figures = Text.from_ansi(inspection(replace(value, sessions=()), terminal))
    figures.overflow = "fold"
    table = _table(
        ("session", False), ("last seen", False), ("agent", False), ("branch", True), ("memories given", True)
    )
    for one in value.sessions:
        worth = one.efficiency
        given = (
            f"{worth.memories}, {worth.used} used, {worth.tokens_given:,} tokens"
            if worth.memories
            else "none"
        )
        at = _text(terminal.when(one.seen_at), "dim")
        table.add_row(_id(one.id), at, _text(one.client), _text(one.branch), _text(given))
    end = _text("`recortex inspect --session ID` shows what one was given.", "dim")
    return Group(figures, "", table, "", end)


_SCREENS: dict[str, Callable[[Any, Terminal], RenderableType | None]] = {
    "Listing": _listing,
    "Reviewed": _reviewed,
    "History": _history,
    "Inspection": _inspection,
}
