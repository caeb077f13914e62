"""Finding exchanges in SQLite: words through FTS5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.storage.records.exchange_search import MOST_FOUND, ExchangeSearchRecords, rarest
from recortex.storage.records.exchanges import where
from recortex.storage.sqlite.search import any_of, best_of
from recortex.storage.sqlite.word_counts import WordCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.exchange import ExchangeQuery
    from recortex.storage.database import Rows
    from recortex.storage.records.vectors import VectorRecords
    from recortex.storage.sqlite.pool import Pool

SAMPLED = 100
"""The latest so many exchanges with a word tell about how many hold it."""


class SqliteExchangeSearch(ExchangeSearchRecords):
    """The `ExchangeSearch` of a SQLite database.

    Args:
        index: runs what reads the keyword index.
    """

    def __init__(self, pool: Pool, vectors: VectorRecords, index: Rows) -> None:
        super().__init__(pool, vectors)
        self._index = index
        self._counts = WordCounts(pool, index, self._sql["frequencies"], "exchanges_fts", SAMPLED, self.size)

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many exchanges contain it; of a common one about how many."""
        return self._counts.of(words)

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
