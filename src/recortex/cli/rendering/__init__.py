"""Answers as text for people. An answer whose type has no form of its own is shown by its fields."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from recortex.codec import plain
from recortex.plugins import capabilities, load
from recortex.terminal import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from recortex.terminal import Terminal

FORMS = {
    "Memory": "memories.memory",
    "RememberedMemory": "memories.remembered",
    "OpenedMemory": "memories.opened",
    "OpenedExchange": "sessions.opened",
    "OpenedChunk": "project.opened_chunk",
    "Ingested": "project.ingested",
    "Frame": "project.frame",
    "Sessions": "sessions.sessions",
    "Recall": "project.recall",
    "Explanation": "reasoning.explanation",
    "Listing": "memories.listing",
    "Related": "memories.related",
    "Linked": "memories.linked",
    "Forgotten": "memories.forgotten",
    "Reviewed": "project.reviewed",
    "Consolidated": "memories.consolidated",
    "Learned": "reasoning.learned",
    "Feedback": "reasoning.feedback",
    "Remembered": "memories.acknowledged",
    "Extracted": "sessions.extracted",
    "Imported": "memories.imported",
    "Exported": "memories.exported",
    "History": "memories.history",
    "Purged": "memories.purged",
    "Erased": "memories.erased",
    "Surface": "sessions.surface",
    "Traversal": "reasoning.traversal",
    "Why": "reasoning.why",
    "Counterfactual": "reasoning.counterfactual",
    "Intervention": "reasoning.intervention",
    "Inference": "reasoning.inference",
    "Lifecycle": "stores.lifecycle",
    "Validation": "reasoning.validation",
    "IndexedCode": "reasoning.indexed",
    "Backfilled": "stores.backfilled",
    "Reembedded": "stores.reembedded",
    "Initialised": "stores.initialised",
    "StatusReport": "stores.status",
    "Diagnosis": "stores.diagnosis",
    "BackedUp": "stores.backed_up",
    "Recovered": "stores.recovered",
    "Inspection": "sessions.inspection",
    "Collected": "stores.collected",
    "Relocated": "memories.relocated",
    "StoreCopied": "memories.store_copied",
    "Installed": "memories.installed",
    "KindsShown": "project.kinds",
    "Replay": "sessions.replay",
    "Context": "sessions.context",
    "GenerationContext": "reasoning.generation",
    "GenerationOutcome": "reasoning.outcome",
    "Warnings": "reasoning.warnings",
    "Suggestions": "reasoning.suggestions",
}
"""The function that writes each type of answer, as MODULE.FUNCTION, so that only that module is imported.

A capability names the functions for its own answers itself."""


_MAX_DEPTH = 12


def form_of(kind: str) -> Callable[[Any, Terminal], str]:
    """The function that writes answers of the type with this name."""
    added = None if kind in FORMS else next((one for one in capabilities() if kind in one.renderers), None)
    if added:
        form: Callable[[Any, Terminal], str] = load(added.renderers[kind])
        return form
    if kind not in FORMS:
        return fields_of
    module, _, function = FORMS[kind].partition(".")
    found: Callable[[Any, Terminal], str] = getattr(import_module(f"{__name__}.{module}"), function)
    return found


def render(value: Any, terminal: Terminal) -> str:
    """The text of an answer, without a closing line break; nothing a terminal would obey is in it."""
    form = form_of(type(value).__name__)
    if not terminal.person:
        return form(value, terminal)
    from recortex.cli.rendering import screens

    return screens.show(value, form, terminal)


def fields_of(value: Any, terminal: Terminal) -> str:
    """The value's fields, one on a line, nested ones indented; empty ones left out."""
    return "\n".join(_fields(plain(value), terminal, 0))


def _fields(value: Any, terminal: Terminal, depth: int) -> Iterator[str]:
    if isinstance(value, dict) and depth < _MAX_DEPTH:
        for name, item in value.items():
            if item not in (None, "", [], {}):
                yield from _of_field(clean(str(name)), item, terminal, depth)
    elif isinstance(value, list) and depth < _MAX_DEPTH:
        for item in value:
            first, *rest = list(_fields(item, terminal, depth + 1)) or [""]
            yield f"{_margin(depth)}- {first.strip()}"
            yield from rest
    else:
        yield terminal.wrap(_scalar(value), indent=2 * depth)


def _of_field(name: str, item: Any, terminal: Terminal, depth: int) -> Iterator[str]:
    label = f"{_margin(depth)}{terminal.style(name, 'dim')}:"
    if isinstance(item, dict | list):
        yield label
        yield from _fields(item, terminal, depth + 1)
    else:
        text = terminal.wrap(_scalar(item), indent=2 * depth + 2)
        one_line = text.strip()
        yield f"{label} {one_line}" if "\n" not in one_line else f"{label}\n{text}"


def _margin(depth: int) -> str:
    return "  " * depth


def _scalar(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
