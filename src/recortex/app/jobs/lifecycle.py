"""Passes over a store: what faded is archived, what rested unused is pruned, and maintenance.

Every step can be undone.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from recortex.app.jobs import Outcome, in_chunks
from recortex.domain.maintenance import Given
from recortex.domain.memory import KEPT_VERSIONS, AuditEntry, priority_of
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor, Status
from recortex.engines.decay import DAY, Rules, Transition, transition
from recortex.engines.maintenance import DAY as DUE_DAY
from recortex.engines.maintenance import MONTH, MOST_MONTHS, moved, score, set_by_person, signals, summaries
from recortex.ports.store import EVERY_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.app.application import StoreServices
    from recortex.app.jobs import Work
    from recortex.domain.maintenance import MemoryStatistics, Standing
    from recortex.domain.memory import Memory
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
        hubs = services.store.search.centralities([one.key for one, _ in due])
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
    memories: Sequence[MemoryStatistics], hubs: Mapping[int, float], now: int, rules: Rules
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
            # Between looking and writing, another process may have used or edited it.
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
    for standing in statistics.find_active():
        found = [signals(standing, month.get(standing.id, Given())) for month in months]
        # A month in which nothing was given says nothing about use: it must not count as one without any.
        scores = [score(one) if month else None for one, month in zip(found, months, strict=True)]
        to = moved(standing, scores, now)
        # The history is read only for what would move: what a person set is never moved by use.
        if to is not None and not set_by_person(
            [
                (version.version, version.memory.importance, version.changed_by)
                for version in work.services.store.memories.history(standing.id)
            ]
        ):
            yield Move(standing, to, scores[0] or 0.0, found[0])


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


# -- maintenance jobs: each can say what it would do, and works in short transactions


_T = TypeVar("_T")

MEMORIES, VERSIONS, ENTRIES, VECTORS, EXCHANGES = 10, 500, 1_000, 500, 50
"""Rows in one transaction, so that it takes less than a tenth of a second (bench/maintenance.py)."""
SMALL_FILE = 32 * 1024 * 1024
"""Bytes of a file that is written anew unasked: it takes less than half a second (bench/maintenance.py)."""
LEAST_WASTE = 4 * 1024 * 1024
"""Bytes: a young store's pages are mostly empty, and no file of that size is worth being written anew."""
STALE_SECONDS = 3_600
"""Age of a file that was being written when its writer died."""
BRIEF_SECONDS = 30 * 24 * 3_600
"""Age of a brief that nobody asks for any more; one is made anew after a day."""
_PERCENT = 100
_MEGABYTE = 1024 * 1024


# -- sessions


def plan_sessions(work: Work) -> Outcome:
    """Count what is kept of old sessions."""
    return Outcome({"sessions": work.services.store.maintenance.old_sessions(work.before("hooks.keep_days"))})


def do_sessions(work: Work) -> Outcome:
    """Forget old sessions with their receipts and signals."""
    before = work.before("hooks.keep_days")
    return in_chunks(work, "sessions", lambda: work.services.store.sessions.forget_before(before))


# -- exchanges


def plan_exchanges(work: Work) -> Outcome:
    """Count the exchanges that are too old, or the oldest of too many."""
    return Outcome({"exchanges": len(_too_old(work))})


def do_exchanges(work: Work) -> Outcome:
    """Delete them, with their vectors."""
    records = work.services.store.exchanges
    return in_chunks(work, "exchanges", _listed(_too_old(work), EXCHANGES, records.delete))


def _too_old(work: Work) -> list[int]:
    """Keys, the oldest first."""
    records, settings = work.services.store.exchanges, work.settings
    days, most = settings["exchanges.keep_days"], settings["exchanges.most_mb"]
    old = records.oldest(_MANY, before=work.before("exchanges.keep_days")) if days else ()
    return list(dict.fromkeys([*old, *(records.beyond(most * _MEGABYTE) if most else ())]))


# -- expired memories


def plan_expiry(work: Work) -> Outcome:
    """Count the memories that were pruned long ago, and those that something still holds."""
    gone, held = work.services.store.maintenance.count_expired(work.before("lifecycle.delete_after_days"))
    return Outcome({"memories": gone, "held": held})


def do_expiry(work: Work) -> Outcome:
    """Delete the memories that were pruned long ago."""
    before = work.before("lifecycle.delete_after_days")

    def chunk() -> int:
        ids = work.services.store.maintenance.expired(before, MEMORIES)
        for id_ in ids:
            # Delete a memory for good; its id, its audit log and the reason stay.
            work.services.store.ledger.record(
                [AuditEntry(memory_id=id_, operation="expire", actor=Actor.DECAY, at=work.now)]
            )
            key = work.services.store.memories.delete(id_)
            work.services.store.ledger.bury(key, id_, work.now, reason="expiry")
        return len(ids)

    done = in_chunks(work, "memories", chunk)
    # What is still held is counted once, at the end: after each chunk it would be wasted work.
    held = work.services.store.maintenance.count_expired(before)[1] if done.state == "done" else 0
    return replace(done, counts=done.counts | {"held": held})


