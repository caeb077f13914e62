"""What a session starts with, what fades, and where relations lead."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from recortex.cli.rendering.amounts import plural
from recortex.cli.rendering.memories import short, walked
from recortex.cli.terminal import clean

if TYPE_CHECKING:
    from recortex.cli.terminal import Terminal
    from recortex.domain.context import Context
    from recortex.domain.reasons import Why
    from recortex.operations.brief import Surface
    from recortex.operations.graphing import Traversal
    from recortex.operations.lifecycle import Lifecycle, StatusChange

_MOST_CHANGES = 20


def surface(value: Surface, terminal: Terminal) -> str:
    """The brief as the agent gets it, and its size."""
    if not value.text:
        return "Nothing is known that a session could start with."
    made = "from the cache" if value.cached else "made now"
    size = f"{plural(len(value.memories), 'memory')}, {value.tokens} tokens, {made}"
    return f"{clean(value.text)}\n\n{terminal.style(size, 'dim')}"


def context(value: Context, terminal: Terminal) -> str:
    """What is known for the task as the agent gets it, its size, and what was left out."""
    reasons = {"budget": "for the budget", "given": "given before"}
    left = [f"{number} left out {reasons[reason]}" for reason, number in value.left_out.items()]
    size = f"{value.intent}: {plural(len(value.entries), 'entry')}, {value.tokens} tokens"
    return f"{clean(value.text)}\n\n{terminal.style(', '.join((size, *left)), 'dim')}"


def traversal(value: Traversal, terminal: Terminal) -> str:
    """A memory and what is reached from it, indented by distance, with the last relation of the path."""
    text = walked(value.memory, [(one.depth, one.path[-1], one.memory) for one in value.reached], terminal)
    return f"{text}\n  There may be more: give a greater --limit." if value.more else text


def why(value: Why, terminal: Terminal) -> str:
    """The picture where one was asked for, else the sentences, and what had no room."""
    if value.picture:
        return value.picture
    left = f", {plural(value.left_out, 'sentence')} left out" if value.left_out else ""
    size = f"{plural(len(value.claims), 'sentence')}, {value.tokens} tokens{left}"
    return f"{clean(value.text)}\n\n{terminal.style(size, 'dim')}" if value.claims else clean(value.text)


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
