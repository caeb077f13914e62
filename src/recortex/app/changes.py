"""Finds what new memories end, and what probably led to what, after they were kept.

A memory is compared with the few that are nearest to it; which of the two is the newer one is told by when it
was said. What is sure replaces, as far as who said it allows (`engines/supersession/__init__.py`); what is
likely is marked, stands beside the other, and waits in `review`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.maintenance import Degradation
from recortex.domain.memory import CAUSAL, CONSENSUS, READER, Relation, Verdict
from recortex.domain.search import MemoryQuery
from recortex.domain.text import RULE
from recortex.domain.vocabulary import RelationStatus, RelationType, Status
from recortex.engines.graph.inference import common_names, infer
from recortex.engines.indexing import cosine, direction
from recortex.engines.similarity import query_terms
from recortex.engines.supersession import (
    Authority,
    authority_of,
    is_replaceable,
    may_replace,
    other_value,
    supporters,
)
from recortex.engines.supersession.reading import (
    LEAST_CHANCE,
    SUREST,
    Outcome,
    announces,
    changed_mind,
    may_end,
    read_together,
    read_words,
)
from recortex.errors import EmbeddingError, TextRefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

    from recortex.app.application import StoreServices
    from recortex.domain.memory import Memory
    from recortex.domain.vocabulary import Actor
    from recortex.engines.supersession.reading import Reading


NEAR = 8
"""Memories that are looked at for their vectors."""
MOST, AT_ONCE = 16, 4
"""Memories that one is read with: by the job, and while somebody waits (bench/changes.py)."""
CHANGES_NAME = "changes"
EVERY = 2**62
"""More memories than any store has."""
_STANDING = (Status.ACTIVE, Status.PROPOSED)


class Settled(NamedTuple):
    """How many memories were replaced, and how many pairs were marked."""

    replaced: int = 0
    marked: int = 0


class Changes:
    """Compares new memories of a store with what it knows.

    Args:
        services: the store's. Where no model is wanted, words alone decide.
    """

    def __init__(self, services: StoreServices) -> None:
        self._services, self._reader = services, services.change_reader

    def settle(self, memory: Memory, *, now: datetime, actor: Actor, most: int = MOST) -> Settled:
        """Let a memory end what it ends, or be ended by what was said after it.

        What was judged before is left as it is: what was undone, or what a person said that both hold.

        Args:
            memory: as it is stored.
            now: when.
            actor: on whose behalf.
            most: memories that it is read with at most, the likeliest ones.

        Raises:
            EmbeddingError: the model cannot be run here.
        """
        # Only verdicts of the present reader are known: a new one reads the pairs again.
        known_pairs = {(one.known_id, one.new_id) for one in self._verdicts(memory)}
        others = (other for other in self._candidates(memory) if not _apart(memory, other))
        ordered = (self._ordered(memory, other) for other in others)
        unread = (one for one in ordered if (one[0].id, one[1].id) not in known_pairs)
        # The cheap test comes before the limit, whose places are for pairs that may lead to something.
        pairs = list(islice((one for one in unread if may_end(one[0].text, one[1].text)), most))
        if not pairs:
            return Settled()
        # Words first: they cost nothing and are the surest. The model reads only what they leave open.
        words = [(known, new, read_words(known.text, new.text)) for known, new in pairs]
        done = self._act([(known, new, told) for known, new, told in words if told], now, actor)
        more = self._act(
            self._read(memory, [(known, new) for known, new, told in words if not told]), now, actor
        )
        return Settled(done.replaced + more.replaced, done.marked + more.marked)

    def _verdicts(self, memory: Memory) -> list[Verdict]:
        """What was read in pairs of a memory before: it stands, and is not read again."""
        return [one for one in self._services.store.relations.verdicts(memory.id) if one.reader == READER]

    def _read(
        self, memory: Memory, pairs: Sequence[tuple[Memory, Memory]]
    ) -> Iterator[tuple[Memory, Memory, Reading]]:
        """The known and the new one of each pair, and what a model reads in them."""
        if not (self._reader and pairs):
            return
        # The vectors of all pairs in one query.
        alike = self._likeness(memory, [other for pair in pairs for other in pair])
        for known, new in pairs:
            likeness = alike.get(known.id if new.id == memory.id else new.id)
            # Before the model runs, its surest answer is tried: if even that would lead to nothing, a
            # forward pass of it, the costly step, is saved.
            clauses = other_value(known.text, new.text)
            found = read_together(known.text, new.text, SUREST, likeness, SUREST if clauses else None)
            if found.outcome is not Outcome.NOTHING:  # else nothing comes of it, whatever the model reads
                try:
                    chances, *valued = self._reader.chances(
                        [(known.text, new.text), *filter(None, [clauses])]
                    )
                except TextRefusedError:  # this text alone cannot be read
                    return
                found = read_together(known.text, new.text, chances, likeness, *valued)
            if found.outcome is not Outcome.NOTHING or likeness is not None:  # else read again with vectors
                yield known, new, found

    @staticmethod
    def _ordered(memory: Memory, other: Memory) -> tuple[Memory, Memory]:
        """The known one and the new one, by when they were said."""
        # By when something was said and not by when it was kept: histories are imported late.
        return (memory, other) if other.valid_from > memory.valid_from else (other, memory)

    def _candidates(self, memory: Memory) -> list[Memory]:
        """Standing memories that a memory may end, or that may end it."""
        if not is_replaceable(memory.kind) or memory.status not in _STANDING:
            return []
        store = self._services.store
        near = self._near(memory)
        read = store.search.memories(near)
        ids = [one for one, _ in store.search.candidates(query_terms(memory.text))]
        worded = {one.id: one for one in store.memories.get(ids)}
        # Neighbours by vector and by words in turns, as only the first few pairs are read: neither of the two
        # may fill all the places.
        in_turns = zip_longest((read.get(key) for key in near), (worded.get(id_) for id_ in ids))
        found = {one.id: one for pair in in_turns for one in pair if one is not None}
        # What was decided about a pair before stands.
        judged = {one.other(memory.id) for one in store.relations.find_touching([memory.id]) if one.judged}
        return [
            one
            for one in found.values()
            if one.id not in judged | {memory.id}
            and one.status in _STANDING
            and is_replaceable(one.kind)
            # Equal texts are copies and no change of mind.
            and one.text != memory.text
        ]

    def _likeness(self, memory: Memory, others: Sequence[Memory]) -> dict[str, float]:
        """The cosine of a memory and others, by their ids; nothing of those without a vector."""
        wanted = self._services.embedding.wanted
        ids = list({memory.id, *(other.id for other in others)})
        codes = self._services.store.vectors.codes_of(ids, wanted) if wanted else {}
        mine = codes.get(memory.id)
        return {id_: cosine(mine, code) for id_, code in codes.items()} if mine else {}

    def _near(self, memory: Memory) -> Sequence[int]:
        """Keys of the memories with the nearest vectors; none before it has one."""
        wanted = self._services.embedding.wanted
        code = self._services.store.vectors.codes_of([memory.id], wanted).get(memory.id) if wanted else None
        if code is None:
            return ()
        only = MemoryQuery(statuses=_STANDING)
        return self._services.store.search.nearest(direction(code), NEAR + 1, only, wanted)

    def _act(self, found: Iterable[tuple[Memory, Memory, Reading]], now: datetime, actor: Actor) -> Settled:
        """Do what was read, and keep it with the pair."""
        read: list[tuple[Memory, Memory, Reading]] = []
        replaced = marked = 0
        store = self._services.store
        for known, new, verdict in found:
            if verdict.outcome is Outcome.NOTHING:
                read.append((known, new, verdict))
                continue
            with store.transaction():
                # Read again inside the transaction: the model took its time, and nothing was locked
                # meanwhile.
                current = {one.id: one for one in store.memories.get([known.id, new.id])}
                if any(_differs(current.get(one.id), one) for one in (known, new)):
                    continue  # another of these ended one of them, or another process changed it
                ingestion = self._services.ingestion
                replaces = verdict.outcome is Outcome.REPLACES
                # What may not replace is marked, if it is likely enough, and waits for a person.
                if replaces and self._may_end(new, known, verdict):
                    ingestion.supersede(
                        current[new.id], current[known.id], now=now, actor=actor, why=verdict.evidence
                    )
                    replaced += 1
                elif verdict.chance >= LEAST_CHANCE:
                    store.relations.put(_mark(known, new, verdict, now))
                    marked += 1
                # Without vectors no chance can be given. Keeping this as a verdict would mean that it is
                # never read again once there are some.
                elif not verdict.chance:
                    continue  # read again with vectors
            read.append((known, new, verdict))
        self._keep(read)
        return Settled(replaced, marked)

    def _keep(self, read: Sequence[tuple[Memory, Memory, Reading]]) -> None:
        """Keep what was read in pairs, with the versions that they have by now."""
        if not read:
            return
        store = self._services.store
        with store.transaction():
            ids = list({one.id for known, new, _ in read for one in (known, new)})
            # The versions of now: what was just replaced has another one than when it was read.
            current = {one.id: one for one in store.memories.get(ids)}
            store.relations.judge(
                [
                    Verdict(
                        known.id,
                        new.id,
                        READER,
                        current[known.id].version,
                        current[new.id].version,
                        verdict.outcome.value,
                        verdict.chance if verdict.outcome is not Outcome.NOTHING else 0.0,
                    )
                    for known, new, verdict in read
                    if not any(
                        one.id not in current or current[one.id].text != one.text for one in (known, new)
                    )
                ]
            )

    def _may_end(self, new: Memory, old: Memory, reading: Reading) -> bool:
        """Whether one memory may end another: who said it, and that not several others support the other."""
        if not may_replace(new, old, explicit=reading.explicit):
            return False
        # What several memories support is not ended by a single sentence; that is left to a person.
        store = self._services.store
        found = supporters(old.id, store.relations.find_touching([old.id]))
        known = store.memories.get(list(found)) if len(found) >= CONSENSUS else ()
        return sum(one.status is Status.ACTIVE for one in known) < CONSENSUS


def unread(services: StoreServices) -> list[tuple[int, str]]:
    """Keys and ids of the memories that the job has not compared with the others yet, in their order."""
    done = services.store.maintenance.all().get(CHANGES_NAME)
    # Keys ascend, so that one number tells how far the job has come.
    return services.store.memories.added_after(done.outcome.get("key", 0) if done else 0, EVERY)


def settled(services: StoreServices, memory: Memory, now: datetime, actor: Actor) -> Memory:
    """A new memory that announces a change, after it ended what it ends; what others end is found by the job.

    Where the model cannot be run, words decided alone.
    """
    # Most memories announce no change: they are left to the job, so that nobody waits for it.
    if announces(memory.text):
        try:
            Changes(services).settle(memory, now=now, actor=actor, most=AT_ONCE)
        except EmbeddingError as error:
            event = Degradation("changes", error.message, "words alone decide what a new memory ends")
            services.store.ledger.degrade(event, now)
    (current,) = services.store.memories.get([memory.id])
    return current


def _apart(one: Memory, other: Memory) -> bool:
    """Whether neither of two memories can be a change of mind about the other.

    They stand in one commit or message, of which only a part of a message may end another; or in files of
    instructions, which all hold as they stand now; or a file that anybody may write stands against the
    person's word.
    """
    if RULE in {one.source.rule, other.source.rule}:
        return one.source.rule == other.source.rule or {authority_of(one), authority_of(other)} == {
            Authority.UNTRUSTED,
            Authority.PERSON,
        }
    # What stands in one file since the same moment holds together: neither came later.
    same = one.valid_from == other.valid_from and one.source.path == other.source.path != ""
    spoken = one.source.session and (changed_mind(one.text) or changed_mind(other.text))
    return same and not spoken


def _differs(current: Memory | None, read: Memory) -> bool:
    return current is None or (current.status, current.text) != (read.status, read.text)


def _mark(known: Memory, new: Memory, verdict: Reading, now: datetime) -> Relation:
    """A contradiction that a person is to decide."""
    return Relation(
        new.id,
        known.id,
        RelationType.CONTRADICTS,
        now,
        strength=round(verdict.chance, 3),
        evidence=(verdict.evidence,),
        inferred=True,
        status=RelationStatus.SUGGESTED,
        # Each of the two contradicts the other.
        bidirectional=True,
    )


# -- infers in a store what probably led to what, and keeps it as suggestions


KNOWN = (Status.ACTIVE, Status.PROPOSED, Status.SUPERSEDED)
"""What was replaced is often what led to something."""
CAUSES_MOST = 300
"""Memories of a session that are compared with each other: the last ones."""
MOST_COMMON = 2_000
"""The latest memories, which tell the names that much of a project is about."""


def inferred_in_session(
    services: StoreServices, session: str, common: frozenset[str], now: datetime, *, also: Sequence[str] = ()
) -> list[Relation]:
    """What is inferred among the memories of a session, and others by their ids."""
    memories = (
        services.store.memories.find(MemoryQuery(statuses=KNOWN, session=session, descending=False))
        if session
        else []
    )
    known = {one.id: one for one in (*memories, *services.store.memories.get(list(also)))}
    memories = list(known.values())
    # Bounded, as the pairs grow with the square; the last ones are what a session led to.
    some = memories[-CAUSES_MOST:]
    return infer(some, cosines(services, some), now, common)


def common_in(services: StoreServices) -> frozenset[str]:
    """The names that much of a project is about: they connect nothing."""
    return common_names(services.store.memories.find(MemoryQuery(statuses=KNOWN, limit=MOST_COMMON)))


def new_ones(services: StoreServices, relations: Sequence[Relation]) -> list[Relation]:
    """Those of inferred relations that are to be kept.

    A pair that somebody took a causal relation from is left alone, and so is one that has one; but a relation
    that waits becomes active when other evidence for it is found.
    """
    store = services.store
    ids = sorted({id_ for one in relations for id_ in (one.source_id, one.target_id)})
    # By their ends, not by type or direction: who rejects "A led to B" does not want "B led to A" either.
    rejected = {
        _ends(one.relation)
        for one in store.relations.former(ids)
        if one.reason == "rejected" and one.relation.type in CAUSAL
    }
    known: dict[frozenset[str], list[Relation]] = {}
    for one in store.relations.find_touching(ids):
        if one.type in CAUSAL:
            known.setdefault(_ends(one), []).append(one)
    found = (
        one if _ends(one) not in known else _corroborated(known[_ends(one)], one)
        for one in relations
        if _ends(one) not in rejected
    )
    return [one for one in found if one is not None]


def keep_inferred(services: StoreServices, relations: Sequence[Relation]) -> list[Relation]:
    """Keep those that are new; returns what was kept or corroborated."""
    with services.store.transaction():
        return [one for one in new_ones(services, relations) if services.store.relations.put_all([one])]


def _corroborated(known: Sequence[Relation], new: Relation) -> Relation | None:
    """The suggestion that stands, made active by evidence of another kind; None where there is no such."""
    for one in known:
        # Only what waits is made active: what is active needs no more evidence.
        waits = one.inferred and one.status is RelationStatus.SUGGESTED and one.type is new.type
        if waits and {_course(each) for each in new.evidence[:1]} - {_course(each) for each in one.evidence}:
            evidence = (*one.evidence, *new.evidence[:1])
            strength = max(one.strength, new.strength)
            return replace(one, evidence=evidence, strength=strength, status=RelationStatus.ACTIVE)
    return None


def _course(evidence: str) -> str:
    """What a sentence of evidence says, without how many turns later."""
    # How many turns later differs each time, and would make each sentence other evidence.
    return evidence.rstrip("0123456789 .turnslae").partition(",")[0]


def _ends(relation: Relation) -> frozenset[str]:
    return frozenset((relation.source_id, relation.target_id))


def cosines(services: StoreServices, memories: Sequence[Memory]) -> Callable[[str, str], float | None]:
    """The likeness of two of some memories by their vectors; None where one has none."""
    model = services.embedding.wanted
    codes = services.store.vectors.codes_of([one.id for one in memories], model) if model else {}
    return lambda one, other: cosine(codes[one], codes[other]) if {one, other} <= codes.keys() else None
