"""How many rows of a keyword index hold each word, counted once while the index stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.search import ANY_ENDING, begins
from recortex.storage.records.values import json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.storage.database import Rows
    from recortex.storage.sqlite.pool import Pool

MOST_KEPT = 10_000
"""Words whose counts are kept: about a megabyte."""


class WordCounts:
    """Counts the rows of one keyword index.

    A count holds while FTS5's record of its segments, which counts what was ever written, and its totals
    of rows and words are the same: every change by whatever process changes one of the two.

    Args:
        pool: tells whether this thread is in a transaction, whose words may yet be gone.
        index: runs what reads the keyword index.
        sql: the query of a topic that counts.
        name: of the index.
        counted: rows with a word are counted up to this number, and estimated above by the latest.
        size: gives about how many rows there are.
    """

    def __init__(
        self, pool: Pool, index: Rows, sql: str, name: str, counted: int, size: Callable[[], int]
    ) -> None:
        self._pool, self._index, self._sql = pool, index, sql
        self._state = f"SELECT block FROM {name}_data WHERE id IN (1, 10)"  # totals, and the segments
        self._counted, self._size = counted, size
        self._kept: tuple[object, dict[str, int]] = (None, {})

    def of(self, words: Sequence[str]) -> list[int]:
        """How many rows hold each word; above what is counted, as if all were like the latest."""
        if self._pool.in_transaction:
            return self._count(words)
        state = self._index.rows(self._state)
        before, kept = self._kept
        if before != state or len(kept) > MOST_KEPT:
            kept = {}
            self._kept = state, kept
        if missing := [word for word in words if word not in kept]:
            kept.update(zip(missing, self._count(missing), strict=True))
        return [kept[word] for word in words]

    def _count(self, words: Sequence[str]) -> list[int]:
        found = self._index.rows(self._sql, (json([literally(word) for word in words]), self._counted))
        return [self._estimated(*map(int, row[0].split())) for row in found]

    def _estimated(self, count: int, oldest: int) -> int:
        if count < self._counted:
            return count
        size = self._size()
        return max(self._counted, self._counted * size // max(size - oldest + 1, self._counted))


def literally(word: str) -> str:
    """A word as a full-text expression, taken literally but for `ANY_ENDING`."""
    if begins(word):
        return f'"{word.removesuffix(ANY_ENDING)}" *'
    return '"' + word.replace('"', '""').replace("\0", "") + '"'
