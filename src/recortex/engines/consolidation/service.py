"""Consolidation: finds pairs of duplicates, and merges two memories after a backup."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.checkpoint import Checkpoint
from recortex.domain.search import MemoryQuery
from recortex.engines.consolidation.copies import overlapping
from recortex.engines.consolidation.duplicates import (
    Duplicate,
    as_duplicate,
    better_of,
    due,
    mergeable_kind,
    ranked,
    recorded_pairs,
    similar_vectors,
)
from recortex.engines.consolidation.merging import merge
from recortex.engines.languages import reads
from recortex.engines.words import bag_of_words

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from recortex.domain.memory import Memory
    from recortex.engines.consolidation.duplicates import Due
    from recortex.ports.store import Store

CHECKPOINT = "consolidation"
"""The name of the checkpoint that says when duplicates were last looked for."""
MOST_SESSIONS = 100
"""The latest sessions that are counted; the threshold is a tenth of it."""


class Duplicates(NamedTuple):
    """The pairs of one store, most alike first, their number, and whether the search was complete."""

    pairs: tuple[Duplicate, ...]
    total: int
    complete: bool


class Consolidation:
    """Finds duplicates in one store, and composes what would stand for both.

    Args:
        store: where the memories are.
        count: counts the tokens of a text.
        new_id: makes the ids of merged memories.
    """

    def __init__(
        self,
        store: Store,
        *,
        count: Callable[[str], int],
        new_id: Callable[[], str] = lambda: str(uuid.uuid4()),
    ) -> None:
        self._store = store
        self._count = count
        self._new_id = new_id

    def duplicates(self, model: str, limit: int) -> Duplicates:
        """Every pair of active memories above the thresholds, and those that ingestion related as candidates.

        Args:
            model: the embedder whose vectors are compared; empty where there are none.
            limit: how many pairs to describe.
        """
        found = self._store.memories.find(MemoryQuery(order="updated"))
        memories = {memory.id: memory for memory in found if mergeable_kind(memory)}
        words = overlapping({id_: bag_of_words(memory.text) for id_, memory in memories.items()})
        codes = self._store.vectors.codes_of(list(memories), model) if model else {}
        told = [id_ for id_, memory in memories.items() if id_ in codes and reads(model, memory.text)]
        meaning = similar_vectors({id_: codes[id_] for id_ in told})
        recorded = recorded_pairs(self._store.relations.all())
        pairs = ranked(memories, words.pairs, meaning.pairs, recorded)
        best = tuple(as_duplicate(memories, one) for one in pairs[:limit])
        return Duplicates(best, len(pairs), words.complete and meaning.complete)

    def merged(self, a: Memory, b: Memory, *, text: str, person: bool, now: datetime) -> Memory:
        """The memory that would stand for both; nothing is written.

        Raises:
            InvalidInputError: the text does not fit.
        """
        better, other = better_of(a, b)
        return merge(better, other, id_=self._new_id(), text=text, person=person, now=now, count=self._count)

    def record_search(self, now: datetime, pairs: int) -> None:
        """Record that somebody looked for duplicates."""
        checkpoint = Checkpoint(
            path=CHECKPOINT, session_id="", client=CHECKPOINT, position=pairs, turns=0, extracted_at=now
        )
        with self._store.transaction():
            self._store.ledger.save_checkpoint(checkpoint)

    def due(self) -> Due:
        """What was learned since somebody last looked."""
        last = self._store.ledger.checkpoint(CHECKPOINT)
        since = last.extracted_at if last else None
        captured = [session.captured_at for session in self._store.sessions.recent(MOST_SESSIONS)]
        return due(
            since,
            extractions=sum(at is not None and (since is None or at > since) for at in captured),
            memories=self._store.memories.count(MemoryQuery(recorded_after=since)),
        )
