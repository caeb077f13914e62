"""A store as a replica: what changed here becomes versions, and versions of others are shown here.

What changed is derived from the store's own history when it is synchronised, so writing a memory costs no
more than a note that it was written, and a process that is killed loses nothing: the next sync derives the
rest. Each step is one
transaction and may be repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from recortex.app.brief_cache import forget_briefs
from recortex.domain.text import to_micros
from recortex.domain.vocabulary import Actor
from recortex.engines.exchanges.service import terms
from recortex.engines.privacy import output_redacted, redact_json
from recortex.errors import InvalidInputError
from recortex.lean import replace, sha256
from recortex.sync.bodies import (
    EXCHANGE,
    RELATION,
    body_of,
    changed,
    ends_of,
    exchange_body,
    exchange_of,
    is_own,
    is_own_business,
    is_shared,
    mark_of,
    memory_of,
    operation_of,
    relation_body,
    relation_id,
    relation_of,
)
from recortex.sync.keys import Vault, check_applied, check_card, check_signature
from recortex.sync.protocol import (
    AHEAD_MS,
    MODULUS,
    MOST_BODY,
    PURGE,
    RefusedError,
    SyncVersion,
    add_to_hash,
    by_id,
    canonical,
    clock_after,
    id_of,
    missing,
    parse_body,
    settle,
    speaker_of,
)
from recortex.sync.records import Conflict, Head, Replica, State, SyncRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from recortex.app.application import StoreServices
    from recortex.domain.memory import Memory
    from recortex.sync.bodies import Body
    from recortex.sync.keys import Identity
    from recortex.sync.protocol import Batch, Card, Settled, Strategy

T = TypeVar("T")

CHUNK = 200
"""Records of which versions are made, or versions that are taken in, in one transaction."""
LOOK = 10_000
"""Memories that are looked at in one question."""
_REMOVED = -1
"""Shown of a relation that was taken away."""


class ForkedError(RefusedError):
    """The store, or a copy of it, has written versions under its key that are not here."""


class SyncReplica:
    """The replica in a store.

    Args:
        services: of the store.
        me: whose key signs what is written here.
        strategy: which version is shown in a conflict.
        now: the time.
    """

    def __init__(self, services: StoreServices, me: Identity, strategy: Strategy, now: datetime) -> None:
        self._services, self._store, self.me = services, services.store, me
        self._strategy: Strategy = strategy
        self._now = now
        self._vault = Vault(services.location.folder)
        self.log = self._store.records(SyncRecords)
        self.problems: list[str] = []
        self._newly_trusted = set[str]()

    def transaction(self) -> AbstractContextManager[None]:
        """All that is written inside is kept, or nothing."""
        return self._store.transaction()

    @property
    def state(self) -> State:
        """What the store has."""
        return self.log.state()

    # -- what changed here

    def capture(self) -> int:
        """Make versions of what changed here since the last time; returns how many."""
        pending, made = self.log.pending(to_micros(self._now)), list[str]()
        if pending.day is not None:
            with self._store.transaction():
                self.log.note_whole_look(0)
        for keys in _chunks(pending.keys, LOOK):
            made += self._look(keys)
        if pending.loose:
            made += self._purge_loose()
        if self._services.settings["sync.exchanges"]:
            new, mark = self.log.new_exchanges(to_micros(self._now))
            for some in _chunks(new):
                with self._store.transaction():
                    made += self._made(self._exchanges(some))
            if mark and mark not in self.log.heads([mark.record]).values():
                with self._store.transaction():
                    self.log.put_heads([mark])
        if pending.noted or pending.day is not None:
            with self._store.transaction():
                self.log.note_looked(pending)
        return len(made)

    def _look(self, keys: Sequence[int]) -> list[str]:
        """Make versions of what changed of some memories, and of their relations."""
        made = list[str]()
        for ids in _chunks(self.log.changed(keys)):
            with self._store.transaction():
                made += self._made(self._captured(ids))
        if gone := self.log.gone(keys):
            with self._store.transaction():
                made += self._made(self._purges(gone)) + self._purge_loose()
        with self._store.transaction():
            return made + self._made(self._relations(keys))

    def _purge_loose(self) -> list[str]:
        """Purge relations of what was purged: nobody would take their versions, of which the text is gone."""
        with self._store.transaction():  # or in the one that is open
            return self._made(self._purges(self.log.loose()))

    def _captured(self, ids: Sequence[str]) -> Iterator[SyncVersion]:
        heads, versions = self.log.heads(ids), self.log.of_records(ids)
        for memory in self._store.memories.get(ids):
            yield from self._captured_memory(memory, heads.get(memory.id), versions.get(memory.id, ()))

    def _captured_memory(
        self, memory: Memory, head: Head | None, versions: Iterable[SyncVersion]
    ) -> Iterator[SyncVersion]:
        """The versions of one memory that were not made yet; notes what is shown."""
        if head is None:
            if not is_shared(memory):
                return
            body = body_of(output_redacted(memory))
            made = self._version(memory.id, (), operation_of(None, body), body, memory.updated_at)
            if made:
                yield made
                self.log.put_heads([Head(memory.id, made.id, memory.version, 1)])
            return
        parent = by_id(versions)[head.head]
        told = parse_body(parent.body) if parent.body else {}
        states = [one for one in self._store.memories.history(memory.id) if one.version >= head.shown][::-1]
        # Of a memory that changed more often than states are kept, the oldest kept one stands for the first.
        before = body_of(output_redacted(states[0].memory)) if states[0].version == head.shown else told
        for state in states:
            after = body_of(output_redacted(state.memory))
            own_business = is_own_business(state.changed_by) or state.version == head.shown
            new = None if own_business else changed(told, before, after)
            if new is not None:
                at = state.memory.updated_at
                made = self._version(memory.id, (parent.id,), operation_of(told, new), new, at, parent)
                if made:
                    yield made
                    parent, told = made, new
            before = after
        self.log.put_heads([Head(memory.id, parent.id, memory.version, head.leaves)])

    def _purges(self, records: Iterable[str]) -> Iterator[SyncVersion]:
        for record, head in self.log.heads(records).items():
            made = self._version(record, (head.head,) if head.head else (), PURGE, None, self._now)
            if made:
                yield made
                self.log.put_heads([Head(record, made.id, 0, 0)])
                self.log.hollow(record)

    def _relations(self, keys: Sequence[int]) -> Iterator[SyncVersion]:
        here = {relation_id(one): one for one in self.log.relations(keys)}
        heads = self.log.relation_heads(keys) | self.log.heads(here)
        bodies = {record: relation_body(one) for record, one in here.items()}
        marks = {record: _mark(body) for record, body in bodies.items()}
        new = [one for one, mark in marks.items() if one not in heads or heads[one].shown not in {0, mark}]
        gone = [one for one, head in heads.items() if head.shown > 0 and head.leaves and one not in here]
        versions = self.log.of_records([*new, *gone])
        for record in new:
            body = redact_json(bodies[record])[0]
            parent = self._shown(versions.get(record, ()), heads.get(record))
            told = parse_body(parent.body) if parent and parent.body else None
            parents = (parent.id,) if parent else ()
            made = self._version(record, parents, "update" if parent else "create", {**(told or {}), **body})
            if made:
                yield made
                leaves = heads[record].leaves if record in heads else 1
                self.log.put_heads([Head(record, made.id, marks[record], leaves)])
        for record in gone:
            source, _, target = ends_of(record)
            parent = self._shown(versions.get(record, ()), heads[record])
            if parent is None or len(self._store.memories.get([source, target])) < len({source, target}):
                continue  # it went with one of its memories
            body = {**(parse_body(parent.body) if parent.body else {}), "removed": True}
            made = self._version(record, (parent.id,), "archive", body)
            if made:
                yield made
                self.log.put_heads([Head(record, made.id, _REMOVED, heads[record].leaves)])

    def _exchanges(self, keys: Sequence[int]) -> Iterator[SyncVersion]:
        """The versions of exchanges that came here or have grown."""
        found = {EXCHANGE + one.id: one for one in self._store.exchange_search.exchanges(keys).values()}
        heads, versions = self.log.heads(found), self.log.of_records(found)
        for record, exchange in found.items():
            head = heads.get(record)
            body = exchange_body(exchange, self._services.root)
            mark = mark_of(body)
            if not is_own(exchange) or (head and (not head.leaves or head.shown == mark)):
                continue
            parent = self._shown(versions.get(record, ()), head)
            parents = (parent.id,) if parent else ()
            made = self._version(record, parents, "update" if parent else "create", body, after=parent)
            if made:
                yield made
                self.log.put_heads([Head(record, made.id, mark, 1)])

    def _shown(self, versions: Iterable[SyncVersion], head: Head | None) -> SyncVersion | None:
        return by_id(versions).get(head.head) if head else None

    def _version(
        self,
        record: str,
        parents: tuple[str, ...],
        operation: str,
        body: Body | None,
        at: datetime | None = None,
        after: SyncVersion | None = None,
    ) -> SyncVersion | None:
        """A version without its number; None where it is too long to be sent."""
        text = None if body is None else canonical(body)
        if text is not None and len(text.encode()) > MOST_BODY:
            self.problems.append(f"{record} is too long to be sent: it stays here.")
            return None
        # A clock that is far ahead, here or at a teammate's, does not spread.
        most = clock_after(to_micros(self._now) // 1000 + AHEAD_MS)
        clock = min(clock_after(to_micros(at or self._now) // 1000, [after.clock] if after else ()), most)
        return SyncVersion(
            id=id_of(record, parents, operation, text),
            memory_id=record,
            parents=tuple(sorted(parents)),
            replica=self.me.replica,
            counter=0,
            clock=max(clock, 0),
            operation=operation,
            author=self.me.author,
            body=text,
        )

    def _written(self, made: Iterable[SyncVersion]) -> list[str]:
        """Number, sign and keep new versions, inside a transaction; returns of which records."""
        state = self.state
        first = state.vector.get(self.me.replica, 0) + 1
        versions = [self.me.sign(replace(one, counter=counter)) for counter, one in enumerate(made, first)]
        self._keep(versions, state)
        return [one.memory_id for one in versions]

    def _made(self, versions: Iterable[SyncVersion]) -> list[str]:
        """Write new versions and show what holds then, in one transaction; returns of which records.

        What replaced one of several leaves may begin a conflict or end one, or another leaf may hold now.
        After a kill between the two, nobody would look at these records again.
        """
        records = self._written(versions)
        for some in _chunks(records):
            self._show(some)
        return records

    def _keep(self, versions: Sequence[SyncVersion], state: State) -> None:
        if not versions:
            return
        self.log.append(versions)
        vector = dict(state.vector)
        for one in versions:
            vector[one.replica] = max(vector.get(one.replica, 0), one.counter)
        self.log.put_state(replace(state, vector=vector, set_hash=add_to_hash(state.set_hash, versions)))

    # -- what arrives

    def receive(self, batch: Batch) -> int:
        """Take in what is new and right of a batch; returns how many versions.

        What is wrong is left out and named in `problems`; it keeps out what follows it of the same replica,
        and nothing else.

        Raises:
            ForkedError: this store's key has signed versions that are not here.
        """
        with self._store.transaction():
            cards = self._take_cards(batch)
        purges = {one.memory_id for one in batch.purges if self._is_right(one, cards)}
        new = missing(batch.versions, self.state.vector)
        if any(one.replica == self.me.replica for one in new):
            raise ForkedError("A copy of this store has sent versions under the same key.")
        purges |= {one.memory_id for one in new if one.operation == PURGE and self._is_right(one, cards)}
        purges |= self.log.purged(one.memory_id for one in new)
        right, wrong = list[SyncVersion](), set[str]()
        for one in new:
            if one.replica in wrong:
                continue
            try:
                check_signature(one, self.me.team, cards.get(one.replica), purged=one.memory_id in purges)
            except RefusedError as error:
                self.problems.append(error.message)
                wrong.add(one.replica)
                continue
            right.append(replace(one, body=None) if one.memory_id in purges else one)
        for chunk in _chunks(right):
            with self._store.transaction():
                self._keep(chunk, self.state)
                for record in (purged := {one.memory_id for one in chunk if one.operation == PURGE}):
                    self.log.hollow(record)
                if purged or any(one.memory_id.startswith(RELATION) for one in chunk):
                    self.log.look_again((), loose=True)
                self._show(dict.fromkeys(one.memory_id for one in chunk))
        with self._store.transaction():
            self._take_applied(batch, cards)
        return len(right)

    def finish(self) -> None:
        """Show what waited for something else, and erase what teammates purged."""
        trusted = [record for replica in self._newly_trusted for record in self.log.records_of(replica)]
        self._newly_trusted.clear()
        for records in _chunks([*trusted, *self.log.waiting()]):
            with self._store.transaction():
                self._show(records)
        ids, said = self.log.to_erase(), self.log.exchanges_to_erase()
        if ids or said:
            forget_briefs([self._services.location])
            texts = [one.memory.text for id_ in ids for one in self._store.memories.history(id_)]
            gone = [*said, *self._store.exchanges_to_erase(texts)]
            files = self._services.location.files
            self._store.erase(ids, texts, exchanges=gone, files=files, now=self._now)
            self._purge_loose()  # before the push that follows sends them

    def trust(self, replica: Replica) -> None:
        """Show what a replica says from now on."""
        with self._store.transaction():
            self.log.put_replica(replica._replace(trusted=True))
        self._newly_trusted.add(replica.card.replica)
        self.finish()

    def _is_right(self, version: SyncVersion, cards: Mapping[str, Card]) -> bool:
        try:
            check_signature(version, self.me.team, cards.get(version.replica))
        except RefusedError:
            return False
        return version.operation == PURGE

    def _take_cards(self, batch: Batch) -> dict[str, Card]:
        """Keep the cards that are new; returns all that are known.

        A name belongs to the key that had it first. Another key of that name is kept, and what it says is
        not shown, until the first one vouches for it, or the person trusts it.
        """
        known = self.log.replicas()
        cards = {id_: one.card for id_, one in known.items()}
        arrived = {one.replica: one for one in batch.cards}
        for card in sorted(arrived.values(), key=lambda one: (bool(one.voucher), one.since, one.replica)):
            there = known.get(card.replica)
            mine = card.replica == self.me.replica
            if there is not None and (not card.voucher or (there.trusted and not mine) or there.card == card):
                continue
            try:
                checked = check_card(card, self.me.team, cards)
            except RefusedError as error:
                self.problems.append(error.message)
                continue
            vouched = bool(checked.voucher) and (known[checked.voucher].trusted or mine)
            if mine and not vouched:
                continue
            if mine:  # who vouches for this replica is the same person's, too
                self.log.put_replica(known[checked.voucher]._replace(trusted=True))
                self._newly_trusted.add(checked.voucher)
            namesakes = [one for one in known.values() if one.card.author == checked.author]
            rivals = [
                one for one in arrived.values()
                if one.author == checked.author and one.replica != checked.replica and not one.voucher
            ]  # fmt: skip
            trusted = vouched or not (namesakes or rivals)
            if not trusted and there is None:
                self.problems.append(
                    f"A new replica, {checked.replica[:8]}, also calls itself {checked.author!r}: what it"
                    f" says is not shown. If it is theirs: recortex sync trust {checked.replica[:8]}"
                )
            if trusted and there is not None:
                self._newly_trusted.add(checked.replica)
            known[checked.replica] = kept = Replica(checked, trusted, there.applied if there else None)
            cards[checked.replica] = checked
            self.log.put_replica(kept)
        return cards

    def _take_applied(self, batch: Batch, cards: Mapping[str, Card]) -> None:
        known = self.log.replicas()
        for one in batch.applied:
            there = known.get(one.replica)
            newer = there is not None and (there.applied is None or there.applied.clock < one.clock)
            if there and newer and check_applied(one, self.me.team, cards.get(one.replica)):
                self.log.put_replica(there._replace(applied=one))

    # -- what is shown

    def show(self, records: Iterable[str]) -> None:
        """Let the store show of records what holds."""
        with self._store.transaction():
            self._show(records)

    def _show(self, records: Iterable[str]) -> None:
        """The same inside a transaction; memories come before their relations."""
        wanted = sorted(dict.fromkeys(records), key=lambda one: one.startswith(RELATION))
        heads = self.log.heads(wanted)
        here = {one.id: one for one in self._store.memories.get(wanted)}
        edited = [
            id_ for id_, memory in here.items() if id_ in heads and 0 < heads[id_].shown != memory.version
        ]
        if joined := here.keys() - heads.keys():  # their relations can be shared now
            self.log.look_again(joined, loose=False)
        if edited:
            self._written(self._captured(edited))
            heads = self.log.heads(wanted)
        trusted = {id_ for id_, one in self.log.replicas().items() if one.trusted} | {self.me.replica}
        versions = self.log.of_records(wanted)
        for record in wanted:
            known = [one for one in versions.get(record, ()) if one.replica in trusted]
            self._show_one(record, known, heads.get(record), here.get(record))

    def _show_one(
        self, record: str, versions: Sequence[SyncVersion], head: Head | None, here: Memory | None
    ) -> None:
        said = record.startswith(EXCHANGE)  # nobody is asked which of two readings of a session holds
        strategy: Strategy = "last-write-wins" if said else self._strategy
        settled = settle(versions, strategy, self.me.author, head.head if head else "")
        if settled is None:
            self.log.put_heads([Head(record, "", 0, 1)])
            return
        if settled.purged:
            self.log.put_heads([Head(record, settled.head.id, 0, 0)])
            self.log.hollow(record)
            return
        leaves = 1 if said else len({one.body for one in settled.leaves})
        if not said:
            self._log_conflict(record, settled, head)
        if head is not None and head.shown and head.head == settled.head.id:
            if head.leaves != leaves:
                self.log.put_heads([head._replace(leaves=leaves)])
            return
        try:
            shown = self._put(record, settled.head, versions, here)
        except InvalidInputError as error:
            # Of a newer program, or a relation whose memories are not there yet: it waits, and is kept.
            shown = 0
            if not record.startswith(RELATION):
                self.problems.append(f"{record[:8]} cannot be shown by this version: {error.message}")
        if shown or head is None or not head.shown:
            self.log.put_heads([Head(record, settled.head.id, shown, leaves)])
        elif head.leaves != -leaves:
            self.log.put_heads([head._replace(leaves=-leaves)])

    def _put(
        self, record: str, head: SyncVersion, versions: Sequence[SyncVersion], here: Memory | None
    ) -> int:
        """Write a version into the store; returns what is then shown."""
        if head.body is None:
            return 0
        body = parse_body(head.body)
        if record.startswith(RELATION):
            return self._put_relation(record, body)
        if record.startswith(EXCHANGE):
            return self._put_exchange(record.removeprefix(EXCHANGE), body, head.author)
        tombstone = None if here else self._store.ledger.buried(record)
        if tombstone is not None and tombstone.reason != "expiry":
            return 0  # it was moved to the person's own store, or purged, which the next capture tells
        speaker = speaker_of(head, by_id(versions, self.me.author))
        own = speaker == self.me.author
        memory = memory_of(body, record, own=own, speaker=speaker, now=self._now, here=here)
        ingestion = self._services.ingestion
        if here is None:
            kept = ingestion.adopt(memory, (), now=self._now, actor=Actor.IMPORT, operation="sync")
            return kept.version if kept else 0
        memory = replace(
            memory,
            version=here.version,
            access_count=here.access_count,
            last_accessed_at=here.last_accessed_at,
            recorded_at=here.recorded_at,
        )
        reason = f"{head.author}: {head.operation}"
        return ingestion.change(
            here, memory, now=self._now, actor=Actor.IMPORT, operation="sync", reason=reason
        ).version

    def _put_relation(self, record: str, body: Body) -> int:
        relation = relation_of(body, record)
        if relation is None:
            source, type_, target = ends_of(record)
            self._store.relations.remove(source, target, type_, at=self._now)
            return _REMOVED
        refused: list[str] = []
        there = self._store.relations.put_all([relation], refused)
        self.problems += refused
        return _mark(relation_body(relation)) if there else 0

    def _put_exchange(self, id_: str, body: Body, author: str) -> int:
        """Keep what a teammate said; what this store read itself stays as it is."""
        if self._store.ledger.buried(id_):
            return 0
        exchanges = self._store.exchanges
        there = exchanges.get([id_])
        if there and is_own(there[0]):
            return mark_of(exchange_body(there[0], self._services.root))
        exchange = exchange_of(body, id_, author, self._now)
        # Another's version must not be kept under the name of who said the former.
        exchanges.delete(self.log.exchange_keys(id_))
        exchanges.put([(exchange, terms(exchange))], self._now)
        return mark_of(body)

    def _log_conflict(self, record: str, settled: Settled, head: Head | None) -> None:
        if settled.conflict:
            for other in settled.leaves:
                if other.body != settled.head.body:
                    one, two = sorted((settled.head.id, other.id))
                    at = to_micros(self._now)
                    self.log.found(Conflict(record, one, two, settled.head.id, self._strategy, at, None, ""))
        elif head is not None and abs(head.leaves) > 1:
            self.log.settle(record, to_micros(self._now), settled.head.author)

    # -- conflicts

    def resolve(self, record: str, chosen: SyncVersion) -> SyncVersion | None:
        """End a conflict: a version that replaces all leaves, and says what the chosen one says."""
        with self._store.transaction():
            self._show([record])  # what was edited here meanwhile is a version, too
            versions = self.log.of_records([record])[record]
            settled = settle(versions, self._strategy, self.me.author)
            if settled is None or settled.purged or len(settled.leaves) < 2:  # noqa: PLR2004  a conflict
                return None
            body = parse_body(chosen.body) if chosen.body else {}
            newest = max(settled.leaves, key=lambda one: one.clock)
            parents = tuple(sorted(one.id for one in settled.leaves))
            made = self._version(record, parents, "merge", body, self._now, newest)
            if made:
                self._written([made])
                self._show([record])
            return made

    # -- a copy of this store

    def leave_where_put_back(self, renewed: Callable[[], Identity]) -> bool:
        """Go on under another key if this one has signed numbers that are not in the store any more."""
        signed = int(self._vault.noted(self._noted) or 0)
        if signed <= (number := self.state.vector.get(self.me.replica, 0)):
            return False
        self.leave(number, renewed())
        return True

    def note(self) -> None:
        """Note on this machine, beside the store, up to which number the key has signed.

        A store that is put back to an older state would else give the same numbers again. A server or a
        teammate tells that, too, unless it was put back as well.
        """
        number = self.state.vector.get(self.me.replica, 0)
        if number > int(self._vault.noted(self._noted) or 0):
            self._vault.note(self._noted, str(number))

    @property
    def _noted(self) -> str:
        return f"signed {self.me.replica}"

    def leave(self, counter: int, me: Identity) -> None:
        """Go on under another key: what was written after a number under the old one is written anew.

        A copy of the store uses the old key, so two versions may have the same number.
        """
        with self._store.transaction():
            state, old = self.state, self.me.replica
            card = self.me.vouch(me.card(to_micros(self._now) // 1000))
            mine: list[SyncVersion] = []
            while found := self.log.after(old, counter + len(mine), CHUNK):
                mine += found
            self.log.drop_after(old, counter)
            vector = {**state.vector, old: counter}
            kept = _without(state.set_hash, mine)
            self.log.put_replica(Replica(card, trusted=True, applied=None))
            self.me = me
            self.log.put_state(replace(state, replica=me.replica, vector=vector, set_hash=kept))
            self._written(replace(one, replica=me.replica, signature="") for one in mine)


def _without(set_hash: str, versions: Sequence[SyncVersion]) -> str:
    total = int(set_hash or "0", 16) - int(add_to_hash("", versions), 16)
    return f"{total % MODULUS:064x}"


def _mark(body: Body) -> int:
    """A number that tells how a relation is; when it was found, and by what, is each store's own."""
    said = [round(body["strength"], 3), body["bidirectional"]]
    return int(sha256(canonical(said).encode()).hexdigest()[:13], 16) + 1


def _chunks(values: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    return (values[start : start + size] for start in range(0, len(values), size))
