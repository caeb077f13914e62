"""Documents in PostgreSQL: with each chunk, the words that it is found by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.domain.search import CHUNK_WEIGHTS_DOUBLED
from recortex.ports.search import MOST_SCORED
from recortex.storage.postgres.search import asked_for, frequencies_of, holding
from recortex.storage.postgres.words import words_of_columns
from recortex.storage.records.chunk_search import ChunkSearchRecords, where
from recortex.storage.records.documents import DocumentRecords

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.query import MemoryQuery
    from recortex.storage.postgres.memories import WordCounts
    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.vector_index import PgVectors


class PgDocuments(DocumentRecords):
    """Documents, and chunks with the words that they are found by."""

    def __init__(self, database: PgDatabase, counts: WordCounts) -> None:
        super().__init__(database, database)
        self._counts = counts

    def found_by(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The words of a chunk; they are counted."""
        return self._counts.count(words_of_columns(row, CHUNK_WEIGHTS_DOUBLED))

    def forget_words(self, key: int) -> None:
        """Take a chunk's words out of the counts, before it is changed or deleted."""
        self._counts.take_out(self._database.rows(self._of_chunks["words_of"], (key,)))


class PgChunkSearch(ChunkSearchRecords):
    """The `ChunkSearch` of a workspace."""

    def __init__(self, database: PgDatabase, vectors: PgVectors, counts: WordCounts) -> None:
        super().__init__(database, vectors)
        self._workspace = database.workspace
        self._counts = counts

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many chunks contain it."""
        return frequencies_of(self._counts, words)

    def holding(self, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
        """For each word, those of the chunks that contain it."""
        return holding(self._database, self._workspace, self._sql["holding"], words, keys)

    def match(
        self,
        words: Sequence[str],
        limit: int,
        only: MemoryQuery | None,
        *,
        all_required: bool = False,
        score_only: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """Keys of chunks with any of the words, or all, best first; of equals the oldest first."""
        search = asked_for(
            self._counts, self._workspace, words, all_required=all_required, score_only=score_only
        )
        if search is None:
            return []
        condition, values = where(only)
        if not values:
            rows = self._rows("match", limit, *search.values, search.most())
        else:
            sql = self._sql["match_among"].replace("LIMIT ALL", f"LIMIT {MOST_SCORED}")
            rows = self._database.rows(sql.replace("1 = 1", condition), (limit, *search.values, *values))
        return [(key, score) for key, score in rows]
