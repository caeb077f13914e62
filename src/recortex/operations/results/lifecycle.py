"""What a lifecycle pass gives back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from recortex.domain.vocabulary import Scope, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A memory that moved on.

    Attributes:
        status: that it has now, or would have.
        reason: why, in a sentence without a word of the memory.
    """

    id: str
    scope: Scope
    kind: str
    status: Status
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """What faded and was put away.

    Attributes:
        considered: how many memories were old enough to be looked at.
        archived: how many were archived; `undo` or `restore` brings one back.
        pruned: how many were pruned after their time in the archive.
        changes: each of them.
    """

    now: datetime
    considered: int = 0
    archived: int = 0
    pruned: int = 0
    changes: tuple[Change, ...] = ()
    dry_run: bool = False
