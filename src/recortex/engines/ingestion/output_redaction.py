"""Redacts memories before they are output, since rules may be newer than what is stored."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from recortex.codec import content_from_json
from recortex.engines.ingestion.labels import clean, label_texts
from recortex.engines.privacy import redact, redact_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.memory import Memory


REMEMBERED = 4_096
"""Texts whose check is cached, about a megabyte: the same memories are shown often."""


def all_output_redacted(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Each memory without secrets."""
    return tuple(map(output_redacted, memories))


@lru_cache(REMEMBERED)
def _clean(text: str) -> bool:
    return not redact(text).findings


def output_redacted(memory: Memory) -> Memory:
    """The memory itself where nothing in it is secret, else a redacted copy."""
    labels_text = "\n".join(label_texts(memory))
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
