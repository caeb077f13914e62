"""Memories before they are output: what today's privacy rules find in them is taken out again."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from recortex.codec import content_from_json
from recortex.engines.ingestion.labels import clean, words
from recortex.engines.privacy import redact, redact_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.memory import Memory


REMEMBERED = 4_096
"""Texts that were looked at and found clean, about a megabyte: the same memories are shown again
and again."""


def all_output_redacted(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Each memory as it may be shown."""
    return tuple(map(output_redacted, memories))


@lru_cache(REMEMBERED)
def _clean(text: str) -> bool:
    return not redact(text).findings


def output_redacted(memory: Memory) -> Memory:
    """The same memory where nothing in it is secret, else one without."""
    labels_text = "\n".join(words(memory))
    if not memory.metadata and _clean(memory.text) and _clean(memory.summary) and _clean(labels_text):
        return memory
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
