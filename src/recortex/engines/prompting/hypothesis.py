"""Asks a model what a memory would say that answers a question (HyDE); only its meaning is compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.domain.model_call import Request
from recortex.engines.privacy import redact
from recortex.engines.prompting.prose import prose
from recortex.engines.prompting.templates import list_schema, template

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_QUESTION, MAX_NOTE = 600, 600
"""Characters that are sent, and that are used of the answer."""
SCHEMA = list_schema("notes", text={"type": "string"})


def request(question: str) -> Request | None:
    """The question to the model; None where nothing of it may be sent."""
    sent = prose(question[:MAX_QUESTION], person=True)
    if not sent:
        return None
    return Request(
        purpose="hypothesis",
        system=template("hypothesis").substitute(),
        prompt=f"<question>{sent}</question>",
        schema=SCHEMA,
        items="notes",
        max_output=512,
    )


def checked(items: Sequence[Any]) -> str:
    """The text of the first entry of an answer, without secrets; empty where it has none."""
    for one in items[:1]:
        text = one.get("text") if isinstance(one, dict) else None
        if isinstance(text, str):
            return redact(" ".join(text.split())[:MAX_NOTE]).text
    return ""
