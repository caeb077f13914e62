"""The log of versions in a store, what is shown of it, the keys of replicas, and conflicts."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.memory import Relation
from recortex.domain.text import from_micros
from recortex.domain.vocabulary import RelationType
from recortex.lean import Value, field, replace
from recortex.storage.database import Records, json, parse
from recortex.storage.records.ledger import LedgerRecords
from recortex.sync.protocol import Applied, Card, SyncVersion, Vector
from recortex.sync.protocol import parse as parse_wire

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

COMPONENT = "sync"
"""Under which a failure is told by `status` and `doctor`."""
REPOSITORY = "sync.git"
"""The folder, beside the store, with this machine's copy of the team's branch."""
SELF = ""
"""The peer under which the store keeps its own state."""


class Head(NamedTuple):
    """What the store shows of a record.

    Attributes:
        record: the memory's id, or a relation's.
        head: the version's id.
        shown: see `tables.txt`.
        leaves: of the record; 0: it was purged; below 0: so many, and an older version is shown than the one
            that holds, since this program does not understand that.
    """

    record: str
    head: str
    shown: int
    leaves: int


class Replica(NamedTuple):
    """A replica that is known.

    Attributes:
        card: its key.
        trusted: what it says is shown here.
        applied: what it said that it has applied.
    """

    card: Card
    trusted: bool
    applied: Applied | None


class State(Value, frozen=True, kw_only=True):
    """How far the store and a way to the others are; under `SELF`, what the store has.

    Attributes:
        team: the workspace.
        replica, author: the store's own; under a peer empty.
        vector, set_hash: of what the peer has, as far as is known.
        way: the URL of a team server, or of a git remote after "git "; only under `SELF`. Empty: none.
        synced_at: microseconds; None: never.
        error, failures, next_at: the last failure, how many there were in a row, when to try again.
    """

    peer: str = SELF
    team: str = ""
    replica: str = ""
    author: str = ""
    vector: Vector = field(default_factory=dict)
    set_hash: str = ""
    way: str = ""
    synced_at: int | None = None
    error: str = ""
    failures: int = 0
    next_at: int = 0


class Pending(NamedTuple):
    """What a sync has to look at.

    Attributes:
        keys: of memories, also of those that were removed.
        noted: how often each was noted before this look.
        day: of a look through the whole store; None: it is none.
        loose: relations of what was purged, too.
    """

    keys: Sequence[int]
    noted: dict[int, int]
    day: int | None
    loose: bool


class Conflict(NamedTuple):
    """Two versions that stand beside each other, in the order of `conflict_log`."""

    record: str
    one: str
    other: str
    head: str
    strategy: str
    found_at: int
    settled_at: int | None
    settled_by: str


_STATE = State.__struct_fields__
_SYNCING = 0x5EC5
"""The first number of the advisory lock of a sync: one that no other program is likely to use."""
_PAUSE = 0.1
_MARK = "exchange:"
"""The record under which the heads have how far exchanges were looked at: the newest's key and time."""
_WHOLE, _LOOSE = 0, -1
"""The keys under which it stands when the whole store was looked at, and that relations are to be."""
_COPY = "copy:"
"""The record under which the heads have that a copy of the branch could not be deleted."""
_DAY = 24 * 3600 * 1_000_000
_GROWS = _DAY
"""Microseconds for which an exchange may have gone on before it was read and seen here."""


