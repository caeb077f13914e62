"""Finding chunks of documents and exchanges by words and by vectors, as memories are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.exchange import Exchange, ExchangeFacts, ExchangeQuery
from recortex.domain.search import Facts, Links
from recortex.storage.records.documents import SELECT, VECTORS, chunk_of
from recortex.storage.records.exchanges import SELECT as EXCHANGES_SELECT
from recortex.storage.records.exchanges import VECTORS as EXCHANGES_VECTORS
from recortex.storage.records.exchanges import exchange_of
from recortex.storage.records.exchanges import where as exchanges_where
from recortex.storage.records.rows import EVERYTHING, member, on_path
from recortex.storage.records.search import SignSearch
from recortex.storage.records.values import json, micros
from recortex.storage.records.vectors import OF_CHUNKS, OF_EXCHANGES, Owned, OwnVectors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.search import Chunk, MemoryQuery
    from recortex.storage.records.rows import Clause


_CHUNKS = Owned(VECTORS, OF_CHUNKS, 0x55, SELECT, chunk_of)
_EXCHANGES = Owned(EXCHANGES_VECTORS, OF_EXCHANGES, 0xFF, EXCHANGES_SELECT, exchange_of)
_SCORED = ("key", "written_at", "access_count")
_KIND = "core"
"""The kind of memory as which a chunk is scored: one that does not fade. What a file says is true while it
says so."""


def where(only: MemoryQuery | None) -> Clause:
    """The condition on `chunks x`, with its values: those filters that a document can pass."""
    if only is None:
        return EVERYTHING
    clauses = list(member("x.domain", only.domains))
    if only.files:
        condition, values = on_path("x.path", only.files)
        clauses.append((f"({condition})", values))
    for condition, at in (
        ("x.written_at >= ?", only.recorded_after),
        ("x.written_at < ?", only.recorded_before),
    ):
        if at is not None:
            clauses.append((condition, (micros(at),)))
    text = " AND ".join(condition for condition, _ in clauses)
    return text or "1 = 1", tuple(value for _, values in clauses for value in values)


class ChunkSearchRecords(SignSearch):
    """The part of a `ChunkSearch` that is the same in every engine: a `SearchStore` whose rows are chunks."""

    topic = "chunks"
    owned = _CHUNKS

    def match(
        self,
        words: Sequence[str],
        limit: int,
        only: MemoryQuery | None,
        *,
        all_required: bool = False,
        score_only: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """Keys of chunks with any of the words, or all, with their BM25 score, best first."""
        return self._keywords.match(
            words, limit, where(only), all_required=all_required, score_only=score_only
        )

    def nearest(self, vector: bytes, limit: int, only: MemoryQuery | None, model: str) -> list[int]:
        """Keys of chunks whose vectors differ least in their signs from the query's."""
        return self.holders(vector, limit, where(only), model)

    def vectors(self, keys: Sequence[int], model: str) -> dict[int, bytes]:
        """The vectors of chunks by one embedder, as int8 codes."""
        model_key = self._vectors.model_key(model)
        rows = () if model_key is None else self._rows("vectors", json(list(keys)), model_key)
        return {key: self._vectors.code(vector) for key, vector in rows}

    def facts(self, keys: Sequence[int], only: MemoryQuery, model: str | None) -> list[Facts]:
        """What is scored of those chunks that pass the filter."""
        return [self._facts(*row) for row in self.scored(_SCORED, keys, where(only), model)]

    def links(self, keys: Sequence[int]) -> dict[int, Links]:
        """The file that each chunk is of."""
        return {key: Links((path,)) for key, path in self._rows("files", json(list(keys)))}

    def chunks(self, keys: Sequence[int]) -> dict[int, Chunk]:
        """The chunks with these keys."""
        return self.by_key(keys)

    def pieces(self, keys: Sequence[int], model: str) -> Mapping[int, bytes]:  # noqa: ARG002
        """None: they are not kept of documents."""
        return {}

    def known_speakers(self, words: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """None: documents have no speakers."""
        return ()

    def around(self, keys: Sequence[int], radius: int) -> tuple[tuple[int, int], ...]:  # noqa: ARG002
        """None: chunks are no turns of a dialogue."""
        return ()

    def hubs(self, keys: Sequence[int]) -> Mapping[int, float]:  # noqa: ARG002
        """None: chunks have no relations."""
        return {}

    def memories(
        self,
        keys: Sequence[int],  # noqa: ARG002
        confidence: Mapping[int, float] | None = None,  # noqa: ARG002
    ) -> Mapping[int, Memory]:
        """None: `chunks` reads them."""
        return {}

    def _facts(self, key: int, written_at: int, access_count: int, vector: bytes | None) -> Facts:
        return Facts(
            key=key,
            kind=_KIND,
            session="",
            turn=None,
            speaker="",
            valid_from=written_at,
            recorded_at=written_at,
            last_accessed_at=None,
            confidence=1.0,
            priority=5,
            traits=0,
            access_count=access_count,
            vector=vector,
        )


class ChunkVectorRecords(OwnVectors):
    """The `ChunkVectors` of a store."""

    topic = "chunks"
    owned = _CHUNKS


# -- finding exchanges by words and by their two vectors


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
