"""How far a transcript has been read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The place in a transcript up to which everything was learned from.

    Attributes:
        path: the transcript.
        position: the reader's cursor: a byte offset, or a count of records where the file is one document.
        turns: how many turns lie before it.
    """

    path: str
    session_id: str
    client: str
    position: int
    turns: int
    extracted_at: datetime
