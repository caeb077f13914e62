"""What each consolidation was worth, and what is tuned by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.consolidation.phases import USUAL, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

EVENTS = 100
"""Consolidations after each of which the limits are tuned."""
_LARGEST, _TIGHTEST, _LOOSEST = 5, 0.9, 0.95
_TIGHTER, _LOOSER = 0.02, 0.02


class Target(NamedTuple):
    """From where to where a figure is good; None: no bound."""

    least: float | None
    most: float | None


TARGETS = {
    "precision": Target(0.7, None),
    "compression": Target(3.0, 5.0),
    "lift": Target(1.5, None),
    "contradictions": Target(None, 0.05),
    "stability": Target(0.85, None),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One consolidation in figures.

    Attributes:
        sources: memories that it stands for.
        precision: the share of the sources' own questions that find it among the first ten.
        compression: tokens of the sources for each of its own.
        lift: the mean reciprocal rank for these questions, as a multiple of that of the sources before.
        stands: it was not taken back, replaced or rejected since.
        contradicted: a relation says that something contradicts it.
    """

    id: str
    sources: int
    precision: float
    compression: float
    lift: float
    stands: bool = True
    contradicted: bool = False


LIMITS = "limits"


def details(event: Event, limits: Limits = USUAL) -> dict[str, Any]:
    """What the audit log keeps of an event: figures, no text, and the limits as they were tuned by then."""
    return {
        "sources": event.sources,
        "precision": round(event.precision, 3),
        "compression": round(event.compression, 2),
        "lift": round(event.lift, 2),
        LIMITS: limits._asdict(),
    }


def averages(events: Sequence[Event]) -> dict[str, float]:
    """The five figures over some events; nothing where there are none."""
    if not events:
        return {}
    count = len(events)
    return {
        "precision": sum(one.precision for one in events) / count,
        "compression": sum(one.compression for one in events) / count,
        "lift": sum(one.lift for one in events) / count,
        "contradictions": sum(one.contradicted for one in events) / count,
        "stability": sum(one.stands for one in events) / count,
    }


def missed(found: Mapping[str, float]) -> list[str]:
    """The names of the figures that miss their targets."""
    return [
        name
        for name, target in TARGETS.items()
        if name in found
        and not (
            (target.least or 0.0) <= found[name] <= (target.most if target.most is not None else found[name])
        )
    ]


def tuned(events: Sequence[Event]) -> Limits:
    """The limits after some events: each hundred of them moves the limits a little, within bounds.

    It follows from the events alone, so that nothing else has to be kept.

    Args:
        events: in the order in which they happened.
    """
    # Whole hundreds only, as a few events say little, and each hundred is judged once.
    limits = USUAL
    for start in range(0, len(events) - EVENTS + 1, EVENTS):
        found = averages(events[start : start + EVENTS])
        wrong = set(missed(found))
        smallest, linked, novel = limits
        # All three say that too much was merged: clusters become larger at least, and sources must be more
        # alike.
        if wrong & {"precision", "stability", "contradictions"}:
            smallest = min(smallest + ("precision" in wrong), _LARGEST)
            linked = min(linked + _TIGHTER, _TIGHTEST)
        # Sentences are only kept more readily: a summary that leaves out too much is worse than a long one.
        if found["compression"] > (TARGETS["compression"].most or 0.0):
            novel = min(novel + _LOOSER, _LOOSEST)
        limits = Limits(smallest, linked, novel)
    return limits
