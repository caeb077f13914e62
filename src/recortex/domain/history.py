"""What happened to a memory: its former states, and who changed what."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from recortex.domain.memory import Memory
from recortex.domain.vocabulary import Actor

KEPT_VERSIONS = 10
"""How many states of a memory are kept: the current one and the nine before it."""
Gone = Literal["purge", "expiry", "move"]
"""Why a memory is gone from a store for good: purged by a person, expired after pruning, or moved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A state of a memory and the recording interval in which it held.

    Attributes:
        recorded_from: inclusive.
        recorded_to: exclusive; None for the state that holds now.
        changed_by, reason: who made this state, and why.
    """

    memory: Memory
    version: int
    recorded_from: datetime
    recorded_to: datetime | None
    changed_by: Actor
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One mutation of a memory. Details never hold a memory's text, so that a purge leaves nothing behind.

    Attributes:
        operation: create, update, archive, restore, link, unlink, supersede, merge, undo, purge, …
    """

    memory_id: str
    operation: str
    actor: Actor
    at: datetime
    details: dict[str, Any] = field(default_factory=dict)


class Tombstone(NamedTuple):
    """What stays of a memory that is gone for good."""

    at: datetime
    reason: Gone
