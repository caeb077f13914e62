"""Finds what new memories end, after they were kept: candidates by words and by vectors, read together.

A memory is compared with the few that are nearest to it; which of the two is the newer one is told by when it
was said. What is sure replaces, as far as who said it allows (`engines/supersession/service.py`); what is
likely is marked, stands beside the other, and waits in `review`.
"""

from __future__ import annotations

from itertools import islice, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.relation import Relation
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import RelationStatus, RelationType, Status
from recortex.engines.indexing.vectors import cosine, direction
from recortex.engines.ingestion.merging import query_terms
from recortex.engines.supersession.detection import Outcome, find_supersession
from recortex.engines.supersession.reading import may_end, read_together
from recortex.engines.supersession.service import is_replaceable
from recortex.errors import TextRefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from recortex.app.store_services import StoreServices
    from recortex.domain.memory import Memory
    from recortex.domain.vocabulary import Actor
    from recortex.engines.supersession.detection import SupersessionVerdict
    from recortex.ports.embedding import ChangeReader

NEAR = 8
"""Memories that are looked at for their vectors."""
MOST, AT_ONCE = 16, 4
"""Memories that one is read with: by the job, and while somebody waits (bench/changes.py)."""
_STANDING = (Status.ACTIVE, Status.PROPOSED)


class Settled(NamedTuple):
    """How many memories were replaced, and how many pairs were marked."""

    replaced: int = 0
    marked: int = 0


class Changes:
    """Compares new memories of a store with what it knows.

    Args:
        services: the store's.
        reader: reads two statements together.
    """

    def __init__(self, services: StoreServices, reader: ChangeReader) -> None:
        self._services, self._reader = services, reader

    @classmethod
    def of(cls, services: StoreServices) -> Changes | None:
        """Of a store; None where no model is wanted."""
        return cls(services, services.change_reader) if services.change_reader else None

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
        ordered = (self._ordered(memory, other) for other in self._candidates(memory))
        pairs = list(islice((one for one in ordered if may_end(one[0].text, one[1].text)), most))
        if not pairs:
            return Settled()
        try:
            read = self._reader.chances([(known.text, new.text) for known, new in pairs])
        except TextRefusedError:  # this text alone cannot be read
            return Settled()
        alike = self._likeness(memory, [other for pair in pairs for other in pair])
        verdicts = (
            read_together(
                known.text,
                new.text,
                find_supersession(new.text, known.text),
                chances,
                alike.get(known.id if new.id == memory.id else new.id),
            )
            for (known, new), chances in zip(pairs, read, strict=True)
        )
        return self._act(
            [(*pair, verdict) for pair, verdict in zip(pairs, verdicts, strict=True)], now, actor
        )

    @staticmethod
    def _ordered(memory: Memory, other: Memory) -> tuple[Memory, Memory]:
        """The known one and the new one, by when they were said."""
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
        in_turns = zip_longest((read.get(key) for key in near), (worded.get(id_) for id_ in ids))
        found = {one.id: one for pair in in_turns for one in pair if one is not None}
        judged = {one.other(memory.id) for one in store.relations.of([memory.id]) if one.judged}
        return [
            one
            for one in found.values()
            if one.id not in judged | {memory.id}
            and one.status in _STANDING
            and is_replaceable(one.kind)
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

    def _act(
        self, found: Sequence[tuple[Memory, Memory, SupersessionVerdict]], now: datetime, actor: Actor
    ) -> Settled:
        replaced = marked = 0
        store = self._services.store
        for known, new, verdict in found:
            if verdict.outcome is Outcome.NOTHING:
                continue
            with store.transaction():
                current = {one.id: one for one in store.memories.get([known.id, new.id])}
                if any(_differs(current.get(one.id), one) for one in (known, new)):
                    continue  # another of these ended one of them, or another process changed it
                ingestion = self._services.ingestion
                replaces = verdict.outcome is Outcome.REPLACES
                if replaces and ingestion.ending.may_end(new, known, verdict):
                    ingestion.supersede(
                        current[new.id], current[known.id], now=now, actor=actor, why=verdict.evidence
                    )
                    replaced += 1
                else:
                    store.relations.put(_mark(known, new, verdict, now))
                    marked += 1
        return Settled(replaced, marked)


def _differs(current: Memory | None, read: Memory) -> bool:
    return current is None or (current.status, current.text) != (read.status, read.text)


def _mark(known: Memory, new: Memory, verdict: SupersessionVerdict, now: datetime) -> Relation:
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
        bidirectional=True,
    )
