"""One synchronisation over one transport: capture, pull, push, and the proof that both sides agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.text import to_micros
from recortex.lean import Value, replace
from recortex.sync.protocol import (
    MOST_VERSIONS,
    PURGE,
    Batch,
    RefusedError,
    SyncError,
    bounded,
    clock_after,
)
from recortex.sync.records import State
from recortex.sync.replica import ForkedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from recortex.sync.keys import Identity
    from recortex.sync.protocol import Applied, SyncVersion, Transport
    from recortex.sync.replica import SyncReplica

NOT_ALLOWED = "not_allowed"
"""The code of a refusal for want of a right."""
_READS = (
    "You may only read this team's memory: what is written here stays on this machine. An admin can change"
    " that: recortex sync invite NAME --right write"
)
_RENEWED = (
    "This store was put back to an older state, or copied, so it goes on under a new key. What it sent before"
    " is here again; there is nothing to do."
)
SHORTEST, LONGEST = 30, 60 * 60
"""Seconds to wait after a failure: twice as long each time."""


class Exchanged(Value, frozen=True, kw_only=True):
    """What was synchronised.

    Attributes:
        made: versions of what had changed here.
        received, sent: versions.
        problems: what was refused, or cannot be shown, and why.
        agreed: both sides have the same set, which was compared; False where one still lacks something.
    """

    made: int = 0
    received: int = 0
    sent: int = 0
    problems: tuple[str, ...] = ()
    agreed: bool = False


def synchronise(
    replica: SyncReplica,
    transport: Transport,
    *,
    now: datetime,
    renewed: Callable[[], Identity],
    pull: bool = True,
    push: bool = True,
) -> Exchanged:
    """Bring a replica and what is behind a transport to the same set of versions.

    Args:
        replica: the store's.
        transport: the way to the others.
        now: the time.
        renewed: makes a new key, where a copy of the store uses this one.
        pull: take in what others wrote.
        push: hand over what was written here.

    Raises:
        OfflineError: the other side cannot be reached; what was done stays, and the next time goes on.
        SyncError: the two sides do not have the same, though they say so.
    """
    try:
        done = _synchronised(replica, transport, now, renewed, pull=pull, push=push)
    except SyncError as error:
        state = replica.log.state(transport.name)
        failures = min(state.failures + 1, 20)
        wait = min(SHORTEST * 2 ** (failures - 1), LONGEST) * 1_000_000
        _note(replica, replace(state, error=error.message, failures=failures, next_at=to_micros(now) + wait))
        raise
    return done


def _synchronised(
    replica: SyncReplica,
    transport: Transport,
    now: datetime,
    renewed: Callable[[], Identity],
    *,
    pull: bool,
    push: bool,
) -> Exchanged:
    problems = [_RENEWED] if replica.leave_where_put_back(renewed) else []
    made, received, sent = replica.capture(), 0, 0
    replica.note()  # before anybody gets what has these numbers
    theirs = replica.log.state(transport.name)
    if pull:
        try:
            received, theirs = _pull(replica, transport)
        except ForkedError:
            if _leave(replica, transport, renewed):
                problems.append(_RENEWED)
            received, theirs = _pull(replica, transport)
    if push:
        try:
            sent, theirs = _push(replica, transport, theirs, now)
        except RefusedError as refused:
            if refused.code != NOT_ALLOWED or not pull:
                raise
            theirs = _acknowledge(replica, transport, theirs, now)
            if replica.state.vector.get(replica.me.replica):
                problems.append(_READS)
    mine = replica.state
    agreed = theirs.vector == mine.vector
    if agreed and theirs.set_hash.lstrip("0") != mine.set_hash.lstrip("0"):
        if not (pull and push and _leave(replica, transport, renewed)):
            raise SyncError(
                "Both sides say that they have the same versions, and they do not.",
                hint="A copy of this store may have been used elsewhere: run `recortex sync` again.",
            )
        again = _synchronised(replica, transport, now, renewed, pull=True, push=True)
        told = tuple(dict.fromkeys((_RENEWED, *again.problems)))
        return replace(again, made=again.made + made, received=again.received + received, problems=told)
    problems += _absent(replica, theirs)
    _note(replica, replace(theirs, synced_at=to_micros(now), error="", failures=0, next_at=0))
    problems += (*replica.problems, *getattr(transport, "problems", ()))
    return Exchanged(
        made=made, received=received, sent=sent, problems=tuple(dict.fromkeys(problems)), agreed=agreed
    )


def _pull(replica: SyncReplica, transport: Transport) -> tuple[int, State]:
    received = 0
    while True:
        before = replica.state.vector
        batch = transport.pull(before, MOST_VERSIONS)
        received += replica.receive(batch)
        if not batch.more or replica.state.vector == before:
            break
    replica.finish()
    return received, State(peer=transport.name, vector=dict(batch.vector), set_hash=batch.set_hash)


def _push(replica: SyncReplica, transport: Transport, theirs: State, now: datetime) -> tuple[int, State]:
    sent, last = 0, False
    while not last:
        batch = _batch(replica, theirs.vector, now)
        reply = transport.push(batch)
        gained = sum(reply.vector.values()) - sum(theirs.vector.values())
        theirs = State(peer=transport.name, vector=dict(reply.vector), set_hash=reply.set_hash)
        sent += min(max(gained, 0), len(batch.versions))
        last = not batch.more or gained <= 0
    return sent, theirs


def _absent(replica: SyncReplica, theirs: State) -> list[str]:
    """Who wrote the versions of others that are here, and not on the other side."""
    state, known = replica.state, replica.log.replicas()
    late = [one for one, number in state.vector.items() if number > theirs.vector.get(one, 0)]
    names = {known[one].card.author for one in late if one != state.replica and one in known}
    if not names:
        return []
    who = ", ".join(sorted(names))
    told = f"The other side lacks what {who} sent before, as after a restored backup."
    return [f"{told} It is here; it comes back there if their machines still have it."]


def _acknowledge(replica: SyncReplica, transport: Transport, theirs: State, now: datetime) -> State:
    """Tell what this replica has applied, purges above all, where it may send nothing else."""
    said = _applied(replica, now)
    try:
        reply = transport.push(Batch(workspace=replica.state.team, applied=(said,)))
    except RefusedError:  # by a server that does not know this yet
        return theirs
    return State(peer=transport.name, vector=dict(reply.vector), set_hash=reply.set_hash)


def _applied(replica: SyncReplica, now: datetime) -> Applied:
    """What this replica has applied, signed anew where that changed.

    As long as a copy of the branch has what was purged, nothing more is acknowledged.
    """
    log, state = replica.log, replica.state
    me, left = log.replicas()[state.replica], log.copy_left()
    said = me.applied
    if said is None or (said.vector != state.vector and not left):
        clock = clock_after(to_micros(now) // 1000, [said.clock] if said else ())
        said = replica.me.acknowledge({} if left else dict(state.vector), clock)
        with replica.transaction():
            log.put_replica(me._replace(applied=said))
    return said


def _batch(replica: SyncReplica, theirs: Mapping[str, int], now: datetime) -> Batch:
    """What the other side lacks, as much as fits; and what this replica has applied, where that changed."""
    log, state = replica.log, replica.state
    waiting: list[SyncVersion] = []
    for one in sorted(state.vector):
        room = MOST_VERSIONS - len(waiting)
        if room > 0 and state.vector[one] > theirs.get(one, 0):
            waiting += log.after(one, theirs.get(one, 0), room)
    versions = bounded(waiting)
    hollow = {one.memory_id for one in versions if one.body is None and one.operation != PURGE}
    return Batch(
        workspace=state.team,
        versions=tuple(versions),
        vector=state.vector,
        set_hash=state.set_hash,
        purges=tuple(log.purge_of(hollow)) if hollow else (),
        cards=tuple(one.card for one in log.replicas().values()),
        applied=(_applied(replica, now),),
        more=len(versions) < len(waiting) or len(waiting) >= MOST_VERSIONS,
    )


def _leave(replica: SyncReplica, transport: Transport, renewed: Callable[[], Identity]) -> bool:
    """Take a new key where a copy of this store uses the old one; False where none does."""
    old, vector = replica.state.replica, dict(replica.state.vector)
    same, more = 0, True
    while more:
        batch = transport.pull({**vector, old: same}, MOST_VERSIONS)
        theirs = sorted((one for one in batch.versions if one.replica == old), key=lambda one: one.counter)
        more = batch.more and bool(theirs)
        for one in theirs:
            there = replica.log.at(old, one.counter)
            if one.counter != same + 1 or there is None or there.id != one.id:
                more = False
                break
            same += 1
    if same == vector.get(old, 0) == batch.vector.get(old, 0):
        return False
    replica.leave(same, renewed())
    return True


def _note(replica: SyncReplica, state: State) -> None:
    with replica.transaction():
        replica.log.put_state(state)
