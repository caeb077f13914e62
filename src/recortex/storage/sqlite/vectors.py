"""Vectors in SQLite: kept once by hash as int8 codes, indexed by their signs in sqlite-vec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.storage.queries import queries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.storage.sqlite.pool import Pool

DIMENSIONS = 384


class SqliteVectors:
    """Vectors of memories. `embeddings` is the truth; the index is made from it and can be made again."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._sql = queries("vectors")
        self._partitions: dict[str, int] = {}
        self._indexed = False

    @property
    def available(self) -> bool:
        """Whether likeness can be searched at all."""
        return self._pool.vectors

    def partition(self, model: str) -> int | None:
        """The number of an embedder in the index; None where nothing is indexed for it."""
        if not self.available or not self._pool.value(self._sql["index_exists"]):
            return None
        if model not in self._partitions:
            key = self._pool.value(self._sql["model_key"], (model,))
            if key is None:
                return None
            self._partitions[model] = int(key)
        return self._partitions[model]

    def keys_of(self, hashes: Sequence[bytes]) -> dict[bytes, int]:
        """The keys of those vectors that are kept already."""
        found = ((hash_, self._pool.value(self._sql["by_one_hash"], (hash_,))) for hash_ in hashes)
        return {hash_: int(key) for hash_, key in found if key is not None}

    def put(self, model: str, codes: Mapping[bytes, bytes]) -> dict[bytes, int]:
        """Keep vectors by hash and index them; inside a transaction."""
        partition = int(self._pool.value(self._sql["model"], (model, DIMENSIONS)))
        self._ensure_index()
        keys: dict[bytes, int] = {}
        for hash_, code in codes.items():
            known = self._pool.value(self._sql["by_one_hash"], (hash_,))
            keys[hash_] = int(known or self._pool.value(self._sql["insert"], (hash_, partition, code)))
            if known is None and self.available:
                self._pool.rows(self._sql["index_one"], (keys[hash_], partition, code))
        return keys

    def attach(self, pairs: Sequence[tuple[str, int, bytes]]) -> None:
        """Give memories their vectors: (id, key of the vector, content hash that it was made for)."""
        self._pool.run_many(self._sql["attach"], pairs)

    def pending(self, model: str, limit: int) -> list[str]:
        """Ids of memories that wait for a vector of that embedder."""
        return [row[0] for row in self._pool.rows(self._sql["pending"], (model, limit))]

    def count_pending(self) -> int:
        """How many memories have no vector."""
        return int(self._pool.value(self._sql["count_pending"]))

    def drop_unused(self) -> int:
        """Delete vectors that no memory and no version has; inside a transaction."""
        keys = [row[0] for row in self._pool.rows(self._sql["unused"])]
        self._pool.run_many(self._sql["delete"], [(key,) for key in keys])
        if self.available and self._pool.value(self._sql["index_exists"]):
            self._pool.run_many(self._sql["unindex"], [(key,) for key in keys])
        return len(keys)

    def complete_index(self) -> int:
        """Index what a program without sqlite-vec wrote; inside a transaction. Returns how many were missing."""
        if not self.available:
            return 0
        self._ensure_index()
        missing = self._pool.rows(self._sql["unindexed"])
        self._pool.run_many(self._sql["index_one"], missing)
        return len(missing)

    def agrees(self) -> bool:
        """Whether the index holds as many vectors as there are."""
        if not self.available or not self._pool.value(self._sql["index_exists"]):
            return True
        kept, indexed = self._pool.rows(self._sql["counts"])[0]
        return bool(kept == indexed)

    def _ensure_index(self) -> None:
        if self.available and not self._indexed:
            self._pool.rows(self._sql["create_index"])
            self._indexed = True
