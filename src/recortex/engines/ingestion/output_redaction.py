"""Redacts what is output, memories, exchanges and chunks: rules may be newer than what is stored."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from recortex.codec import content_from_json
from recortex.engines.ingestion.labels import clean, is_clean, label_texts
from recortex.engines.privacy import redact, redact_json
from recortex.lean import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.document import Chunk, ChunkHit
    from recortex.domain.exchange import Exchange, ExchangeHit, SessionSummary
    from recortex.domain.memory import Memory

Record = TypeVar("Record", "Exchange", "ExchangeHit", "SessionSummary", "Chunk", "ChunkHit")


def all_output_redacted(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    """Each memory without secrets."""
    return tuple(map(output_redacted, memories))


def output_redacted(memory: Memory) -> Memory:
    """The memory itself where nothing in it is secret, else a redacted copy."""
    labels_text = "\n".join(label_texts(memory))
    if not memory.metadata and is_clean(memory.text) and is_clean(memory.summary) and is_clean(labels_text):
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


_SAID = (
    "asked",
    "message",
    "outcome",
    "opening",
    "conclusion",
    "concluded",
    "files",
    "failed",
    "passed",
    "branch",
    "folder",
    "headings",
    "text",
)
"""What is told of an exchange or a chunk in words: a text each, or several."""


def record_redacted(record: Record) -> Record:
    """What was said or written: itself where nothing in it is secret, else a redacted copy."""
    told = {one.name: getattr(record, one.name) for one in fields(record) if one.name in _SAID}
    if is_clean("\n".join(map(_joined, told.values()))):
        return record
    return replace(record, **{name: _redacted(value) for name, value in told.items()})


def _joined(value: Any) -> str:
    return value if isinstance(value, str) else "\n".join(value)


def _redacted(value: Any) -> Any:
    """A text, or each of several, without secrets."""
    return redact(value).text if isinstance(value, str) else tuple(map(_redacted, value))
