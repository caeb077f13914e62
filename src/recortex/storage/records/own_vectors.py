"""Vectors that belong to records of one kind alone, apart from those of memories: of exchanges, of chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.storage.database import Records

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from recortex.storage.database import Database
    from recortex.storage.records.vectors import Keys, VectorRecords


class OwnVectors(Records):
    """The vectors of the rows of one table, whose name is the topic.

    Args:
        vectors: keeps them.
        between: the keys that they get.
        columns: how many vectors a row has.
        turn: changes their hashes, so that the same text elsewhere has another vector: what is deleted with
            one kind of record stays with the others. Twice it is what it was.
    """

    def __init__(
        self, database: Database, vectors: VectorRecords, between: Keys, columns: int, turn: int
    ) -> None:
        super().__init__(database)
        self._vectors = vectors
        self._between = between
        self._columns = columns
        self._turn = bytes(turn ^ byte for byte in range(256))

    def count_waiting(self) -> int:
        """How many have no vectors."""
        return self._number("count_waiting")

    def count_outdated(self, model: str) -> int:
        """How many have vectors of other embedders than that one."""
        return self._number("count_outdated", model)

    def keys_of(self, hashes: Collection[bytes]) -> dict[bytes, int]:
        """The keys of those vectors that are kept already, by the hash of the embedded text."""
        found = self._vectors.keys_of([hash_.translate(self._turn) for hash_ in hashes])
        return {hash_.translate(self._turn): key for hash_, key in found.items()}

    def put(self, model: str, codes: Mapping[bytes, bytes]) -> dict[bytes, int]:
        """Keep vectors as int8 codes by hash; inside a transaction."""
        turned = {hash_.translate(self._turn): code for hash_, code in codes.items()}
        found = self._vectors.put(model, turned, self._between)
        return {hash_.translate(self._turn): key for hash_, key in found.items()}

    def attach(self, vectors: Mapping[int, tuple[int | None, ...]]) -> None:
        """Give records the keys of their vectors, at least one each; inside a transaction."""
        self._each("attach", [(key, *keys) for key, keys in vectors.items()])

    def release_others(self, model: str, limit: int) -> int:
        """Take records the vectors of other embedders than that one: they wait for new ones.

        Returns how many, at most `limit`; inside a transaction.
        """
        keys = self._column("outdated", model, limit)
        self.attach(dict.fromkeys(keys, (None,) * self._columns))
        return len(keys)
