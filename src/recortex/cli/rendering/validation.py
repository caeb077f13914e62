"""What a validation found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.amounts import plural
from recortex.cli.rendering.memories import short
from recortex.cli.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.cli.terminal import Style, Terminal
    from recortex.domain.validation import Issue, Severity, State
    from recortex.operations.validating import Finding, Validation

_STYLES: dict[Severity, Style] = {"minor": "dim", "moderate": "yellow", "severe": "red"}
_STATES: dict[State, Style] = {"valid": "green", "stale": "yellow", "flagged": "red"}


def validation(value: Validation, terminal: Terminal) -> str:
    """The counts, then each finding, the gravest first."""
    found = f"{value.valid:,} valid, {value.stale:,} stale, {value.flagged:,} flagged"
    healed = f", {value.healed:,} healed" if value.healed else ""
    lines = [f"{plural(value.total, 'memory')} validated: {found}{healed}."]
    for one in value.findings:
        lines += ["", *_finding(one, terminal)]
    if value.more:
        lines += ["", terminal.style(f"{value.more} more: give a greater --limit", "dim")]
    return "\n".join(lines)


def _finding(value: Finding, terminal: Terminal) -> Iterator[str]:
    state = terminal.style(value.state, _STATES[value.state])
    name = terminal.style(short(value.id), "cyan")
    yield f"{name}  {value.kind}  {state}  score {value.score:.2f}, confidence {value.confidence:.2f}"
    yield terminal.wrap(clean(value.text), indent=6)
    yield from (_issue(one, terminal) for one in value.issues)
    for done in value.done:
        yield terminal.wrap(clean(done), indent=10, first=f"  {terminal.style('healed', 'green')}  ")


def _issue(value: Issue, terminal: Terminal) -> str:
    todo = f" {clean(value.todo)}" if value.todo else ""
    word = f"{value.severity:<8}"
    text = terminal.wrap(f"{value.dimension}: {clean(value.what)}.{todo}", indent=12, first=f"  {word}  ")
    return text.replace(word, terminal.style(word, _STYLES[value.severity]), 1)
