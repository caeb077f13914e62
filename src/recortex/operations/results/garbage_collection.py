"""What regular upkeep gives back."""

from __future__ import annotations

from dataclasses import dataclass

from recortex.app.jobs.running import Done


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreUpkeep:
    """What was done to a store, or would be.

    Attributes:
        before, after: the bytes that it took.
        chores: each with its counts, in the order in which they were done.
    """

    scope: str
    path: str
    before: int
    after: int
    chores: tuple[Done, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What was done to the stores."""

    stores: tuple[StoreUpkeep, ...]
    dry_run: bool = False
