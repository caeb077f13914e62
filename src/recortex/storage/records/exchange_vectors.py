"""The two vectors of exchanges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.exchange import Waiting
from recortex.storage.records.exchanges import SELECT, VECTORS, exchange_of
from recortex.storage.records.own_vectors import OwnVectors
from recortex.storage.records.vectors import OF_EXCHANGES

if TYPE_CHECKING:
    from recortex.storage.database import Database
    from recortex.storage.records.vectors import VectorRecords

_TURN = 0xFF


class ExchangeVectorRecords(OwnVectors):
    """The `ExchangeVectors` of a store."""

    topic = "exchanges"

    def __init__(self, database: Database, vectors: VectorRecords) -> None:
        super().__init__(database, vectors, OF_EXCHANGES, len(VECTORS), _TURN)

    def waiting(self, limit: int) -> list[Waiting]:
        """Exchanges without vectors, the latest first."""
        rows = self._database.rows(
            f"SELECT x.key, {SELECT} FROM exchanges x {self._sql['waiting']}", (limit,)
        )
        said = ((key, exchange_of(row)) for key, *row in rows)
        return [Waiting(key, one) for key, one in said]
