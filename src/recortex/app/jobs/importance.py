"""Importance that follows use: once a month, memories move by a step where the last months say so.

Nothing is kept between two runs: the months are read from the receipts of sessions, and what moved, with its
signals, from the audit log.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.jobs.work import Outcome, in_chunks
from recortex.domain.statistics import Given
from recortex.domain.time import to_micros
from recortex.domain.vocabulary import Actor, priority_of
from recortex.engines.maintenance.due import DAY, MONTH
from recortex.engines.reclassification.rules import MOST_MONTHS, moved, set_by_person
from recortex.engines.reclassification.signals import score, signals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.app.jobs.work import Work
    from recortex.domain.memory import Memory
    from recortex.domain.statistics import Standing
    from recortex.domain.vocabulary import Importance

CHUNK = 50
"""Memories in one transaction, so that it takes less than a tenth of a second (bench/maintenance.py)."""
OPERATION = "reclassify"


class Move(NamedTuple):
    """A memory whose importance is to change."""

    standing: Standing
    to: Importance
    score: float
    signals: dict[str, float]


def plan_importance(work: Work) -> Outcome:
    """Count the memories whose importance would move."""
    return Outcome({"reclassified": sum(1 for _ in _moves(work))})


def follow_importance(work: Work) -> Outcome:
    """Move them; `undo` takes one back."""
    moves = list(_moves(work))

    def chunk() -> int:
        part = [moves.pop() for _ in range(min(CHUNK, len(moves)))]
        for memory in work.services.store.memories.get([one.standing.id for one in part]):
            _move(work, memory, next(one for one in part if one.standing.id == memory.id))
        return len(part)

    return in_chunks(work, "reclassified", chunk)


def _moves(work: Work) -> Iterator[Move]:
    now = to_micros(work.now)
    statistics = work.services.store.statistics
    months = [
        statistics.given(now - (month + 1) * MONTH * DAY, now - month * MONTH * DAY)
        for month in range(MOST_MONTHS)
    ]
    for standing in statistics.standing():
        found = [signals(standing, month.get(standing.id, Given())) for month in months]
        scores = [score(one) if month else None for one, month in zip(found, months, strict=True)]
        to = moved(standing, scores, now)
        if to is not None and not _is_kept(work, standing):
            yield Move(standing, to, scores[0] or 0.0, found[0])


def _is_kept(work: Work, standing: Standing) -> bool:
    return set_by_person(
        [
            (version.version, version.memory.importance, version.changed_by)
            for version in work.services.store.memories.history(standing.id)
        ]
    )


def _move(work: Work, memory: Memory, move: Move) -> None:
    if memory.priority != move.standing.priority or memory.pinned:
        return  # changed meanwhile
    work.services.ingestion.change(
        memory,
        replace(memory, priority=priority_of(move.to)),
        now=work.now,
        actor=Actor.RECLASSIFICATION,
        operation=OPERATION,
        reason=f"{memory.importance} to {move.to} by use",
        details={"score": round(move.score, 3), "signals": {k: round(v, 3) for k, v in move.signals.items()}},
    )
