"""What operations give back, where a domain value alone does not say it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from recortex.domain.history import AuditEntry, Version
from recortex.domain.memory import Memory
from recortex.domain.relation import Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What became of many memories: their ids in the order given."""

    ids: tuple[str, ...]
    added: int
    merged: int
    redacted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Memories that pass the filters: this page, and how many there are in all."""

    memories: tuple[Memory, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What was put away; where no id fitted, what the words may have meant."""

    memory: Memory | None = None
    candidates: tuple[Memory, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """A memory after its links changed, and the relation that was made or removed."""

    memory: Memory
    relation: Relation | None = None
    removed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A memory reached from another one."""

    memory: Memory
    relation: Relation
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """What hangs together with a memory, nearest and strongest first."""

    memory: Memory
    neighbours: tuple[Neighbour, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What a back-fill found.

    Attributes:
        problems: files that could not be read, with the reason.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written out; `text` holds it where no file was named."""

    format: str
    memories: int
    relations: int
    path: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The states of a memory, newest first, and what was done to it, oldest first."""

    id: str
    versions: tuple[Version, ...]
    audit: tuple[AuditEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """Proof that texts are gone.

    Attributes:
        searched_bytes: how much of the store's files was read for the texts.
        traces: files that still hold one; empty when the purge is complete.
    """

    ids: tuple[str, ...]
    files: tuple[str, ...] = ()
    searched_bytes: int = 0
    traces: tuple[str, ...] = ()
    backups_rewritten: int = 0
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """Memories that wait for a person, or that were just decided about."""

    action: Literal["list", "approve", "reject"]
    memories: tuple[Memory, ...]
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Initialised:
    """Where memories of this project are kept."""

    path: str
    created: bool
    schema: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStatus:
    """One store in figures."""

    scope: str
    path: str
    memories: int
    by_status: dict[str, int]
    by_kind: dict[str, int]
    relations: int
    without_vector: int
    bytes: int
    schema: int
    backups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """Something that could not be used, and what is used instead."""

    component: str
    failure: str
    fallback: str
    recovered: bool
    last_at: datetime
    times: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusReport:
    """How the memory is."""

    version: str
    stores: tuple[StoreStatus, ...]
    embedder: str
    fallbacks: tuple[Fallback, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was checked.

    Attributes:
        todo: what to do about it; empty where all is well.
    """

    check: str
    level: Literal["ok", "notice", "problem"]
    message: str
    todo: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingValue:
    """A setting with where it came from."""

    name: str
    value: Any
    origin: str
    place: str
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What is installed, where data is, whether it is whole, which settings hold."""

    healthy: bool
    findings: tuple[Finding, ...]
    settings: tuple[SettingValue, ...]
    installed: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BackedUp:
    """A backup that was made."""

    path: str
    bytes: int
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """How a store was brought back.

    Attributes:
        outcome: whole: nothing was wrong; repaired: its own file was mended; restored: from a backup; fresh: a new
            store had to be begun.
        kept: the damaged file, never deleted.
    """

    outcome: Literal["whole", "repaired", "restored", "fresh"]
    memories: int
    steps: tuple[str, ...] = ()
    kept: str = ""
