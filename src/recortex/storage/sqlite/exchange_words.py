"""How many exchanges hold a word in SQLite.

A module of its own: the hook of a prompt needs no more of the exchanges, and starts anew each time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.storage.database import Records
from recortex.storage.sqlite.search import frequencies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.storage.database import Database, Rows

SAMPLED = 100
"""The latest so many exchanges with a word tell about how many hold it."""


class SqliteExchangeWords(Records):
    """The `ExchangeWords` of a SQLite database.

    Args:
        index: runs what reads the keyword index.
    """

    topic = "exchanges"

    def __init__(self, database: Database, index: Rows) -> None:
        super().__init__(database)
        self._index = index

    def size(self) -> int:
        """About how many exchanges are indexed."""
        return self._number("size")

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many exchanges contain it; of a common one about how many."""
        return frequencies(self._index, self._sql["frequencies"], words, SAMPLED, self.size())
