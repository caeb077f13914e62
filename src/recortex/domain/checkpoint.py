"""How far a transcript has been read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The place in a transcript up to which everything was learned from.

    Attributes:
        path: the transcript.
        position: byte offset, or count of messages where the format has no lines.
        fingerprint: of the part already read; empty where appending is all that can happen.
    """

    path: str
    session_id: str
    client: str
    position: int
    extracted_at: datetime
    fingerprint: str = ""
