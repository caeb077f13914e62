"""The search index as recall uses it.

Gather candidates, read what is scored of them, read those that answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.query import MemoryQuery
    from recortex.domain.search import Facts, Links


MOST_SCORED = 20_000
"""Memories that one search by words scores: 12 ms in SQLite, whatever the size of the store
(bench/scale.py)."""


class VectorSearch(Protocol):
    """Search by vectors, and what they are compared by more closely.

    Keys are as in `SearchStore`.
    """

    def nearest(self, vector: bytes, limit: int, only: MemoryQuery | None, model: str) -> Sequence[int]:
        """Keys whose vectors' signs differ least from the query's, nearest first: a coarse pass.

        Args:
            vector: little-endian float32 values.
            limit: the most keys to return.
            only: as in `match`.
            model: the embedder; vectors of another one are not looked at.

        Returns:
            The keys; none where vectors cannot be searched.
        """

    def vectors(self, keys: Sequence[int], model: str) -> Mapping[int, bytes]:
        """The vector by that embedder of each memory that has one.

        All are of one type: int8 or little-endian float32 values.
        """

    def pieces(self, keys: Sequence[int], model: str) -> Mapping[int, bytes]:
        """The word pieces (`ports.embedding.PieceCodes`) of each memory with a vector by that embedder.

        Memories whose embedder told none are left out.
        """


class SearchStore(VectorSearch, Protocol):
    """Search by words and by vectors.

    Keys are the store's own integers; no method raises for a key that is gone.
    """

    def searchable(self) -> int:
        """How many memories are indexed, whatever their status; may be an estimate."""

    def frequencies(self, words: Sequence[str]) -> Sequence[int]:
        """For each word, how many memories contain it (stemmed as the index does); 0 for mere punctuation.

        A word may end in `domain.search.ANY_ENDING`, here and in `match`; PostgreSQL then counts a memory
        with two words that begin so twice.

        Above 10,000 it may be an estimate.
        """

    def holding(self, words: Sequence[str], keys: Sequence[int]) -> Mapping[str, frozenset[int]]:
        """For each word, those of the memories that contain it."""

    def known_speakers(self, words: Sequence[str]) -> Sequence[str]:
        """Those speakers, as stored, whose whole name is one of the words; case is ignored."""

    def match(
        self,
        words: Sequence[str],
        limit: int,
        only: MemoryQuery | None,
        *,
        all_required: bool = False,
        score_only: Sequence[str] = (),
    ) -> Sequence[tuple[int, float]]:
        """Keys of memories that contain the words, with their BM25 score (higher is better), best first.

        `domain/search.py` has the weights of the columns. Of the memories found, the latest `MOST_SCORED` are
        scored.

        Args:
            words: to look for.
            limit: the most keys to return.
            only: restricts the search to memories that pass it (its order, limit, offset and `as_of` are
                ignored); None searches everything, which is faster.
            all_required: whether a memory must contain all of the words.
            score_only: words that match no memory, but add to the score of those that are found.
        """

    def facts(self, keys: Sequence[int], only: MemoryQuery, model: str | None) -> Sequence[Facts]:
        """The facts of those of `keys` that pass the filter, in any order.

        With vectors where a model is named.
        """

    def around(self, keys: Sequence[int], radius: int) -> Sequence[tuple[int, int]]:
        """Pairs (key, neighbour's key): other turns of the same session, at most `radius` turns away."""

    def links(self, keys: Sequence[int]) -> Mapping[int, Links]:
        """The files and patterns of those memories that have some."""

    def hubs(self, keys: Sequence[int]) -> Mapping[int, float]:
        """The centrality (`engines.graph.walks`) of those above a half.

        A lower one does not change decay.
        """

    def memories(
        self, keys: Sequence[int], confidence: Mapping[int, float] | None = None
    ) -> Mapping[int, Memory]:
        """The memories with these keys, with this confidence where one is given."""
