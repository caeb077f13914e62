"""Finding memories: what every engine does alike.

How words match and which vectors are near is the engine's own.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Protocol

from recortex.domain.search import Facts, Links
from recortex.storage.records.filters import EVERYTHING, where
from recortex.storage.records.keywords import WordSearch
from recortex.storage.records.rows import SELECT
from recortex.storage.records.values import json
from recortex.storage.records.vectors import quantised

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.search import MemoryQuery
    from recortex.storage.database import Database
    from recortex.storage.records.filters import Clause
    from recortex.storage.records.keywords import Keywords
    from recortex.storage.records.memories import MemoryRecords
    from recortex.storage.records.values import Row
    from recortex.storage.records.vectors import VectorRecords

_COMPUTED = {"patterns": "(SELECT count(*) FROM memory_patterns p WHERE /*own p*/ p.memory_key = m.key)"}
_FACTS = ", ".join(_COMPUTED.get(name, f"m.{name}") for name in Facts._fields if name != "vector")
MANY, COARSE = 50_000, 400
"""From MANY memories on, COARSE are found by their signs and then compared by their codes. Of the true ten
nearest among a million, 90 by signs alone hold 78 %, and 46 % where all texts are much alike; of 400 the
best hold 94 and 68 (bench/scale.py)."""
NOTHING: tuple[Any, ...] = ()
FLOAT = 4
"""Bytes of a number in a question's vector."""
LOOKALIKES = 8
"""How many known memories a new one is compared with."""


class NearestFinder(Protocol):
    """An approximate index of a store's vectors."""

    def nearest(self, model: int, vector: bytes, limit: int, clause: Clause) -> list[int] | None:
        """Keys of the memories whose vectors are nearest, nearest first.

        Args:
            model: the embedder's key.
            vector: little-endian float32 values.
            limit: at most so many.
            clause: the condition on `memories m`, with its values.

        Returns:
            The keys; None where no index can be used, or too little of what is near passes the condition.
        """


