"""Finding exchanges by words and by their two vectors; the symbols of code that memories hang on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.exchange import Exchange, ExchangeFacts, ExchangeQuery
from recortex.storage.records.exchanges import SELECT as EXCHANGES_SELECT
from recortex.storage.records.exchanges import VECTORS as EXCHANGES_VECTORS
from recortex.storage.records.exchanges import exchange_of
from recortex.storage.records.exchanges import where as exchanges_where
from recortex.storage.records.search import SignSearch
from recortex.storage.records.vectors import OF_EXCHANGES, Owned, OwnVectors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_EXCHANGES = Owned(EXCHANGES_VECTORS, OF_EXCHANGES, 0xFF, EXCHANGES_SELECT, exchange_of)


class ExchangeSearchRecords(SignSearch):
    """The part of an `ExchangeSearch` that is the same in every engine."""

    topic = "exchanges"
    owned = _EXCHANGES

    def size(self) -> int:
        """About how many exchanges are indexed."""
        return self._keywords.size()

    def match(
        self, words: Mapping[str, int], limit: int, only: ExchangeQuery | None
    ) -> list[tuple[int, float]]:
        """Keys with their BM25 score over the parts (higher is better), best first.

        The rarest words find, and more only where these find too few; as many score as can be read in time.
        """
        return self._keywords.match_rarest(words, limit, exchanges_where(only))

    def nearest(self, vector: bytes, limit: int, only: ExchangeQuery | None, model: str) -> list[int]:
        """Keys of exchanges one of whose vectors differs least in its signs from the query's.

        Empty where likeness cannot be computed.
        """
        return self.holders(vector, limit, exchanges_where(only), model)

    def facts(
        self, keys: Sequence[int], only: ExchangeQuery | None, model: str | None
    ) -> list[ExchangeFacts]:
        """What is scored of those of `keys` that pass, with vectors where a model is named."""
        scored = ExchangeFacts._fields[: -len(EXCHANGES_VECTORS)]
        return [ExchangeFacts(*row) for row in self.scored(scored, keys, exchanges_where(only), model)]

    def exchanges(self, keys: Sequence[int]) -> dict[int, Exchange]:
        """The exchanges with these keys."""
        return self.by_key(keys)

    def beginning_at(self, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Exchange]:
        """The exchanges that begin at these turns of sessions, without stretches of work."""
        sql = f"SELECT {EXCHANGES_SELECT} FROM exchanges x {self._sql['at']}"
        rows = [row for place in places for row in self._database.rows(sql, place)]
        return {(one.session, one.first_turn): one for one in map(exchange_of, rows)}

    def added_after(self, key: int, limit: int) -> list[tuple[int, Exchange]]:
        """What the person said that was kept after the one with that key, with keys, in their order."""
        sql = f"SELECT x.key, {EXCHANGES_SELECT} FROM exchanges x {self._sql['added_after']}"
        return [(kept, exchange_of(row)) for kept, *row in self._database.rows(sql, (key, limit))]


class ExchangeVectorRecords(OwnVectors):
    """The two vectors of exchanges."""

    topic = "exchanges"
    owned = _EXCHANGES
