"""Whether every part of the memory works, what a person might do, and which failures are alarming."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from recortex.app.capture_requests import logged_errors
from recortex.app.diagnosis import failing, losses
from recortex.engines.privacy import redact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.app.application import Application, StoreServices

HOUR, DAY, RECENT = timedelta(hours=1), timedelta(days=1), timedelta(days=7)
MOST_AN_HOUR = 3
"""Failures of one part within an hour; more are an alert."""
MANY_WAITING = 0.05
"""The share of memories without a vector from which recall by meaning is worse."""


_OWN = frozenset({"embedding model", "sqlite-vec", "privacy"})
"""Parts whose failures are told with what they belong to."""
State = tuple[Literal["healthy", "degraded", "unavailable"], str]
_WELL: State = ("healthy", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Subsystem:
    """A part of the memory: whether it works, and why not."""

    name: str
    state: Literal["healthy", "degraded", "unavailable"]
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A part that fails too often, or for too long: more than three times in an hour, or for a day."""

    level: Literal["warning", "critical"]
    component: str
    message: str


def subsystems(app: Application) -> tuple[Subsystem, ...]:
    """Every part of the memory, each over all stores."""
    stores = app.all_services()
    failed = {one.degradation.component: one.degradation.failure for each in stores for one in failing(each)}
    found = (
        ("storage", _storage(stores)),
        ("embeddings", _embeddings(app, stores, failed)),
        ("causal graph", _graph(stores)),
        ("privacy", _privacy(failed)),
        ("sessions", _sessions(app)),
        *((name, ("degraded", why)) for name, why in failed.items() if name not in _OWN),
    )
    return tuple(Subsystem(name=name, state=state, why=why) for name, (state, why) in found)


def _storage(stores: Sequence[StoreServices]) -> State:
    for services in stores:
        if why := services.store.unwritable:
            return "unavailable", f"{services.location.shown} cannot be written: {why}"
    for services in stores:
        if lost := losses(services.store):
            return "degraded", lost[0]
    return _WELL


def _embeddings(app: Application, stores: Sequence[StoreServices], failed: Mapping[str, str]) -> State:
    if app.settings["embedder"] == "none":
        return "unavailable", "vectors are switched off (setting `embedder`)"
    if not all(services.store.vectors.available for services in stores):
        return "unavailable", "sqlite-vec cannot be loaded: recall goes by words alone"
    if why := failed.get("embedding model"):
        return "degraded", why
    waiting = sum(services.store.vectors.count_pending() for services in stores)
    memories = sum(
        sum(one.values()) for services in stores for one in services.store.memories.counts().values()
    )
    if waiting > MANY_WAITING * memories:
        return "degraded", f"{waiting:,} of {memories:,} memories have no vector yet"
    return _WELL


def _graph(stores: Sequence[StoreServices]) -> State:
    circles = sum(len(services.store.relations.circular()) for services in stores)
    return ("degraded", f"{circles:,} relations make memories causes of themselves") if circles else _WELL


def _privacy(failed: Mapping[str, str]) -> State:
    skipped = redact("").skipped
    why = failed.get("privacy") or (f"rules that cannot be run: {', '.join(skipped)}" if skipped else "")
    return ("degraded", why) if why else _WELL


def _sessions(app: Application) -> State:
    since = app.clock() - DAY
    failed = [one for place in app.locations.values() for one in logged_errors(place) if one.at >= since]
    return ("degraded", f"{len(failed)} hooks or captures failed within a day") if failed else _WELL


def alerts(app: Application) -> tuple[Alert, ...]:
    """The parts that failed too often within the last hour, or fail since more than a day."""
    now, found = app.clock(), []
    for services in app.all_services():
        for component, times in services.store.ledger.degraded_since(now - HOUR).items():
            if times > MOST_AN_HOUR:
                said = f"{component} failed {times} times within an hour"
                found.append(Alert(level="warning", component=component, message=said))
        for one in failing(services):
            if now - one.first_at > DAY and now - one.last_at < RECENT:
                told = one.degradation
                said = f"{told.component} fails since {one.first_at:%Y-%m-%d %H:%M}: {told.failure}"
                found.append(Alert(level="critical", component=told.component, message=said))
    return tuple(found)
