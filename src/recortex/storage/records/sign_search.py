"""Finds records of one kind by the signs of their vectors: exchanges, and chunks of documents."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from recortex.storage.database import Records
from recortex.storage.records.search import FLOAT
from recortex.storage.records.signs_in_memory import SignsInMemory
from recortex.storage.records.values import json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.storage.database import Database
    from recortex.storage.records.filters import Clause
    from recortex.storage.records.vectors import Keys, VectorRecords

_WIDER = (2, 30)
"""So many times more vectors are compared than records are wanted, until enough of those pass the filter:
an exchange has two."""
_ALL = 2**62


class SignSearch(Records):
    """Nearest neighbours among the vectors of one table, whose name is the topic; `x` stands for its rows.

    Args:
        vectors: of the store.
        between: the keys of this table's vectors.
        columns: of the table, with the keys of a row's vectors.
    """

    def __init__(
        self, database: Database, vectors: VectorRecords, between: Keys, columns: Sequence[str]
    ) -> None:
        super().__init__(database)
        self._vectors = vectors
        self._between = between
        self._columns = columns
        self._near = database.queries("vectors")
        self._signs = SignsInMemory(self._signs_from, between.after + 1)
        self._asked: set[int] = set()

    def holders(self, vector: bytes, limit: int, clause: Clause, model: str) -> list[int]:
        """Keys of the rows one of whose vectors differs least in its signs from a question's.

        Args:
            vector: of the question, as little-endian float32.
            limit: at most so many.
            clause: the condition on the rows, with its values.
            model: the embedder; empty where none of its vectors is kept.
        """
        model_key = self._vectors.model_key(model, len(vector) // FLOAT)
        if model_key is None:
            return []
        signs = self._vectors.signs(bytes(value > 0 for value in memoryview(vector).cast("f")))
        condition, values = clause
        having = self._sql["having"].replace("1 = 1", condition)
        for wanted in (limit * times for times in _WIDER):
            keys = self._closest(model_key, signs, wanted)
            rows = self._database.rows(having, (json(keys), *values))
            found = list(dict.fromkeys(row[0] for row in rows))
            if len(found) >= limit or len(keys) < wanted:
                return found[:limit]
        return self._closest_passing(model_key, signs, clause)[:limit]

    def _closest(self, model: int, signs: Any, wanted: int) -> list[int]:
        """Keys of the vectors whose signs differ least, by the database or by a copy in memory.

        The copy pays from the second question of a process on.
        """
        if model not in self._asked:
            self._asked.add(model)
            rows = self._database.rows(self._near["closest"], (wanted, model, signs, *self._between))
            return [row[0] for row in rows]
        return self._signs.closest(model, self._vectors.packed(signs), wanted)

    def _closest_passing(self, model: int, signs: Any, clause: Clause) -> list[int]:
        """Keys of all rows that pass, the closest first: where few do, what is close is none of them."""
        condition, values = clause
        sql = f"SELECT x.key, {', '.join(f'x.{name}' for name in self._columns)} FROM {self.topic} x"
        holders = defaultdict[int, list[int]](list)
        for key, *own in self._database.rows(f"{sql} WHERE /*own x*/ {condition} ORDER BY x.key", values):
            for vector in {*own} - {None}:
                holders[vector].append(key)
        keys = self._signs.closest(model, self._vectors.packed(signs), _ALL, among=list(holders))
        return list(dict.fromkeys(key for vector in keys for key in holders[vector]))

    def _signs_from(self, model: int, newest: int) -> list[tuple[int, bytes]]:
        rows = self._database.rows(self._near["signs_between"], (model, newest, self._between.below))
        return [(key, self._vectors.packed(signs)) for key, signs in rows]
