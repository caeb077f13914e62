"""What a correction taught, what a person said of a memory, and what a person should look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.memories import line_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.cli.terminal import Terminal
    from recortex.domain.correction import Learned, Question
    from recortex.operations.correcting import Feedback

_OUTCOMES = {"added": "Learned", "updated": "Known, and surer now", "known": "Known already"}


def learned(value: Learned, terminal: Terminal) -> str:
    """The principle, and what it bears on."""
    return "\n".join(_learned(value, terminal))


def _learned(value: Learned, terminal: Terminal) -> Iterator[str]:
    head = "Would be learned" if value.dry_run else _OUTCOMES[value.outcome]
    yield terminal.style(f"{head}: {value.category.value.replace('_', ' ')}", "bold")
    yield line_of(value.memory, terminal)
    yield from (f"  {one.type.words} {one.other(value.memory.id)[:8]}" for one in value.relations)
    if value.contradicted:
        yield "It disagrees with; `recortex review` decides:"
        yield from (line_of(one, terminal) for one in value.contradicted)


def feedback(value: Feedback, terminal: Terminal) -> str:
    """The memory as it is now, and what became of its confidence."""
    before, after = value.confidence
    said = {"confirm": "Confirmed", "reject": "Rejected", "modify": "Changed"}[value.answer]
    return f"{said}: {before:.0%} sure before, {after:.0%} now.\n{line_of(value.memory, terminal)}"


def questions(found: tuple[Question, ...], terminal: Terminal) -> str:
    """What to ask a person, the most important first."""
    if not found:
        return "No memory is in doubt."
    return "\n".join([*(_question(one, terminal) for one in found), "", _HOW])


_HOW = "`recortex feedback ID confirm`, `reject` or `modify --text TEXT` answers."


def _question(one: Question, terminal: Terminal) -> str:
    other = [f"  against {line_of(one.against, terminal)}"] if one.against else []
    return "\n".join([line_of(one.memory, terminal), *other, terminal.wrap(one.question, indent=4)])