class SyncRecords(Records):
    """Reads and writes what sync keeps; writing takes place inside a transaction."""

    topic = "sync"

    @contextmanager
    def claimed(self, patience: float) -> Iterator[bool]:
        """Hold the right to synchronise while inside; False where another process has it for longer.

        Machines that share a store on a server have no file in common; a store in a file needs no more than
        the lock beside it.
        """
        claim = getattr(self._database, "claimed", None)
        if claim is None:
            yield True
            return
        until = time.monotonic() + patience
        while True:
            with claim(_SYNCING) as held:
                if held or time.monotonic() >= until:
                    yield held
                    return
            time.sleep(_PAUSE)

    # -- the log

    def append(self, versions: Iterable[SyncVersion]) -> None:
        """Keep versions."""
        self._each(
            "append",
            [
                {
                    "replica": one.replica,
                    "counter": one.counter,
                    "id": one.id,
                    "record": one.memory_id,
                    "parents": json(list(one.parents)),
                    "clock": one.clock,
                    "operation": one.operation,
                    "author": one.author,
                    "body": one.body,
                    "signature": one.signature,
                }
                for one in versions
            ],
        )

    def of_records(self, records: Iterable[str]) -> dict[str, list[SyncVersion]]:
        """All versions of some records."""
        found: dict[str, list[SyncVersion]] = {}
        for row in self._rows("of_records", json(sorted(set(records)))):
            version = _version(row)
            found.setdefault(version.memory_id, []).append(version)
        return found

    def after(self, replica: str, counter: int, limit: int) -> list[SyncVersion]:
        """The versions of a replica after a number, in order."""
        return list(map(_version, self._rows("after", replica, counter, limit)))

    def at(self, replica: str, counter: int) -> SyncVersion | None:
        """One version."""
        rows = self._rows("at", replica, counter)
        return _version(rows[0]) if rows else None

    def records_of(self, replica: str) -> list[str]:
        """The records of which a replica wrote a version."""
        return self._column("records_of", replica)

    def drop_after(self, replica: str, counter: int) -> None:
        """Take versions out again that no other replica has."""
        self._rows("drop_after", replica, counter)

    def count(self) -> tuple[int, int]:
        """How many versions there are, of how many records."""
        versions, records = self._rows("count")[0]
        return int(versions), int(records)

    def purges(self) -> list[tuple[str, str, int]]:
        """Of each purge the record, and the replica and the number of its version."""
        return [(record, replica, counter) for record, replica, counter in self._rows("purges")]

    def purged(self, records: Iterable[str]) -> set[str]:
        """Those records that were purged."""
        return set(self._column("purged", json(sorted(set(records)))))

    def purge_of(self, records: Iterable[str]) -> list[SyncVersion]:
        """The purges of some records."""
        return list(map(_version, self._rows("purge_of", json(sorted(set(records))))))

    def to_erase(self) -> list[str]:
        """Ids of memories that are here though a teammate purged them."""
        return self._column("to_erase")

    def exchanges_to_erase(self) -> list[str]:
        """Ids of exchanges that are here though a teammate purged them."""
        return self._column("exchanges_to_erase")

    def exchange_keys(self, id_: str) -> list[int]:
        """The key of an exchange that is here."""
        return self._column("exchange_key", id_)

    def new_exchanges(self, now: int) -> tuple[list[int], Head | None]:
        """Keys of this person's exchanges that came or may have grown since a mark, and the new mark.

        Only the last exchange of a session grows, so those that ended since about then are looked at again.
        A key may be given again after the newest was deleted, and a clock may be set back; the mark has both.
        """
        known = self.heads([_MARK]).get(_MARK)
        rows = self._rows("newest_exchange")
        if not rows:
            return [], None
        key, at = rows[0]
        mark = Head(_MARK, str(min(at, now)), key, 0)
        if known is None:
            return sorted({*self._column("new_exchanges", 0, 0)}), mark
        at = int(known.head)
        before = self._column("exchange_before", at)
        since = min(known.shown, before[0] if before else 0)
        return sorted(
            self._column("new_exchanges", since, at - _GROWS)
        ), mark  # by an order, SQLite reads all

    def hollow(self, record: str) -> None:
        """Delete what versions say of a record."""
        self._rows("hollow", record)

    # -- what is shown

    def heads(self, records: Iterable[str]) -> dict[str, Head]:
        """What is shown of some records."""
        rows = self._rows("heads", json(sorted(set(records))))
        return {row[0]: Head(*row) for row in rows}

    def put_heads(self, heads: Iterable[Head]) -> None:
        """Note what is shown."""
        self._each("put_head", [one._asdict() for one in heads])

    def open(self) -> list[Head]:
        """The records with more than one leaf."""
        return [Head(*row) for row in self._rows("open")]

    def waiting(self) -> list[str]:
        """The records that are not shown here, though they are known."""
        return self._column("waiting")

    def pending(self, now: int) -> Pending:
        """What is to be looked at.

        What a recovery or a copy brings was not noted: once a day, all is looked at.
        """
        noted, day = dict(self._rows("pending")), now // _DAY
        whole = noted.pop(_WHOLE, None) != day
        keys = self._column("shared_keys") if whole else [one for one in noted if one != _LOOSE]
        return Pending(keys, noted, day if whole else None, loose=whole or _LOOSE in noted)

    def note_whole_look(self, day: int) -> None:
        """Note from now on what changes; the whole store was looked at on that day, or (0) will be now."""
        self._rows("note_look", day)

    def note_looked(self, pending: Pending) -> None:
        """Note that all of this was looked at; what was written meanwhile is looked at again."""
        if pending.day is not None:
            self.note_whole_look(pending.day)
        self._each("looked_at", [*pending.noted.items()])

    def look_no_more(self) -> None:
        """Note nothing from now on; the next look is one through the whole store."""
        self._rows("look_no_more")

    def look_again(self, ids: Iterable[str], *, loose: bool) -> None:
        """Let the next look be at some memories, and at relations of what was purged."""
        keys = self._column("keys", json(sorted(ids)))
        LedgerRecords(self._database).note_changed([*keys, *([_LOOSE] if loose else ())])

    def copy_left(self) -> bool:
        """Whether this machine's copy of the branch has what was purged, since it could not be deleted."""
        known = self.heads([_COPY]).get(_COPY)
        return known is not None and bool(known.head)

    def note_copy(self, *, left: bool) -> None:
        """Note whether it has."""
        self.put_heads([Head(_COPY, "left" if left else "", 0, 0)])

    def changed(self, keys: Sequence[int]) -> list[str]:
        """Ids of memories, of some, that were added or changed here since they were last looked at."""
        return self._column("changed", json(keys))

    def gone(self, keys: Sequence[int]) -> list[str]:
        """Records, of some keys, that were purged here, and nobody was told."""
        return [name for query in ("gone", "exchanges_gone") for name in self._column(query, json(keys))]

    def uncaptured(self, now: int) -> int:
        """Of how many records versions are still to be made, relations and exchanges aside."""
        keys = self.pending(now).keys
        return len(self.changed(keys)) + len(self.gone(keys))

    def loose(self) -> list[str]:
        """Relations of memories that were purged."""
        return self._column("loose")

    def relations(self, keys: Sequence[int]) -> list[Relation]:
        """The relations of some memories that replicate: those that were stated, between memories that do."""
        return [
            Relation(
                source,
                target,
                RelationType(type_),
                from_micros(created),
                strength=strength,
                evidence=parse(evidence, (), tuple[str, ...]),
                inferred=bool(inferred),
                bidirectional=bool(both),
            )
            for source, type_, target, strength, evidence, inferred, both, created in self._rows(
                "relations", json(keys)
            )
        ]

    def relation_heads(self, keys: Sequence[int]) -> dict[str, Head]:
        """What is shown of relations from some memories to others."""
        return {row[0]: Head(*row) for row in self._rows("relation_heads", json(keys))}

    # -- replicas and ways to them

    def replicas(self) -> dict[str, Replica]:
        """The replicas that are known."""
        return {
            replica: Replica(
                parse_wire(card, Card), bool(trusted), parse_wire(applied, Applied) if applied else None
            )
            for replica, _, card, trusted, applied in self._rows("replicas")
        }

    def put_replica(self, replica: Replica) -> None:
        """Keep a replica."""
        card, applied = replica.card, replica.applied
        values = {
            "replica": card.replica,
            "author": card.author,
            "card": json(card),
            "trusted": int(replica.trusted),
            "applied": json(applied) if applied else None,
        }
        self._named("put_replica", values)

    def state(self, peer: str = SELF) -> State:
        """How far a peer, or the store itself, is."""
        rows = self._rows("state", peer)
        return _state(rows[0]) if rows else State(peer=peer)

    def peers(self) -> list[State]:
        """The ways to the others that were ever used."""
        return list(map(_state, self._rows("peers")))

    def put_state(self, state: State) -> None:
        """Keep how far a peer is."""
        values = {name: getattr(state, name) for name in _STATE}
        self._named("put_state", values | {"vector": json(state.vector)})

    def forget_peers(self) -> None:
        """Forget what others have: it is asked again."""
        self._rows("forget_peers")

    # -- conflicts

    def found(self, conflict: Conflict) -> None:
        """Log a conflict; one that is known changes its head at most."""
        self._named("found_conflict", conflict._asdict())

    def settle(self, record: str, at: int, by: str) -> None:
        """Note that the conflicts of a record are settled."""
        self._rows("settle", at, by, record)

    def conflicts(self, limit: int) -> list[Conflict]:
        """Those that are not settled, the latest first."""
        return [Conflict(*row) for row in self._rows("conflicts", limit)]


def _version(row: Sequence[Any]) -> SyncVersion:
    replica, counter, id_, record, parents, clock, operation, author, body, signature = row
    return SyncVersion(
        id=id_,
        memory_id=record,
        parents=parse(parents, (), tuple[str, ...]),
        replica=replica,
        counter=counter,
        clock=clock,
        operation=operation,
        author=author,
        body=body,
        signature=signature,
    )


def _state(row: Sequence[Any]) -> State:
    values = dict(zip(_STATE, row, strict=True))
    return replace(State(), **values | {"vector": parse(values["vector"], {}, dict[str, int])})
