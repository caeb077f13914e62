"""What to watch out for, and what else is worth knowing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.cli.rendering.memories import short
from recortex.cli.terminal import clean

if TYPE_CHECKING:
    from recortex.cli.terminal import Style, Terminal
    from recortex.domain.advice import Suggestion, Suggestions, Warned, Warnings
    from recortex.domain.generation import GenerationContext, GenerationOutcome

_HEADINGS = {
    "check": "To be checked",
    "follow": "How it is done here",
    "related": "Related",
    "waiting": "Waits for review",
}


def warnings(value: Warnings, terminal: Terminal) -> str:
    """A line for each warning, the gravest first."""
    if not value.warnings:
        return "Nothing is known to watch out for."
    lines = [_warned(one, terminal) for one in value.warnings]
    more = [terminal.style(f"{value.more} more: give a greater --limit", "dim")] if value.more else []
    return "\n".join((*lines, *more))


def _warned(one: Warned, terminal: Terminal) -> str:
    style: Style = "bold" if one.severity in {"critical", "error"} else "dim"
    state = f" (the cited code is {one.freshness})" if one.freshness in {"changed", "gone"} else ""
    about = f" {', '.join(map(clean, one.about))}:" if one.about else ""
    head = f"{terminal.style(one.severity, style)}{about} {clean(one.text)}{state} [{short(one.id)}]"
    more = [one.advice] if one.advice else []
    return "\n  ".join([head, *map(clean, (*more, *one.pattern_state))])


def generation(value: GenerationContext, terminal: Terminal) -> str:
    """The text as the agent gets it, the comments to use, and what may conflict."""
    if not value.text:
        return "Nothing is known that bears on this."
    parts = [clean(value.text), terminal.style("Comments that say where it had influence", "bold")]
    parts += [clean(one.comment) for one in value.provenance]
    if value.conflicts:
        parts.append(terminal.style("May conflict", "bold"))
        parts += [
            f"line {one.line}: {clean(one.found)}: {clean(one.because)} [{short(one.id)}]"
            for one in value.conflicts
        ]
    size = f"{value.tokens} tokens; tell the outcome: recortex generation-outcome {value.generation} accepted"
    return "\n".join((*parts, terminal.style(size, "dim")))


def outcome(value: GenerationOutcome, terminal: Terminal) -> str:
    """The confidence of what had influence, as it is now."""
    if not value.confidence:
        return "The outcome was told before: nothing changed."
    lines = [f"{short(id_)}  {confidence:.2f}" for id_, confidence in value.confidence.items()]
    return "\n".join((terminal.style(f"{value.outcome}: confidence now", "bold"), *lines))


def suggestions(value: Suggestions, terminal: Terminal) -> str:
    """The suggestions under a heading for each reason."""
    if not value.suggestions:
        return "Nothing else is known here."
    parts = []
    for reason, heading in _HEADINGS.items():
        found = [one for one in value.suggestions if one.reason == reason]
        if found:
            parts.append("\n".join((terminal.style(heading, "bold"), *map(_suggested, found))))
    return "\n".join(parts)


def _suggested(one: Suggestion) -> str:
    id_ = one.id if one.kind == "document" else short(one.id)
    return f"- {one.kind}: {clean(one.text)} ({clean(one.because)}) [{id_}]"
