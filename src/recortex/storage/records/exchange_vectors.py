"""The vectors of exchanges, kept with those of memories and apart from them by their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.exchange import Waiting
from recortex.storage.database import Records
from recortex.storage.records.exchanges import SELECT, exchange_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from recortex.storage.database import Database
    from recortex.storage.records.vectors import VectorRecords


class ExchangeVectorRecords(Records):
    """The `ExchangeVectors` of a store.

    Args:
        vectors: keeps them. They are none of the memories': their hashes are turned over, their keys below 0.
    """

    topic = "exchanges"

    def __init__(self, database: Database, vectors: VectorRecords) -> None:
        super().__init__(database)
        self._vectors = vectors

    def waiting(self, limit: int) -> list[Waiting]:
        """Exchanges without vectors, the latest first."""
        rows = self._database.rows(
            f"SELECT x.key, {SELECT} FROM exchanges x {self._sql['waiting']}", (limit,)
        )
        said = ((key, exchange_of(row)) for key, *row in rows)
        return [Waiting(key, one) for key, one in said]

    def count_waiting(self) -> int:
        """How many exchanges have no vectors."""
        return self._number("count_waiting")

    def count_outdated(self, model: str) -> int:
        """How many exchanges have vectors of other embedders than that one."""
        return self._number("count_outdated", model)

    def keys_of(self, hashes: Collection[bytes]) -> dict[bytes, int]:
        """The keys of those vectors that are kept already, by the hash of the embedded text."""
        found = self._vectors.keys_of([_turned(hash_) for hash_ in hashes])
        return {_turned(hash_): key for hash_, key in found.items()}

    def put(self, model: str, codes: Mapping[bytes, bytes]) -> dict[bytes, int]:
        """Keep vectors as int8 codes by hash; inside a transaction."""
        turned = {_turned(hash_): code for hash_, code in codes.items()}
        found = self._vectors.put(model, turned, for_exchanges=True)
        return {_turned(hash_): key for hash_, key in found.items()}

    def attach(self, vectors: Mapping[int, tuple[int | None, int | None]]) -> None:
        """Give exchanges the keys of their vectors, at least one each; inside a transaction."""
        self._each("attach", [(key, *keys) for key, keys in vectors.items()])

    def release_others(self, model: str, limit: int) -> int:
        """Take exchanges the vectors of other embedders than that one: they wait for new ones.

        Returns how many, at most `limit`; inside a transaction.
        """
        keys = self._column("outdated", model, limit)
        self.attach(dict.fromkeys(keys, (None, None)))
        return len(keys)


_TURN = bytes(255 - byte for byte in range(256))


def _turned(hash_: bytes) -> bytes:
    """A hash that no memory's text has, and back."""
    return hash_.translate(_TURN)
