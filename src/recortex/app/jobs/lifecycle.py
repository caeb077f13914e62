"""A lifecycle pass over a store: what faded is archived, what rested unused is pruned.

Every step can be undone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from recortex.app.jobs.work import Outcome, in_chunks
from recortex.domain.statistics import Given
from recortex.domain.time import to_micros
from recortex.domain.vocabulary import Actor, Status, priority_of
from recortex.engines.decay.confidence import DAY
from recortex.engines.decay.transitions import Rules, Transition, transition
from recortex.engines.graph.walks import centrality
from recortex.engines.maintenance.due import DAY as DUE_DAY
from recortex.engines.maintenance.due import MONTH
from recortex.engines.reclassification.rules import MOST_MONTHS, moved, score, set_by_person, signals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from recortex.app.jobs.work import Work
    from recortex.app.store_services import StoreServices
    from recortex.domain.memory import Memory
    from recortex.domain.statistics import MemoryStatistics, Standing
    from recortex.domain.vocabulary import Importance
    from recortex.settings import Settings

    _Due = tuple[MemoryStatistics, Transition]


CHUNK = 100
"""Changes in one transaction, so that other writers wait for a fraction of a second."""

_OPERATIONS = {Status.ARCHIVED: "archive", Status.PRUNED: "prune"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecyclePass:
    """What a pass did.

    Attributes:
        considered: how many memories could have moved on by their dates.
        transitions: those that did.
    """

    considered: int
    transitions: tuple[Transition, ...] = ()

    def count(self, status: Status) -> int:
        """How many came to a status."""
        return sum(one.status is status for one in self.transitions)


def rules_of(settings: Settings) -> Rules:
    """The rules that the settings give."""
    return Rules(
        archive_after_days=settings["lifecycle.archive_after_days"],
        prune_after_days=settings["lifecycle.prune_after_days"],
        proposal_days=settings["lifecycle.proposal_days"],
        hub=settings["lifecycle.hub"],
    )


def run_lifecycle(
    services: StoreServices, now: datetime, settings: Settings, *, dry_run: bool = False
) -> LifecyclePass:
    """Archive and prune what is due; the memories' former states stay in their history.

    Of a memory that stays, only a few columns are read. A memory that another process changed meanwhile
    is left for the next pass.

    Args:
        services: the store.
        now: the time to compute and to record with.
        settings: `lifecycle.*`.
        dry_run: only find out.
    """
    rules = rules_of(settings)
    aged = _candidates(services, to_micros(now), rules)
    due = list(_due(aged, {}, to_micros(now), rules))
    if due:  # hubs last longer than others, so they are only looked for among what seems due
        hubs = centrality(services.store.statistics.arcs())
        due = list(_due([one for one, _ in due], hubs, to_micros(now), rules))
    if not dry_run:
        chunks = (due[first : first + CHUNK] for first in range(0, len(due), CHUNK))
        due = [moved for chunk in chunks for moved in _move(services, chunk, now)]
    return LifecyclePass(considered=len(aged), transitions=tuple(step for _, step in due))


def _candidates(services: StoreServices, now: int, rules: Rules) -> list[MemoryStatistics]:
    """Those that may be due by their dates alone: neither used nor changed for so long."""
    fading = services.store.statistics.fading(now - rules.archive_after_days * DAY)
    resting = services.store.statistics.resting(now - rules.prune_after_days * DAY)
    days = rules.proposal_days
    unconfirmed = services.store.statistics.unconfirmed(now - days * DAY) if days else ()
    return [*fading, *resting, *unconfirmed]


def _due(
    memories: Sequence[MemoryStatistics], hubs: dict[int, float], now: int, rules: Rules
) -> Iterator[_Due]:
    for one in memories:
        step = transition(one, hubs.get(one.key, 0.0), now, rules)
        if step is not None:
            yield one, step


def _move(services: StoreServices, due: Sequence[_Due], now: datetime) -> list[_Due]:
    moved = []
    with services.store.transaction():
        found = {memory.id: memory for memory in services.store.memories.get([one.id for one, _ in due])}
        for one, step in due:
            memory = found.get(one.id)
            if memory is None or (memory.status, to_micros(memory.updated_at)) != (
                one.status,
                one.updated_at,
            ):
                continue  # changed meanwhile
            services.ingestion.change(
                memory,
                replace(memory, status=step.status),
                now=now,
                actor=Actor.DECAY,
                operation=_OPERATIONS[step.status],
                reason=step.reason,
            )
            moved.append((one, step))
    return moved


# -- importance that follows use: once a month, memories move by a step where the last months say so


IMPORTANCE_CHUNK = 50
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
        part = [moves.pop() for _ in range(min(IMPORTANCE_CHUNK, len(moves)))]
        for memory in work.services.store.memories.get([one.standing.id for one in part]):
            _importance_move(work, memory, next(one for one in part if one.standing.id == memory.id))
        return len(part)

    return in_chunks(work, "reclassified", chunk)


def _moves(work: Work) -> Iterator[Move]:
    now = to_micros(work.now)
    statistics = work.services.store.statistics
    months = [
        statistics.given(now - (month + 1) * MONTH * DUE_DAY, now - month * MONTH * DUE_DAY)
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


def _importance_move(work: Work, memory: Memory, move: Move) -> None:
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