# -- versions, audit log, vectors


def plan_versions(work: Work) -> Outcome:
    """Count former states beyond those that are kept."""
    surplus = work.services.store.maintenance.surplus_versions(
        KEPT_VERSIONS - 1, _MANY, without=_expiring(work)
    )
    return Outcome({"versions": len(surplus)})


def _expiring(work: Work) -> list[str]:
    """The memories that this run would delete before the jobs that follow."""
    if "expiry" not in work.names:
        return []
    return work.services.store.maintenance.expired(work.before("lifecycle.delete_after_days"), _MANY)


def do_versions(work: Work) -> Outcome:
    """Delete former states beyond those that are kept."""
    # The present state is one of those that are kept, and is not among the former ones.
    records = work.services.store.maintenance
    surplus = records.surplus_versions(KEPT_VERSIONS - 1, _MANY)
    return in_chunks(work, "versions", _listed(surplus, VERSIONS, records.drop_versions))


def _listed(found: Sequence[_T], most: int, drop: Callable[[Sequence[_T]], object]) -> Callable[[], int]:
    """Drop what was found, so many at a time: finding it takes too long to be done while others wait."""
    left = list(found)

    def chunk() -> int:
        part = left[:most]
        del left[:most]
        drop(part)
        return len(part)

    return chunk


def plan_audit(work: Work) -> Outcome:
    """Count the old entries of the audit log."""
    before, more = work.before("gc.audit_days"), bool(_expiring(work))
    return Outcome({"entries": work.services.store.maintenance.count_old_audit(before, more=more)})


def do_audit(work: Work) -> Outcome:
    """Turn old entries of the audit log into counts by month."""

    def chunk() -> int:
        entries = work.services.store.maintenance.old_audit(work.before("gc.audit_days"), ENTRIES)
        work.services.store.maintenance.rotate(entries, summaries(entries))
        return len(entries)

    return in_chunks(work, "entries", chunk)


def plan_vectors(work: Work) -> Outcome:
    """Count the vectors that nothing uses."""
    keep = KEPT_VERSIONS - 1 if "versions" in work.names else EVERY_VERSION
    unused = work.services.store.maintenance.unused_vectors(_MANY, without=_expiring(work), keep=keep)
    return Outcome({"vectors": len(unused)})


def do_vectors(work: Work) -> Outcome:
    """Delete the vectors that nothing uses; also count those that memories share, and duplicates."""
    records = work.services.store.maintenance
    done = in_chunks(work, "vectors", _listed(records.unused_vectors(_MANY), VECTORS, records.drop_vectors))
    having, vectors, twice = records.vector_sharing()
    return replace(done, counts=done.counts | {"shared": max(having - vectors, 0), "twice": twice})


# -- leftovers


def plan_leftovers(work: Work) -> Outcome:
    """Count files and records that nobody will ask for."""
    old = work.services.store.maintenance.old_degradations(work.before("hooks.keep_days"))
    return Outcome({"files": len(_stale(work)), "transcripts": len(_gone(work)), "fallbacks": old})


def do_leftovers(work: Work) -> Outcome:
    """Delete files and records that nobody will ask for."""
    planned = plan_leftovers(work)
    records = work.services.store.maintenance
    for path in _stale(work):
        with suppress(OSError):
            path.unlink()
    records.forget_checkpoints(_gone(work))
    records.forget_degradations(work.before("hooks.keep_days"))
    return planned


def _stale(work: Work) -> list[Path]:
    """Files of this machine that nobody will ask for: half-written ones, old briefs.

    Locks stay: a lock's file that is deleted while it is held could be held twice.
    """
    location = work.services.location
    briefs = location.place("surface-cache")
    half = [path for name in _HALF_WRITTEN for path in location.place(name).glob("*.part*")]
    old = [path for path in briefs.glob("*.json") if _age(path) > BRIEF_SECONDS]
    # A file that is being written is young: only what its writer left behind is an hour old.
    return sorted({*(path for path in half if _age(path) > STALE_SECONDS), *old})


_HALF_WRITTEN = ("backups", "queue", "surface-cache", "vectors")
"""Folders in which files are written under a temporary name (`.part`)."""
_MANY = 2**62  # more rows than any store holds: no limit


