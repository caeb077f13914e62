"""Finding memories: what every engine does alike.

How words match and which vectors are near is the engine's own.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from recortex.domain.search import Facts, Links
from recortex.storage.records.filters import where
from recortex.storage.records.rows import SELECT, json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.query import MemoryQuery
    from recortex.storage.database import Database
    from recortex.storage.records.memories import MemoryRecords
    from recortex.storage.records.vectors import VectorRecords

_COMPUTED = {"patterns": "(SELECT count(*) FROM memory_patterns p WHERE /*own p*/ p.memory_key = m.key)"}
_FACTS = ", ".join(_COMPUTED.get(name, f"m.{name}") for name in Facts._fields if name != "vector")
NOTHING: tuple[Any, ...] = ()
FLOAT = 4
"""Bytes of a number in a question's vector."""
LOOKALIKES = 8
"""How many known memories a new one is compared with."""


class SearchRecords:
    """The part of a `SearchStore` that is the same in every engine."""

    def __init__(self, database: Database, memories: MemoryRecords, vectors: VectorRecords) -> None:
        self._database = database
        self._memories = memories
        self._vectors = vectors
        self._sql = database.queries("search")

    def searchable(self) -> int:
        """About how many memories are indexed."""
        return int(self._database.value(self._sql["size"]))

    def known_speakers(self, words: Sequence[str]) -> list[str]:
        """The speakers among the words."""
        return [row[0] for row in self._database.rows(self._sql["known_speakers"], (json(list(words)),))]

    def vectors(self, keys: Sequence[int], model: str) -> dict[int, bytes]:
        """The vectors of memories by one embedder, as int8 codes."""
        model_key = self._vectors.model_key(model)
        if model_key is None:
            return {}
        rows = self._database.rows(self._sql["vectors"], (json(list(keys)), model_key))
        return {key: self._vectors.code(vector) for key, vector in rows}

    def facts(self, keys: Sequence[int], only: MemoryQuery, model: str | None) -> list[Facts]:
        """What is scored of those memories that pass the filter."""
        condition, values = where(only)
        model_key = self._vectors.model_key(model) if model else None
        column, join, first = "NULL", "", NOTHING
        if model_key is not None:
            column, first = self._vectors.COLUMN, (model_key,)
            join = "LEFT JOIN embeddings e ON /*own e*/ e.key = m.embedding_key AND e.model = ?"
        among = "m.key IN (SELECT value FROM json_each(?))"
        sql = f"SELECT {_FACTS}, {column} FROM memories m {join} WHERE /*own m*/ {among} AND {condition}"
        rows = self._database.rows(sql, (*first, json(list(keys)), *values))
        return [Facts._make((*row[:-1], row[-1] and self._vectors.code(row[-1]))) for row in rows]

    def around(self, keys: Sequence[int], radius: int) -> list[tuple[int, int]]:
        """Turns of the same session near each, as pairs."""
        rows = self._database.rows(self._sql["around"], (json(list(keys)), radius, radius))
        return [(key, neighbour) for key, neighbour in rows]

    def links(self, keys: Sequence[int]) -> Mapping[int, Links]:
        """The files and patterns of memories."""
        wanted = json(list(keys))
        files = self._grouped(self._sql["files"], wanted)
        patterns = self._grouped(self._sql["patterns"], wanted)
        return {key: Links(tuple(files[key]), tuple(patterns[key])) for key in {*files, *patterns}}

    def hubs(self, keys: Sequence[int]) -> dict[int, float]:
        """The centrality of those memories of which it is above a half.

        All relations are counted only where no memory is met that has twice as many as the most of these.
        """
        degrees = dict(self._database.rows(self._sql["degrees"], (json(list(keys)),)))
        if not degrees or self._database.rows(self._sql["pointed_at"], (2 * max(degrees.values()),)):
            return {}
        greatest = int(self._database.value(self._sql["greatest_degree"]))
        return {key: degree / greatest for key, degree in degrees.items() if 2 * degree > greatest}

    def memories(self, keys: Sequence[int]) -> dict[int, Memory]:
        """Memories by key."""
        among = "m.key IN (SELECT value FROM json_each(?))"
        rows = self._database.rows(
            f"SELECT {SELECT} FROM memories m WHERE /*own m*/ {among}", (json(list(keys)),)
        )
        return {row[0]: memory for row, memory in zip(rows, self._memories.from_rows(rows), strict=True)}

    def _grouped(self, sql: str, keys: str) -> defaultdict[int, list[Any]]:
        grouped: defaultdict[int, list[Any]] = defaultdict(list)
        for key, value in self._database.rows(sql, (keys,)):
            grouped[key].append(value)
        return grouped