class SearchRecords(WordSearch):
    """The part of a `SearchStore` that is the same in every engine."""

    topic = "search"

    def __init__(
        self,
        database: Database,
        keywords: Keywords,
        memories: MemoryRecords,
        vectors: VectorRecords,
        vector_index: NearestFinder,
    ) -> None:
        super().__init__(database, keywords)
        self._memories = memories
        self._vectors = vectors
        self._vector_index = vector_index

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
        clause = where(only) if only else EVERYTHING
        return self._keywords.match(words, limit, clause, all_required=all_required, score_only=score_only)

    def known_speakers(self, words: Sequence[str]) -> list[str]:
        """The speakers among the words."""
        return self._column("known_speakers", json(list(words)))

    def nearest(self, vector: bytes, limit: int, only: MemoryQuery | None, model: str) -> list[int]:
        """Keys by likeness, nearest first: by the index, else by the signs, which are bits.

        Empty where likeness cannot be computed.
        """
        model_key = self._vectors.model_key(model, len(vector) // FLOAT)
        if model_key is None:
            return []
        found = self._vector_index.nearest(model_key, vector, limit, where(only) if only else EVERYTHING)
        return self._by_signs(model_key, vector, limit, only) if found is None else found

    def _by_signs(self, model_key: int, vector: bytes, limit: int, only: MemoryQuery | None) -> list[int]:
        """As `nearest`, where no index answers."""
        above_zero = bytes(value > 0 for value in memoryview(vector).cast("f"))
        query, bindings = "nearest", [limit, model_key, self._vectors.signs(above_zero)]
        if coarse := self._coarse(limit):
            query = "nearest_of_many"
            bindings.append(self._vectors.column(quantised(vector)))
        sql = self._sql[query].replace("/*coarse*/", str(coarse))
        if only is not None:
            condition, values = where(only, after=len(bindings))
            among = f"SELECT m.embedding_key FROM memories m WHERE /*own m*/ {condition}"
            sql = sql.replace(
                "model = ?2", f"model = ?2 AND key IN ({among} AND m.embedding_key IS NOT NULL)"
            )
            bindings += values
        return [row[0] for row in self._database.rows(sql, bindings)]

    def _coarse(self, limit: int) -> int:
        """How many are found by their signs, to be compared by their codes; 0 where the signs decide."""
        return max(COARSE, limit) if self.searchable() >= MANY else 0

    def vectors(self, keys: Sequence[int], model: str) -> dict[int, bytes]:
        """The vectors of memories by one embedder, as int8 codes."""
        model_key = self._vectors.model_key(model)
        if model_key is None:
            return {}
        rows = self._rows("vectors", json(list(keys)), model_key)
        return {key: self._vectors.code(vector) for key, vector in rows}

    def pieces(self, keys: Sequence[int], model: str) -> dict[int, bytes]:
        """The word pieces of memories whose vector is by that embedder."""
        model_key = self._vectors.model_key(model)
        rows = self._rows("pieces", json(list(keys)), model_key) if model_key is not None else ()
        return {key: bytes(pieces) for key, pieces in rows}

    def facts(self, keys: Sequence[int], only: MemoryQuery, model: str | None) -> list[Facts]:
        """What is scored of those memories that pass the filter."""
        model_key = self._vectors.model_key(model) if model else None
        if model_key is None:
            return list(map(Facts._make, self._fact_rows(keys, only, "NULL")))
        return self._facts_with_vectors(keys, only, model_key)

    def _facts_with_vectors(self, keys: Sequence[int], only: MemoryQuery, model_key: int) -> list[Facts]:
        join = "LEFT JOIN embeddings e ON /*own e*/ e.key = m.embedding_key AND e.model = ?"
        rows = self._fact_rows(keys, only, self._vectors.COLUMN, join, model_key)
        return [Facts._make((*row[:-1], row[-1] and self._vectors.code(row[-1]))) for row in rows]

    def _fact_rows(
        self, keys: Sequence[int], only: MemoryQuery, column: str, join: str = "", *first: Any
    ) -> list[Row]:
        """The columns of `Facts`, with one more in place of the vector."""
        condition, values = where(only)
        among = "m.key IN (SELECT value FROM json_each(?))"
        sql = f"SELECT {_FACTS}, {column} FROM memories m {join} WHERE /*own m*/ {among} AND {condition}"
        return self._database.rows(sql, (*first, json(list(keys)), *values))

    def around(self, keys: Sequence[int], radius: int) -> list[tuple[int, int]]:
        """Turns of the same session near each, as pairs."""
        rows = self._rows("around", json(list(keys)), radius, radius)
        return [(key, neighbour) for key, neighbour in rows]

    def links(self, keys: Sequence[int]) -> Mapping[int, Links]:
        """The files and patterns of memories."""
        wanted = json(list(keys))
        files = self._grouped(self._sql["files"], wanted)
        patterns = self._grouped(self._sql["patterns"], wanted)
        return {key: Links(tuple(files[key]), tuple(patterns[key])) for key in {*files, *patterns}}

    def hubs(self, keys: Sequence[int]) -> dict[int, float]:
        """The centrality of those memories of which it is above a half.

        Counting all relations is slow: it is skipped where any memory has twice as many as the best of these,
        since then none of them is above a half.
        """
        degrees = dict(self._rows("degrees", json(list(keys))))
        if not degrees or self._rows("pointed_at", 2 * max(degrees.values())):
            return {}
        greatest = self._number("greatest_degree")
        return {key: degree / greatest for key, degree in degrees.items() if 2 * degree > greatest}

    def memories(
        self, keys: Sequence[int], confidence: Mapping[int, float] | None = None
    ) -> dict[int, Memory]:
        """Memories by key, with this confidence where one is given."""
        among = "m.key IN (SELECT value FROM json_each(?))"
        rows = self._database.rows(
            f"SELECT {SELECT} FROM memories m WHERE /*own m*/ {among}", (json(list(keys)),)
        )
        made = self._memories.from_rows(rows, confidence)
        return {row[0]: memory for row, memory in zip(rows, made, strict=True)}

    def _grouped(self, sql: str, keys: str) -> defaultdict[int, list[Any]]:
        grouped: defaultdict[int, list[Any]] = defaultdict(list)
        for key, value in self._database.rows(sql, (keys,)):
            grouped[key].append(value)
        return grouped
