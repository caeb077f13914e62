"""How many exchanges hold a word in SQLite.

A module of its own: the hook of a prompt needs no more of the exchanges, and starts anew each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.storage.database import Records
from recortex.storage.sqlite.word_counts import WordCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.storage.database import Rows
    from recortex.storage.sqlite.pool import Pool

SAMPLED = 100
"""The latest so many exchanges with a word tell about how many hold it."""


class SqliteExchangeWords(Records):
    """The `ExchangeWords` of a SQLite database.

    Args:
        index: runs what reads the keyword index.
    """

    topic = "exchanges"

    def __init__(self, pool: Pool, index: Rows) -> None:
        super().__init__(pool)
        self._count_in(pool, index)

    def _count_in(self, pool: Pool, index: Rows) -> None:
        self._counts = WordCounts(pool, index, self._sql["frequencies"], "exchanges_fts", SAMPLED, self.size)

    def size(self) -> int:
        """About how many exchanges are indexed."""
        return self._number("size")

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many exchanges contain it; of a common one about how many."""
        return self._counts.of(words)
