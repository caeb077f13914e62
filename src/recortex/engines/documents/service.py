"""Answers questions from the documents of one store."""

from __future__ import annotations

from itertools import islice
from math import exp
from typing import TYPE_CHECKING

from recortex.domain.document import ChunkHit
from recortex.domain.query import MemoryQuery
from recortex.engines.documents.floor import answerable
from recortex.engines.documents.passages import passage
from recortex.engines.retrieval.floor import FLOOR, NEAR, in_common
from recortex.engines.retrieval.question import index_form, question
from recortex.engines.retrieval.service import Retrieval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recortex.domain.document import Chunk
    from recortex.domain.hit import Recipe
    from recortex.engines.retrieval.asking import Meaning
    from recortex.engines.retrieval.scorer import Scored
    from recortex.ports.documents import ChunkSearch

LEAST_SHARE = 0.6
"""A frame tells no chunk whose sum is less than this part of the best one's: of 49 questions all had their
answer above 0.77 (docs/documents.md)."""
LOADED = 20
"""Chunks that are read at once for a frame."""
LEAST_OF_TASK = 2
"""Words of a task beside its new names, so that documents may bear on it."""
PASSAGE, AROUND = 150, 30
"""Tokens of the lines that are shown of a chunk, and of what says where they stand."""


class ChunkRetrieval:
    """Answers questions from the chunks of one store.

    Args:
        search: over the chunks.
        count: tokens of a text.
    """

    def __init__(self, search: ChunkSearch, count: Callable[[str], int]) -> None:
        self._search = search
        self._count = count
        self._retrieval = Retrieval(search)  # the question's vector is given: nothing is embedded here

    def recall(
        self,
        question: str,
        *,
        limit: int,
        now: datetime,
        meaning: Meaning,
        recipe: Recipe = "hybrid",
        only: MemoryQuery | None = None,
        floor: bool = True,
        task: bool = False,
    ) -> list[ChunkHit]:
        """The chunks that answer, best first, each by the lines that do; none where no document can.

        Args:
            question: any text.
            limit: at most so many.
            now: the time for which recency is computed.
            meaning: of the question in any store: its vector is used.
            recipe: which signals are used.
            only: filters; those that no document can pass or fail are not used.
            floor: False to get the best, however weak.
            task: whether it is something to be done, not a question.
        """
        found = self.ranked(
            question, now=now, meaning=meaning, recipe=recipe, only=only, floor=floor, task=task
        )
        best = list(islice(found, limit))
        chunks = self._search.chunks([one.facts.key for one, _ in best])
        words = meaning.asked.words
        return [
            self._hit(chunks[one.facts.key], one, score, words)
            for one, score in best
            if one.facts.key in chunks
        ]

    def ranked(
        self,
        question: str,
        *,
        now: datetime,
        meaning: Meaning,
        recipe: Recipe,
        only: MemoryQuery | None = None,
        floor: bool = True,
        task: bool = False,
    ) -> list[tuple[Scored, float]]:
        """The chunks that may answer with their scores from 0 to 1, best first."""
        if not self._search.searchable():
            return []
        own = self._retrieval.meaning(question, recipe="keyword", in_play=meaning.in_play)
        if task:
            own = self._without_new_names(own)
        considered = self._retrieval.consider(
            question,
            now=now,
            recipe=recipe,
            only=only or MemoryQuery(),
            meaning=own.with_vector_of(meaning),
        )
        best = answerable(considered.support, self._search.searchable()) if considered.scored else 0.0
        if floor and best < FLOOR:
            return []
        found = [one for one in considered.scored if not floor or in_common(one)]
        top = found[0].total if found else 0.0
        return [(one, best * exp(max((one.total - top) / NEAR, -60.0))) for one in found]

    def _without_new_names(self, meaning: Meaning) -> Meaning:
        """A task without the names that no document has, if there is enough besides.

        A question about an unknown name has no answer here. A task may be to add just what the name stands
        for: documents that tell how such things are added bear on it.
        """
        asked, known = meaning.asked, meaning.vocabulary.frequency
        new = {name for name in asked.names if not known.get(name)}
        kept = [word for word in asked.typed if index_form(word) not in new]
        if not new or len(question(" ".join(kept)).words) < LEAST_OF_TASK:
            return meaning
        return self._retrieval.meaning(" ".join(kept), recipe="keyword", in_play=meaning.in_play)

    def for_frame(
        self, task: str, *, now: datetime, meaning: Meaning, only: MemoryQuery
    ) -> tuple[int, Iterator[tuple[Chunk, float]]]:
        """How many chunks bear on a task; and these with their scores, best first, read when they are wanted.

        Args:
            task: any text.
            now: the time for which recency is computed.
            meaning: of the task in any store: its vector is used.
            only: filters.
        """
        ranked = self.ranked(task, now=now, meaning=meaning, recipe="frame", only=only, task=True)
        least = LEAST_SHARE * ranked[0][0].total if ranked else 0.0
        scores = {one.facts.key: score for one, score in ranked if one.total >= least}
        return len(scores), self._read(scores)

    def _read(self, scores: Mapping[int, float]) -> Iterator[tuple[Chunk, float]]:
        keys = list(scores)
        for start in range(0, len(keys), LOADED):
            found = self._search.chunks(keys[start : start + LOADED])
            yield from ((found[key], scores[key]) for key in keys[start : start + LOADED] if key in found)

    def _hit(self, chunk: Chunk, one: Scored, score: float, words: Sequence[str]) -> ChunkHit:
        text, first, last = passage(chunk, words, PASSAGE, self._count)
        return ChunkHit(
            id=chunk.id,
            path=chunk.path,
            first_line=first,
            last_line=last,
            headings=chunk.headings,
            text=text,
            domain=chunk.domain,
            score=score,
            signals=one.signals,
            tokens=AROUND + self._count(text),
        )
