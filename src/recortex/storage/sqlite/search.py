"""Finding memories in SQLite: words through FTS5, likeness through sqlite-vec."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from recortex.domain.maintenance import Degradation
from recortex.domain.search import Facts
from recortex.errors import CorruptStoreError
from recortex.ports.search import MOST_SCORED
from recortex.storage.records.filters import where
from recortex.storage.records.search import LOOKALIKES, NOTHING, SearchRecords
from recortex.storage.records.values import json
from recortex.storage.sqlite.maintenance import rebuild_index
from recortex.storage.sqlite.word_counts import WordCounts, literally

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.domain.search import MemoryQuery
    from recortex.storage.database import Bindings, Rows
    from recortex.storage.records.memories import MemoryRecords
    from recortex.storage.records.vectors import VectorRecords
    from recortex.storage.sqlite.pool import Pool
    from recortex.storage.sqlite.vector_index import VectorIndex
    from recortex.storage.sqlite.vectors_in_memory import VectorsInMemory

COUNTED = 10_000
"""Memories with a word are counted up to this number, and estimated above: counting so many takes half a
millisecond (bench/scale.py)."""


MANY_NEW = 32
"""From so many new memories on, known ones are found for all at once: NumPy takes longer to be loaded than
fewer searches take."""
_AS_FACTS = partial(tuple.__new__, Facts)
"""Makes facts of a tuple, a third quicker than `_make` does: a recall reads hundreds."""


class KeywordIndex:
    """Runs what reads or writes the index, directly or through a trigger."""

    def __init__(self, pool: Pool, on_degradation: Callable[[Degradation], None] = lambda _: None) -> None:
        self._pool = pool
        self._on_degradation = on_degradation

    def rows(self, sql: str, bindings: Bindings = ()) -> list[tuple[Any, ...]]:
        """All rows of a statement.

        Raises:
            CorruptStoreError: more than the index is damaged.
        """
        try:
            return self._pool.rows(sql, bindings)
        except CorruptStoreError as error:
            rebuild_index(self._pool)
            event = Degradation("keyword index", error.message, "rebuilt from the memories", recovered=True)
            self._on_degradation(event)
            return self._pool.rows(sql, bindings)


class SqliteSearch(SearchRecords):
    """The `SearchStore` of a SQLite database.

    Args:
        held: the vectors that this process has in memory.
        index: runs what reads the keyword index.
    """

    def __init__(
        self,
        pool: Pool,
        memories: MemoryRecords,
        vectors: VectorRecords,
        vector_index: VectorIndex,
        held: VectorsInMemory,
        index: Rows,
    ) -> None:
        super().__init__(pool, memories, vectors, vector_index)
        self._held = held
        self._index = index
        self._counts = WordCounts(
            pool, index, self._sql["frequencies"], "memories_fts", COUNTED, self.searchable
        )
        self._having = pool.queries("vectors")["having"]

    def _by_signs(self, model_key: int, vector: bytes, limit: int, only: MemoryQuery | None) -> list[int]:
        keys = None
        if only is None:
            keys = self._held.nearest(model_key, vector, limit, self._coarse(limit))
        if keys is None:
            return super()._by_signs(model_key, vector, limit, only)
        return [row[0] for row in self._database.rows(self._having, (json(keys),))]

    def _facts_with_vectors(self, keys: Sequence[int], only: MemoryQuery, model_key: int) -> list[Facts]:
        if not self._held.holds(model_key):
            return super()._facts_with_vectors(keys, only, model_key)
        rows = self._fact_rows(keys, only, "(SELECT number FROM vector_changes), m.embedding_key")
        wanted = [row[-1] for row in rows if row[-1] is not None]
        codes = self._held.codes(model_key, rows[0][-2], wanted) if rows else {}
        if codes is None:
            return super()._facts_with_vectors(keys, only, model_key)
        return list(map(_AS_FACTS, ((*row[:-2], codes.get(row[-1])) for row in rows)))

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many memories contain it; of a common one, estimated by the latest memories."""
        return self._counts.of(words)

    def holding(self, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
        """For each word, those of the memories that contain it."""
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
        """Keys of memories with any of the words, or all, best first; of equals the oldest first."""
        if not words:
            return []
        wanted = all_of(words) if all_required else any_of(words)
        found = self._matching(wanted, limit, only)
        if score_only:  # in one expression, the words would stand twice and count twice
            found += self._matching(f"({wanted}) AND ({any_of(score_only)})", limit, only)
        return best_of(found, limit)

    def _matching(self, expression: str, limit: int, only: MemoryQuery | None) -> list[tuple[int, float]]:
        sql, values = self._sql["match"], NOTHING
        if only is not None:
            condition, values = where(only)
            among = f"EXISTS (SELECT 1 FROM memories m WHERE m.key = memories_fts.rowid AND {condition})"
            sql = sql.replace("MATCH ?", f"MATCH ? AND {among}")
        bindings = (expression, *values, MOST_SCORED, limit)
        return [(key, score) for key, score in self._index.rows(sql, bindings)]

    def candidates(self, words: Sequence[str], *, terms: bool = False) -> list[tuple[str, str]]:
        """Living memories that share some of these words: (id, text), the most alike first."""
        if not words:
            return []
        return [
            (id_, known)
            for id_, known in self._index.rows(self._sql["lookalikes"], (any_of(words), terms, LOOKALIKES))
        ]

    def candidates_of_all(self, asked: Sequence[Sequence[str]]) -> list[list[tuple[str, str]]]:
        """As `candidates`, for each of many new memories: words that they share are looked up once."""
        if len(asked) < MANY_NEW:
            return [self.candidates(words) for words in asked]
        from recortex.storage.sqlite.lookalikes import lookalikes

        found = lookalikes(self._index, self._sql["alike"], asked)
        rows = self._rows("living", json(sorted({key for keys in found for key in keys})))
        living = {key: (id_, text) for key, id_, text in rows}
        return [[living[key] for key in keys if key in living] for keys in found]


def holding(index: Rows, sql: str, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
    """For each word, those of the keys whose rows hold it."""
    among = json(list(keys))
    return {word: frozenset(row[0] for row in index.rows(sql, (literally(word), among))) for word in words}


def best_of(found: Sequence[tuple[int, float]], limit: int) -> list[tuple[int, float]]:
    """Each key with its best score, best first; of equals the oldest first."""
    best = dict(sorted(found, key=lambda entry: entry[1]))
    return sorted(best.items(), key=lambda entry: (-entry[1], entry[0]))[:limit]


def any_of(words: Sequence[str]) -> str:
    """A full-text expression: any of the words, each taken literally but for `ANY_ENDING`."""
    return " OR ".join(map(literally, words))


def all_of(words: Sequence[str]) -> str:
    """A full-text expression: all of the words, each taken literally."""
    return " AND ".join(map(literally, words))
