"""What looking after the stores gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from recortex.app.store_health import Health
from recortex.operations.results.indexing import ModelChange


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
    health: Health | None = None
    model_change: ModelChange | None = None


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
class Failure:
    """A hook, or the job behind it, that could not do its work."""

    at: datetime
    event: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLoop:
    """How learning from the agent's sessions goes.

    Attributes:
        waiting: sessions that wait to be learned from.
        runs: of the job that does; `last` and `totals` are its counts and times.
        failures: the last ones of hooks and job; `failed` counts all that the log holds.
    """

    waiting: int = 0
    runs: int = 0
    last: dict[str, Any] = field(default_factory=dict)
    totals: dict[str, Any] = field(default_factory=dict)
    failed: int = 0
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """What the language model cost today, where one is set."""

    provider: str
    model: str
    calls: int
    tokens: int
    usd: float
    daily_usd: float
    daily_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusReport:
    """How the memory is; `notices` say what a person might do."""

    version: str
    stores: tuple[StoreStatus, ...]
    embedder: str
    fallbacks: tuple[Fallback, ...] = ()
    session_loop: SessionLoop = SessionLoop()
    language_model: ModelUse | None = None
    notices: tuple[str, ...] = ()


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
        outcome: whole: nothing was wrong; repaired: its own file was mended; restored: from a backup; fresh:
            a new store had to be begun.
        kept: the damaged file, never deleted.
        lost: what could not be brought back, or only as it was in a backup; each begins with the memory's id
            where it is known.
    """

    outcome: Literal["whole", "repaired", "restored", "fresh"]
    memories: int
    steps: tuple[str, ...] = ()
    kept: str = ""
    lost: tuple[str, ...] = ()
