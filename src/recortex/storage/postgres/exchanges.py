"""Exchanges in PostgreSQL: with each, the words that it is found by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.domain.search import EXCHANGE_WEIGHTS_DOUBLED
from recortex.storage.postgres.search import asked_for, frequencies_of
from recortex.storage.postgres.words import words_of_columns
from recortex.storage.records.exchange_search import MOST_FOUND, ExchangeSearchRecords, rarest
from recortex.storage.records.exchanges import ExchangeRecords, where

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.exchange import ExchangeQuery
    from recortex.storage.postgres.memories import WordCounts
    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.search import Asked
    from recortex.storage.postgres.vector_index import PgVectors


class PgExchanges(ExchangeRecords):
    """Exchanges with the words that they are found by."""

    def __init__(self, database: PgDatabase, counts: WordCounts) -> None:
        super().__init__(database, database)
        self._counts = counts

    def found_by(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The words of an exchange; they are counted."""
        return self._counts.count(words_of_columns(row, EXCHANGE_WEIGHTS_DOUBLED))

    def forget_words(self, key: int) -> None:
        """Take an exchange's words out of the counts, before it is changed or deleted."""
        self._counts.take_out(self._rows("words_of", key))


class PgExchangeSearch(ExchangeSearchRecords):
    """The `ExchangeSearch` of a workspace."""

    def __init__(self, database: PgDatabase, vectors: PgVectors, counts: WordCounts) -> None:
        super().__init__(database, vectors)
        self._workspace = database.workspace
        self._counts = counts

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many exchanges contain it."""
        return frequencies_of(self._counts, words)

    def match(
        self, words: Mapping[str, int], limit: int, only: ExchangeQuery | None
    ) -> list[tuple[int, float]]:
        """Keys with their BM25 score over the parts, best first.

        The rarest words find, and more only where these find too few; all score.
        """
        search = asked_for(self._counts, self._workspace, list(words))
        if search is None:
            return []
        search = search.held().rarest_first()
        if not search.lexemes:
            return []
        finding, read = rarest(search.found)
        found = self._matching(search._replace(finding=finding), limit, only)
        if len(found) < limit and finding < len(search.found):
            found += self._matching(search._replace(finding=max(read, finding + 1)), limit, only)
        return sorted(dict(found).items(), key=lambda entry: (-entry[1], entry[0]))[:limit]

    def _matching(self, search: Asked, limit: int, only: ExchangeQuery | None) -> list[tuple[int, float]]:
        if only is None:
            rows = self._rows("match", limit, *search.values, search.most(MOST_FOUND))
            return [(key, score) for key, score in rows]
        condition, values = where(only)
        sql = self._sql["match_among"].replace("LIMIT ALL", f"LIMIT {MOST_FOUND}")
        rows = self._database.rows(sql.replace("1 = 1", condition), (limit, *search.values, *values))
        return [(key, score) for key, score in rows]
