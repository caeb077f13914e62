"""Answers as text for people. An answer whose type has no form of its own is shown by its fields."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from recortex.plugins import capabilities, load

if TYPE_CHECKING:
    from collections.abc import Callable

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
    "Consolidated": "consolidation.consolidated",
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


def form_of(kind: str) -> Callable[[Any, Terminal], str]:
    """The function that writes answers of the type with this name."""
    added = None if kind in FORMS else next((one for one in capabilities() if kind in one.renderers), None)
    if added:
        form: Callable[[Any, Terminal], str] = load(added.renderers[kind])
        return form
    module, _, function = FORMS.get(kind, "values.fields_of").partition(".")
    found: Callable[[Any, Terminal], str] = getattr(import_module(f"{__name__}.{module}"), function)
    return found


def render(value: Any, terminal: Terminal) -> str:
    """The text of an answer, without a closing line break; nothing a terminal would obey is in it."""
    form = form_of(type(value).__name__)
    if not terminal.person:
        return form(value, terminal)
    from recortex.cli.rendering import screens

    return screens.show(value, form, terminal)
