"""A document that was ingested, and its chunks: what a question finds of it.

A chunk is no memory: it says what a file says, and is gone when the file is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any, Literal

from recortex.domain.memory import Freshness
from recortex.domain.vocabulary import Domain

Form = Literal["markdown", "text", "rst", "notebook"]
MOST_TOKENS, LEAST_TOKENS, OVERLAP = 500, 50, 50
"""Tokens (cl100k_base) of a chunk at most; of one that is not merged with its neighbour; of what a chunk
repeats of the one before (E, Chunker)."""
_DIGEST = 14
_PREFIX = "chk-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A file as it was ingested.

    Attributes:
        id: of its path.
        path: from the project's root with forward slashes; absolute where it lies outside.
        form: what it was read as.
        title: its first heading, or what its front matter says.
        domain: the area of the software: as it was set, else guessed.
        set_domain: whether it was set by whoever ingested it.
        metadata: its front matter.
        size: in bytes.
        hash: BLAKE3 of its bytes and of how they were read.
        rules: the privacy rules by which secrets were taken out.
        source: the path or pattern by which it was ingested, from the project's root.
        chunks, tokens: how many it has; tokens count what overlaps twice.
        modified_at: the file's own time.
        ingested_at: when it was read last.
    """

    id: str
    path: str
    form: Form
    title: str
    domain: Domain
    set_domain: bool
    size: int
    hash: str
    rules: str
    source: str
    chunks: int
    tokens: int
    modified_at: datetime
    ingested_at: datetime
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A part of a document: a section, or a piece of one.

    Attributes:
        id: stays while the document's path and the chunk's text do.
        path: the document's.
        place: among the document's chunks, from 0.
        headings: those that it stands under, the highest first.
        text: as the document has it, without secrets; it may begin with the end of the chunk before.
        first_line, last_line: in the file, from 1; of a notebook its cells.
        tokens: of the text, in cl100k_base, at most `MOST_TOKENS`.
        hash: of the text with its headings: the same text elsewhere has the same vector.
        domain: the document's where that was set, else guessed for the chunk.
        written_at: the file's time when this text was first read.
    """

    id: str
    path: str
    place: int
    headings: tuple[str, ...]
    text: str
    first_line: int
    last_line: int
    tokens: int
    hash: str
    domain: Domain
    written_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkHit:
    """A chunk that answers, with the lines that do.

    Attributes:
        id: of the chunk, which can be opened whole.
        path, first_line, last_line: where the lines stand in the file; of a notebook its cells.
        headings: those that it stands under.
        text: the lines.
        score: 0 to 1, as a memory's.
        signals: each part of the score by name, before weighting.
        freshness: whether the document still reads as it did when it was ingested.
        tokens: of the text and of what says where it stands.
    """

    id: str
    path: str
    first_line: int
    last_line: int
    headings: tuple[str, ...]
    text: str
    domain: Domain
    score: float = 0.0
    signals: dict[str, float] = field(default_factory=dict)
    freshness: Freshness = "none"
    tokens: int = 0


def document_id(path: str) -> str:
    """The id of the document at a path."""
    return _id("doc-", path)


def chunk_id(path: str, hash_: str, nth: int) -> str:
    """The id of a chunk: `nth` tells chunks of a document apart that say the same."""
    return _id(_PREFIX, f"{path}\0{hash_}\0{nth}")


def is_chunk_id(text: str) -> bool:
    """Whether a text can be a chunk's id, or the beginning of one."""
    return text.startswith(_PREFIX)


def _id(prefix: str, text: str) -> str:
    return prefix + blake2b(text.encode("utf-8", "replace"), digest_size=_DIGEST).hexdigest()
