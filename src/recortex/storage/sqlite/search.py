"""Finding memories in SQLite: words through FTS5, likeness through sqlite-vec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.ports.search import MOST_SCORED
from recortex.storage.records.filters import where
from recortex.storage.records.search import FLOAT, LOOKALIKES, NOTHING, SearchRecords
from recortex.storage.sqlite.vector_index import EVERYTHING, quantised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.domain.query import MemoryQuery
    from recortex.storage.database import Database, Rows
    from recortex.storage.records.memories import MemoryRecords
    from recortex.storage.records.vectors import VectorRecords
    from recortex.storage.sqlite.vector_index import VectorIndex

COUNTED = 10_000
"""So many memories with a word are counted: half a millisecond, 0.3 more for each 10,000 (bench/scale.py)."""
MANY, COARSE = 50_000, 400
"""Among so many memories so many are found by their signs and then compared by their codes. Of the true ten
nearest among a million, 90 by signs alone hold 78 %, and 46 % where all texts are much alike; of 400 the
best hold 94 and 68 (bench/scale.py)."""


class SqliteSearch(SearchRecords):
    """The `SearchStore` of a SQLite database.

    Args:
        index: runs what reads the keyword index.
        vector_index: finds vectors where they are too many to compare each.
    """

    def __init__(
        self,
        database: Database,
        index: Rows,
        memories: MemoryRecords,
        vectors: VectorRecords,
        vector_index: VectorIndex,
    ) -> None:
        super().__init__(database, memories, vectors)
        self._index = index
        self._vector_index = vector_index

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many memories contain it.

        Of a common one as many as if all were like the latest.
        """
        return [self._frequency(word) if word else 0 for word in words]

    def _frequency(self, word: str) -> int:
        count, oldest = self._index.rows(self._sql["frequency"], (_any([word]), COUNTED))[0]
        if count < COUNTED:
            return int(count)
        size = self.searchable()
        return int(max(COUNTED, COUNTED * size // max(size - oldest + 1, COUNTED)))

    def match(
        self,
        words: Sequence[str],
        limit: int,
        only: MemoryQuery | None,
        *,
        every: bool = False,
        also: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """Keys of memories with any of the words, or all, best first; of equals the oldest first."""
        if not words:
            return []
        wanted = _all(words) if every else _any(words)
        found = self._matching(wanted, limit, only)
        if also:  # one expression for both would have to name the words twice, and count them twice
            found += self._matching(f"({wanted}) AND ({_any(also)})", limit, only)
        best = dict(sorted(found, key=lambda entry: entry[1]))
        return sorted(best.items(), key=lambda entry: (-entry[1], entry[0]))[:limit]

    def _matching(self, expression: str, limit: int, only: MemoryQuery | None) -> list[tuple[int, float]]:
        sql, values = self._sql["match"], NOTHING
        if only is not None:
            condition, values = where(only)
            among = f"EXISTS (SELECT 1 FROM memories m WHERE m.key = memories_fts.rowid AND {condition})"
            sql = sql.replace("MATCH ?", f"MATCH ? AND {among}")
        bindings = (expression, *values, MOST_SCORED, limit)
        return [(key, score) for key, score in self._index.rows(sql, bindings)]

    def nearest(self, vector: bytes, limit: int, only: MemoryQuery | None, model: str) -> list[int]:
        """Keys by likeness, nearest first: by the index, else by the signs.

        Empty where likeness cannot be computed.
        """
        model_key = self._vectors.model_key(model, len(vector) // FLOAT)
        if model_key is None:
            return []
        condition, values = where(only) if only else EVERYTHING
        found = self._vector_index.nearest(model_key, vector, limit, (condition, values))
        if found is not None:
            return found
        signs = self._database.value(self._sql["signs"], (vector,))
        last: tuple[Any, ...]
        if self.searchable() < MANY:
            sql, last = self._sql["nearest"], (limit,)
        else:
            sql, last = self._sql["nearest_of_many"], (max(COARSE, limit), quantised(vector), limit)
        if only is not None:
            among = (
                f"SELECT m.embedding_key FROM memories m WHERE m.embedding_key IS NOT NULL AND {condition}"
            )
            sql = sql.replace("WHERE model = ?", f"WHERE key IN ({among}) AND model = ?")
        return [row[0] for row in self._database.rows(sql, (*values, model_key, signs, *last))]

    def candidates(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """Living memories that share some of these words: (id, text), the most alike first."""
        if not words:
            return []
        return [
            (id_, known)
            for id_, known in self._index.rows(self._sql["lookalikes"], (_any(words), LOOKALIKES))
        ]


def _any(words: Sequence[str]) -> str:
    """A full-text expression: any of the words, each taken literally."""
    return " OR ".join(map(_literally, words))


def _all(words: Sequence[str]) -> str:
    """A full-text expression: all of the words, each taken literally."""
    return " AND ".join(map(_literally, words))


def _literally(word: str) -> str:
    return '"' + word.replace('"', '""').replace("\0", "") + '"'
