"""A memory as it may be shown: what the rules of today find in it is taken out again before output."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from recortex.codec import content_from_json, convert
from recortex.domain.memory import Source
from recortex.engines.privacy import redact, redact_json

if TYPE_CHECKING:
    from recortex.domain.memory import Memory


def shown(memory: Memory) -> Memory:
    """The same memory where nothing in it is secret, else one without."""
    text, summary = redact(memory.text), redact(memory.summary)
    rest = {"tags": memory.tags, "metadata": memory.metadata, "source": msgspec.to_builtins(memory.source)}
    clean, found = redact_json(rest)
    if not (text.findings or summary.findings or found):
        return memory
    content, _ = redact_json(msgspec.to_builtins(memory.content))
    return replace(
        memory,
        text=text.text,
        summary=summary.text,
        content=content_from_json(memory.kind, content),
        tags=tuple(clean["tags"]),
        metadata=clean["metadata"],
        source=convert(clean["source"], Source),
    )
