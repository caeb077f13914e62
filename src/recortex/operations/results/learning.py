"""What learning and taking in give back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from recortex.domain.memory import Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What a back-fill found.

    Attributes:
        problems: files that could not be read, with the reason.
        places: where sessions were looked for, when none was read.
        elsewhere: sessions that were found there and belong to other projects, when none was read.
    """

    format: str
    files: int = 0
    unchanged: int = 0
    lines: int = 0
    turns: int = 0
    added: int = 0
    merged: int = 0
    proposed: int = 0
    relations: int = 0
    by_kind: dict[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    dry_run: bool = False
    places: tuple[str, ...] = ()
    elsewhere: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Two active memories that cannot both hold, as far as words tell; the newer one comes first."""

    newer: Memory
    older: Memory
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """Memories that wait for a person, or that were just decided about; and pairs that cannot both hold."""

    action: Literal["list", "approve", "reject", "replace"]
    memories: tuple[Memory, ...]
    waiting: int
    contradictions: tuple[Contradiction, ...] = ()
