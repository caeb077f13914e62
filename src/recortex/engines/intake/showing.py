"""A memory as it may be shown: what the rules of today find in it is taken out again before output."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from recortex.codec import content_from_json
from recortex.engines.intake.labels import clean
from recortex.engines.privacy import redact, redact_json

if TYPE_CHECKING:
    from recortex.domain.memory import Memory


def shown(memory: Memory) -> Memory:
    """The same memory where nothing in it is secret, else one without."""
    text = redact(memory.text)
    summary = text if memory.summary == memory.text else redact(memory.summary)
    labels = clean(memory)
    if not (text.findings or summary.findings or labels.changes):
        return memory
    content, _ = redact_json(msgspec.to_builtins(memory.content))
    return replace(
        memory,
        text=text.text,
        summary=summary.text,
        content=content_from_json(memory.kind, content),
        **labels.changes,
    )
