"""Answers as text for people. An answer whose type has no form of its own is shown by its fields."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from recortex.cli.terminal import Terminal

FORMS = {
    "Memory": "memories.memory",
    "RememberedMemory": "memories.remembered",
    "OpenedMemory": "memories.opened",
    "OpenedExchange": "exchanges.opened",
    "OpenedChunk": "documents.opened",
    "Ingested": "documents.ingested",
    "Frame": "documents.frame",
    "Sessions": "exchanges.sessions",
    "Recall": "memories.recall",
    "Explanation": "explaining.explanation",
    "Listing": "memories.listing",
    "Related": "memories.related",
    "Linked": "memories.linked",
    "Forgotten": "memories.forgotten",
    "Reviewed": "memories.reviewed",
    "Learned": "corrections.learned",
    "Feedback": "corrections.feedback",
    "Remembered": "changes.remembered",
    "Extracted": "changes.extracted",
    "Imported": "changes.imported",
    "Exported": "changes.exported",
    "History": "changes.history",
    "Purged": "changes.purged",
    "Erased": "changes.erased",
    "Surface": "standing.surface",
    "Traversal": "standing.traversal",
    "Why": "standing.why",
    "Counterfactual": "consequences.counterfactual",
    "Intervention": "consequences.intervention",
    "Inference": "consequences.inference",
    "Lifecycle": "standing.lifecycle",
    "Validation": "validation.validation",
    "Consolidated": "pairs.consolidated",
    "IndexedCode": "pairs.indexed",
    "Backfilled": "pairs.backfilled",
    "Reembedded": "pairs.reembedded",
    "Initialised": "health.initialised",
    "StatusReport": "health.status",
    "Diagnosis": "health.diagnosis",
    "BackedUp": "health.backed_up",
    "Recovered": "health.recovered",
    "Inspection": "inspection.inspection",
    "Collected": "health.collected",
    "Relocated": "changes.relocated",
    "StoreCopied": "changes.store_copied",
    "Installed": "changes.installed",
    "KindsShown": "kinds.kinds",
    "Replay": "replay.replay",
    "Context": "standing.context",
    "GenerationContext": "advice.generation",
    "GenerationOutcome": "advice.outcome",
    "Warnings": "advice.warnings",
    "Suggestions": "advice.suggestions",
    "Code": "code.code",
    "Conventions": "code.conventions",
}
"""The function that writes each type of answer, as MODULE.FUNCTION, so that only that module is imported."""


def form_of(kind: str) -> Callable[[Any, Terminal], str]:
    """The function that writes answers of the type with this name."""
    module, _, function = FORMS.get(kind, "fields.fields_of").partition(".")
    found: Callable[[Any, Terminal], str] = getattr(import_module(f"{__name__}.{module}"), function)
    return found


def render(value: Any, terminal: Terminal) -> str:
    """The text of an answer, without a closing line break; nothing a terminal would obey is in it."""
    form = form_of(type(value).__name__)
    if not terminal.person:
        return form(value, terminal)
    from recortex.cli.rendering import screens

    return screens.show(value, form, terminal)