def _age(path: Path) -> float:
    """Seconds since a file was written, by this machine's clock as files have it."""
    try:
        return time.time() - path.lstat().st_mtime
    except OSError:
        # What is gone, or cannot be looked at, counts as new: nothing is deleted then.
        return 0.0


def _gone(work: Work) -> list[str]:
    """Transcripts read long ago that are no longer there, though their folder is.

    Never those of another machine.
    """
    if work.services.location.remote:
        return []
    old = map(Path, work.services.store.maintenance.old_checkpoints(work.before("hooks.keep_days")))
    # Where its folder is gone, too, the disk may only be unplugged or not mounted.
    return [str(path) for path in old if path.parent.is_dir() and not path.exists()]


# -- the file


_COPIED = {
    "exchanges": ("exchanges",),
    "expiry": ("memories",),
    "versions": ("versions",),
    "vectors": ("vectors",),
}
"""Counts by job of deleted rows that a backup would hold, so that a new one differs from the last."""
MAKES_ROOM = _COPIED | {
    "sessions": ("sessions",),
    "leftovers": ("transcripts", "fallbacks"),
    "audit": ("entries",),
}
"""Counts by job of deleted rows that leave room in the file."""


def plan_compaction(work: Work) -> Outcome:
    """Look at the free pages."""
    note = "the room that the jobs before it make" if work.some(MAKES_ROOM) else ""
    return Outcome({"free_bytes": work.services.store.compaction.space().free}, note)


def do_compaction(work: Work) -> Outcome:
    """Give free pages back, merge the keyword index, fold the write-ahead log in."""
    counts = work.services.store.compaction.tidy(work.left)
    if counts.get("busy"):
        return Outcome(counts, "others were at work", "partly")
    return Outcome(counts, record=counts | {"waste_bytes": work.services.store.compaction.waste()})


def plan_rewrite(work: Work) -> Outcome:
    """Judge the file as it is; where earlier jobs make room, that is decided when they are done."""
    judged = _judged(work)
    open_ = work.some(MAKES_ROOM | {"compaction": ("free_bytes",)})
    if work.full or not open_ or work.services.store.compaction.space().total < LEAST_WASTE:
        return judged
    waste = {name: judged.counts[name] for name in ("waste_bytes", "waste_percent")}
    return Outcome(waste, "decided when the jobs before it are done")


def _judged(work: Work) -> Outcome:
    """Whether to rewrite the file: where a large share of it holds nothing.

    A large file is rewritten only when a person asks for it, since others have to wait.
    """
    compaction = work.services.store.compaction
    waste, total = compaction.waste(), compaction.space().total
    counts = {"waste_bytes": waste, "waste_percent": round(_PERCENT * waste / total) if total else 0}
    if not work.full and (waste < LEAST_WASTE or waste <= work.settings["gc.fragmentation"] * total):
        return Outcome(counts, "too little is unused to rewrite the file")
    obstacle = compaction.obstacle()
    if obstacle:
        return Outcome(counts, f"not written anew: {obstacle}", "skipped")
    if not work.full and total > SMALL_FILE:
        return Outcome(counts, "large: run `recortex gc --full` when nobody works with it", "skipped")
    return Outcome(counts | {"rewritten": 1})


def do_rewrite(work: Work) -> Outcome:
    """Write the file anew where that gives enough back."""
    judged = _judged(work)
    if judged.counts.get("rewritten"):
        work.services.store.compaction.rewrite()
    return judged


# -- growth and backups


def plan_growth(_: Work) -> Outcome:
    """One sample, always."""
    return Outcome({"samples": 1})


def do_growth(work: Work) -> Outcome:
    """Record the store's size."""
    store = work.services.store
    store.maintenance.sample(work.now, memories=store.maintenance.content().memories, size=store.bytes())
    return plan_growth(work)


def plan_backup(work: Work) -> Outcome:
    """Look whether something changed since the last backup."""
    content = work.services.store.maintenance.content()._asdict()
    if not (content["newest_audit"] or content["exchanges"] or content["chunks"]):
        return Outcome({}, "nothing to copy yet", "skipped")
    last = work.services.store.maintenance.all().get("backup")
    same = last and dict(last.outcome) == content and not work.some(_COPIED)
    if same and work.services.store.backups.all():
        return Outcome({}, "nothing changed since the last one", "skipped")
    return Outcome({"backups": 1}, record=content)


def do_backup(work: Work) -> Outcome:
    """Make a copy; `Backups.make` opens and counts it, and deletes it if it is not whole."""
    planned = plan_backup(work)
    if planned.state == "done":
        work.services.store.backups.make(work.now, reason="regular")
    return planned
