"""What the brief of a session's start gives back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recortex.domain.vocabulary import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A memory in the brief.

    Attributes:
        rank: 0 to 1.
        tokens: of its line.
    """

    id: str
    scope: Scope
    rank: float
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """What a session is told at its start.

    Attributes:
        text: the brief, between markers; empty where nothing is known.
        tokens: of the text, in cl100k_base; 550 at most.
        memories: what is in it, highest rank first.
        cached: it was made earlier, and nothing changed since.
        stale_hours: its age, where no newer one could be made.
    """

    text: str
    tokens: int
    memories: tuple[Shown, ...] = ()
    branch: str = ""
    generated_at: datetime
    cached: bool = False
    stale_hours: int | None = None
