"""Finding memories in SQLite: words through FTS5, likeness through sqlite-vec."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from recortex.ports.search import Facts, Links
from recortex.storage.queries import queries
from recortex.storage.sqlite.filters import where
from recortex.storage.sqlite.rows import SELECT, json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.query import MemoryQuery
    from recortex.storage.sqlite.index import KeywordIndex
    from recortex.storage.sqlite.memories import SqliteMemories
    from recortex.storage.sqlite.pool import Pool
    from recortex.storage.sqlite.vectors import SqliteVectors

_FACTS = ", ".join(f"m.{name}" for name in Facts._fields if name != "vector")
_NOTHING: tuple[Any, ...] = ()
_LOOKALIKES = 8
"""How many known memories a new one is compared with."""


class SqliteSearch:
    """The `SearchStore` of a SQLite database."""

    def __init__(
        self, pool: Pool, index: KeywordIndex, memories: SqliteMemories, vectors: SqliteVectors
    ) -> None:
        self._pool = pool
        self._index = index
        self._memories = memories
        self._vectors = vectors
        self._sql = queries("search")

    def searchable(self) -> int:
        """About how many memories are indexed."""
        return int(self._pool.value(self._sql["size"]))

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many memories contain it."""
        sql = self._sql["frequency"]
        return [int(self._index.rows(sql, (_any([word]),))[0][0]) if word else 0 for word in words]

    def known_speakers(self, words: Sequence[str]) -> list[str]:
        """The speakers among the words."""
        return [row[0] for row in self._pool.rows(self._sql["known_speakers"], (json(list(words)),))]

    def match(self, words: Sequence[str], limit: int, only: MemoryQuery | None) -> list[tuple[int, float]]:
        """Keys of memories with any of the words, best first."""
        if not words:
            return []
        sql, values = self._sql["match"], _NOTHING
        if only is not None:
            condition, values = where(only)
            among = f"MATCH ? AND rowid IN (SELECT m.key FROM memories m WHERE {condition})"
            sql = sql.replace("MATCH ?", among)
        return [(key, score) for key, score in self._index.rows(sql, (_any(words), *values, limit))]

    def nearest(self, vector: bytes, limit: int, only: MemoryQuery | None, model: str) -> list[int]:
        """Keys by likeness of the signs, nearest first; empty where likeness cannot be computed."""
        model_key = self._vectors.model_key(model)
        if model_key is None:
            return []
        sql, values = self._sql["nearest"], _NOTHING
        if only is not None:
            condition, values = where(only)
            among = (
                f"SELECT m.embedding_key FROM memories m WHERE m.embedding_key IS NOT NULL AND {condition}"
            )
            sql = sql.replace("WHERE model = ?", f"WHERE key IN ({among}) AND model = ?")
        signs = self._pool.value(self._sql["signs"], (vector,))
        return [row[0] for row in self._pool.rows(sql, (*values, model_key, signs, limit))]

    def vectors(self, keys: Sequence[int], model: str) -> dict[int, bytes]:
        """The vectors of memories by one embedder, as int8 codes."""
        model_key = self._vectors.model_key(model)
        if model_key is None:
            return {}
        return dict(self._pool.rows(self._sql["vectors"], (json(list(keys)), model_key)))

    def facts(self, keys: Sequence[int], only: MemoryQuery, model: str | None) -> list[Facts]:
        """What is scored of those memories that pass the filter."""
        condition, values = where(only)
        model_key = self._vectors.model_key(model) if model else None
        column, join, first = "NULL", "", _NOTHING
        if model_key is not None:
            column, first = "e.vector", (model_key,)
            join = "LEFT JOIN embeddings e ON e.key = m.embedding_key AND e.model = ?"
        sql = f"SELECT {_FACTS}, {column} FROM memories m {join} WHERE m.key IN (SELECT value FROM json_each(?)) AND {condition}"
        return [Facts(*row) for row in self._pool.rows(sql, (*first, json(list(keys)), *values))]

    def around(self, keys: Sequence[int], radius: int) -> list[tuple[int, int]]:
        """Turns of the same session near each, as pairs."""
        rows = self._pool.rows(self._sql["around"], (json(list(keys)), radius, radius))
        return [(key, neighbour) for key, neighbour in rows]

    def links(self, keys: Sequence[int]) -> Mapping[int, Links]:
        """The files and patterns of memories."""
        wanted = json(list(keys))
        files = self._grouped(self._sql["files"], wanted)
        patterns = self._grouped(self._sql["patterns"], wanted)
        return {key: Links(tuple(files[key]), tuple(patterns[key])) for key in {*files, *patterns}}

    def memories(self, keys: Sequence[int]) -> dict[int, Memory]:
        """Memories by key."""
        sql = f"SELECT {SELECT} FROM memories m WHERE m.key IN (SELECT value FROM json_each(?))"
        rows = self._pool.rows(sql, (json(list(keys)),))
        return {row[0]: memory for row, memory in zip(rows, self._memories.from_rows(rows), strict=True)}

    def candidates(self, words: Sequence[str]) -> list[tuple[str, str]]:
        """Living memories that share some of these words: (id, text), the most alike first."""
        if not words:
            return []
        return [
            (id_, known)
            for id_, known in self._index.rows(self._sql["lookalikes"], (_any(words), _LOOKALIKES))
        ]

    def _grouped(self, sql: str, keys: str) -> defaultdict[int, list[Any]]:
        grouped: defaultdict[int, list[Any]] = defaultdict(list)
        for key, value in self._pool.rows(sql, (keys,)):
            grouped[key].append(value)
        return grouped


def _any(words: Sequence[str]) -> str:
    """A full-text expression: any of the words, each taken literally."""
    return " OR ".join('"' + word.replace('"', '""').replace("\0", "") + '"' for word in words)
