"""Finding exchanges in SQLite: words through FTS5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.ports.search import MOST_SCORED
from recortex.storage.records.chunk_search import (
    MOST_FOUND,
    ChunkSearchRecords,
    ExchangeSearchRecords,
    rarest,
)
from recortex.storage.records.chunk_search import where as chunk_search_where
from recortex.storage.records.exchanges import where
from recortex.storage.sqlite.exchange_words import SqliteExchangeWords
from recortex.storage.sqlite.search import COUNTED, all_of, any_of, best_of, holding
from recortex.storage.sqlite.word_counts import WordCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.exchange import ExchangeQuery
    from recortex.domain.search import MemoryQuery
    from recortex.storage.database import Rows
    from recortex.storage.records.vectors import VectorRecords
    from recortex.storage.sqlite.pool import Pool


class SqliteExchangeSearch(SqliteExchangeWords, ExchangeSearchRecords):
    """The `ExchangeSearch` of a SQLite database.

    Args:
        index: runs what reads the keyword index.
    """

    def __init__(self, pool: Pool, vectors: VectorRecords, index: Rows) -> None:
        ExchangeSearchRecords.__init__(self, pool, vectors)
        self._count_in(pool, index)
        self._index = index

    def match(
        self, words: Mapping[str, int], limit: int, only: ExchangeQuery | None
    ) -> list[tuple[int, float]]:
        """Keys with their BM25 score over the parts, best first.

        The rarest words find, and more only where these find too few; as many score as can be read in time.
        """
        known = sorted((word for word, count in words.items() if count), key=words.__getitem__)
        if not known:
            return []
        finding, read = rarest([words[word] for word in known])
        wanted, also = any_of(known[:finding]), any_of(known[finding:read])
        found = self._matching(wanted, limit, only)
        if also:
            found += self._matching(f"({wanted}) AND ({also})", limit, only)
        if len(dict(found)) < limit and finding < len(known):
            found += self._matching(any_of(known[: max(read, finding + 1)]), limit, only)
        return best_of(found, limit)

    def _matching(self, expression: str, limit: int, only: ExchangeQuery | None) -> list[tuple[int, float]]:
        condition, values = where(only)
        sql = self._sql["match"]
        if values:
            among = f"EXISTS (SELECT 1 FROM exchanges x WHERE x.key = exchanges_fts.rowid AND {condition})"
            sql = sql.replace("MATCH ?", f"MATCH ? AND {among}")
        return list(self._index.rows(sql, (expression, *values, MOST_FOUND, limit)))


# -- finding chunks of documents in SQLite: words through FTS5


class SqliteChunkSearch(ChunkSearchRecords):
    """The `ChunkSearch` of a SQLite database.

    Args:
        index: runs what reads the keyword index.
    """

    def __init__(self, pool: Pool, vectors: VectorRecords, index: Rows) -> None:
        super().__init__(pool, vectors)
        self._index = index
        self._counts = WordCounts(
            pool, index, self._sql["frequencies"], "chunks_fts", COUNTED, self.searchable
        )

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many chunks contain it; of a common one, estimated by the latest."""
        return self._counts.of(words)

    def holding(self, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
        """For each word, those of the chunks that contain it."""
        return holding(self._index, self._sql["holding"], words, keys)

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
        if not words:
            return []
        wanted = all_of(words) if all_required else any_of(words)
        found = self._matching(wanted, limit, only)
        if score_only:  # in one expression, the words would stand twice and count twice
            found += self._matching(f"({wanted}) AND ({any_of(score_only)})", limit, only)
        return best_of(found, limit)

    def _matching(self, expression: str, limit: int, only: MemoryQuery | None) -> list[tuple[int, float]]:
        condition, values = chunk_search_where(only)
        sql = self._sql["match"]
        if values:
            among = f"EXISTS (SELECT 1 FROM chunks x WHERE x.key = chunks_fts.rowid AND {condition})"
            sql = sql.replace("MATCH ?", f"MATCH ? AND {among}")
        return list(self._index.rows(sql, (expression, *values, MOST_SCORED, limit)))
