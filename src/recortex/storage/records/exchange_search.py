"""Finding exchanges by words and by their two vectors."""

from __future__ import annotations

from abc import abstractmethod
from bisect import bisect
from itertools import accumulate
from typing import TYPE_CHECKING

from recortex.domain.exchange import Exchange, ExchangeFacts, ExchangeQuery
from recortex.storage.records.exchanges import SELECT, VECTORS, exchange_of, where
from recortex.storage.records.search import NOTHING
from recortex.storage.records.sign_search import SignSearch
from recortex.storage.records.values import json
from recortex.storage.records.vectors import OF_EXCHANGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.storage.database import Database
    from recortex.storage.records.vectors import VectorRecords

MOST_FOUND = 300
"""So many exchanges are scored in a search by words; the rarest words say which, the latest where these are
still too many."""
MOST_READ = 3_000
"""Words that so many exchanges hold together count in the score, the rarest first: FTS5 reads all of them to
know how rare a word is."""


def rarest(counts: Sequence[int]) -> tuple[int, int]:
    """How many of the first words find exchanges, and how many are read at all.

    Args:
        counts: how many exchanges hold each word, in ascending order.
    """
    sums = list(accumulate(counts))
    return max(bisect(sums, MOST_FOUND), 1), bisect(sums, MOST_READ)


class ExchangeSearchRecords(SignSearch):
    """The part of an `ExchangeSearch` that is the same in every engine."""

    topic = "exchanges"

    def __init__(self, database: Database, vectors: VectorRecords) -> None:
        super().__init__(database, vectors, OF_EXCHANGES, VECTORS)

    def size(self) -> int:
        """About how many exchanges are indexed."""
        return self._number("size")

    @abstractmethod
    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many exchanges contain it."""

    @abstractmethod
    def match(
        self, words: Mapping[str, int], limit: int, only: ExchangeQuery | None
    ) -> list[tuple[int, float]]:
        """Keys with their BM25 score over the parts (higher is better), best first."""

    def nearest(self, vector: bytes, limit: int, only: ExchangeQuery | None, model: str) -> list[int]:
        """Keys of exchanges one of whose vectors differs least in its signs from the query's.

        Empty where likeness cannot be computed.
        """
        return self.holders(vector, limit, where(only), model)

    def facts(
        self, keys: Sequence[int], only: ExchangeQuery | None, model: str | None
    ) -> list[ExchangeFacts]:
        """What is scored of those of `keys` that pass, with vectors where a model is named."""
        condition, values = where(only)
        model_key = self._vectors.model_key(model) if model else None
        columns, joins, first = "NULL, NULL", "", NOTHING
        if model_key is not None:
            aliases = dict(zip(("ea", "eo"), VECTORS, strict=True))
            columns = ", ".join(self._vectors.COLUMN.replace("e.", f"{alias}.") for alias in aliases)
            joins = " ".join(
                f"LEFT JOIN embeddings {alias} ON /*own {alias}*/ {alias}.key = x.{key} AND {alias}.model = ?"
                for alias, key in aliases.items()
            )
            first = (model_key,) * len(aliases)
        sql = (
            f"SELECT x.key, x.session, x.opener, x.part, x.root_turn, x.ended_at, {columns}"
            f" FROM exchanges x {joins}"
            f" WHERE /*own x*/ x.key IN (SELECT value FROM json_each(?)) AND {condition}"
        )
        rows = self._database.rows(sql, (*first, json(list(keys)), *values))
        start = len(ExchangeFacts._fields) - len(VECTORS)
        return [
            ExchangeFacts(*row[:start], *(one and self._vectors.code(one) for one in row[start:]))
            for row in rows
        ]

    def exchanges(self, keys: Sequence[int]) -> dict[int, Exchange]:
        """The exchanges with these keys."""
        among = "x.key IN (SELECT value FROM json_each(?))"
        sql = f"SELECT x.key, {SELECT} FROM exchanges x WHERE /*own x*/ {among}"
        return {key: exchange_of(row) for key, *row in self._database.rows(sql, (json(list(keys)),))}

    def beginning_at(self, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], Exchange]:
        """The exchanges that begin at these turns of sessions, without stretches of work."""
        sql = f"SELECT {SELECT} FROM exchanges x {self._sql['at']}"
        rows = [row for place in places for row in self._database.rows(sql, place)]
        return {(one.session, one.first_turn): one for one in map(exchange_of, rows)}

    def added_after(self, key: int, limit: int) -> list[tuple[int, Exchange]]:
        """What the person said that was kept after the one with that key, with keys, in their order."""
        sql = f"SELECT x.key, {SELECT} FROM exchanges x {self._sql['added_after']}"
        return [(kept, exchange_of(row)) for kept, *row in self._database.rows(sql, (key, limit))]
