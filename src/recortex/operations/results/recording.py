"""What recording gives back."""

from __future__ import annotations

from dataclasses import dataclass

from recortex.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What became of many memories: their ids in the order given.

    Attributes:
        proposed: how many wait for the person's review.
    """

    ids: tuple[str, ...]
    added: int
    merged: int
    redacted: int
    proposed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was put away; where no id fitted, what the words may have meant."""

    memory: Memory | None = None
    candidates: tuple[Memory, ...] = ()
    dry_run: bool = False

    @property
    def changes_nothing(self) -> bool:
        """There is nothing to put away, so nobody needs to be asked."""
        return self.memory is None
