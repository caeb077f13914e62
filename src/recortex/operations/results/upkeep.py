"""What looking after the stores gives back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal


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
