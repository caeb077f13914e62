"""The search index as recall uses it.

Gather candidates, read what is scored of them, read those that answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from recortex.domain.embedding import Reembedding, VectorIndexState
    from recortex.domain.memory import Memory
    from recortex.domain.search import Facts, Links, MemoryQuery


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


# -- vectors of memories: reading and writing them, changing the embedding model, and the vector index


Kept_co = TypeVar("Kept_co", covariant=True)


class OwnVectors(Protocol, Generic[Kept_co]):
    """The vectors of exchanges, or of chunks: a text elsewhere, even the same, has another one."""

    def waiting(self, limit: int) -> Sequence[tuple[int, Kept_co]]:
        """Records without vectors, with their keys: the latest exchanges first, and chunks in their order."""

    def count_waiting(self) -> int:
        """How many have no vectors."""

    def count_outdated(self, model: str) -> int:
        """How many have vectors of other embedders than that one."""

    def keys_of(self, hashes: Collection[bytes]) -> Mapping[bytes, int]:
        """The keys of those vectors that are kept already, by the hash of the embedded text."""

    def put(self, model: str, codes: Mapping[bytes, bytes]) -> Mapping[bytes, int]:
        """Keep vectors, int8 codes by hash; returns their keys. Inside a transaction."""

    def release_others(self, model: str, limit: int) -> int:
        """Take records the vectors of other embedders than that one: they wait for new ones.

        Returns how many, at most `limit`; inside a transaction.
        """

    def attach(self, vectors: Mapping[int, tuple[int | None, ...]]) -> None:
        """Give records the keys of their vectors, at least one each; inside a transaction."""


class MemoryVectors(Protocol):
    """Vectors by the hash of the embedded text; memories with the same text share one."""

    @property
    def available(self) -> bool:
        """Whether vectors can be searched at all."""

    def keys_of(self, hashes: Sequence[bytes]) -> dict[bytes, int]:
        """The keys of those vectors that are kept already, by hash."""

    def put(self, model: str, codes: Mapping[bytes, bytes]) -> dict[bytes, int]:
        """Keep vectors; inside a transaction.

        Args:
            model: the embedder's name.
            codes: int8 codes by hash, all of one length.

        Returns:
            The keys by hash.
        """

    def put_pieces(self, pieces: Mapping[int, bytes]) -> None:
        """Keep the word pieces of vectors, by the vectors' keys; inside a transaction."""

    def attach(self, pairs: Sequence[tuple[str, int, bytes]], *, first: bool = False) -> None:
        """Give memories their vectors: (id, key of the vector, content hash that it was made for).

        Args:
            pairs: of memories and vectors; a memory whose text has changed since is left as it is.
            first: leave a memory as it is that has a vector.
        """

    def codes_of(self, ids: Sequence[str], model: str) -> dict[str, bytes]:
        """The vectors of memories by one embedder, as int8 codes."""

    def pending(self, limit: int, *, best_first: bool = False) -> list[str]:
        """Ids of memories without a vector.

        Args:
            limit: the most to return.
            best_first: the most important and most used first, which reads all of them.
        """

    def count_pending(self) -> int:
        """How many memories have no vector."""

    def made(self, model: str) -> int:
        """How many vectors of an embedder are kept: about as many as memories that have one."""

    def dimensions(self, model: str) -> int | None:
        """The length of an embedder's vectors; None where there are none."""


class EmbeddingChange(Protocol):
    """Replaces the vectors of one embedding model by those of another."""

    def others(self, model: str) -> Mapping[int, str]:
        """The other embedders of which there are vectors: names by key."""

    def outdated(self, models: Collection[int], limit: int) -> list[str]:
        """Ids of memories with a vector by one of these embedders, the most important and most used first.

        All of them are read and sorted, whatever the limit: ask for some thousands, not for one batch.
        """

    def count_outdated(self, models: Collection[int]) -> int:
        """How many memories have a vector by one of these embedders."""

    def forget(self, model: str) -> int:
        """Delete an embedder's vectors; their memories are left without one.

        Returns how many were deleted.
        """

    def claimed(self) -> AbstractContextManager[bool]:
        """Hold the right to re-embed this store while inside; False where another machine has it."""

    def reembedding(self, model: str) -> Reembedding | None:
        """How the last change to that embedder went; None where there was none."""

    def reembedded(self, model: str, at: int, *, done: int, milliseconds: int) -> None:
        """Record progress; a change that was finished begins anew.

        Args:
            model: the new embedder.
            at: microseconds since 1970 UTC.
            done: memories that got their new vectors.
            milliseconds: that it took, pauses included.
        """

    def finish_reembedding(self, model: str, at: int) -> None:
        """Record that every memory has its vector by an embedder.

        Unfinished changes to others are dropped.
        """

    def drop_left_behind(self, models: Collection[int]) -> int:
        """Delete those vectors of embedders that no memory has, in short transactions; returns how many.

        A former version does not keep its vector: a state that comes back is embedded again.
        """


class VectorIndex(Protocol):
    """The approximate index that makes the search of many vectors quick."""

    def agrees(self) -> bool:
        """Whether every vector has its signs."""

    def keep_index(self, *, threads: int = 1) -> int:
        """Make or extend the index; returns how many vectors were added."""

    def index_state(self, *, thorough: bool = True) -> VectorIndexState | None:
        """How the index stands; None where the engine keeps it by itself, or too few vectors need none.

        Args:
            thorough: check all of its content, half a second for a million vectors.
        """


class Vectors(MemoryVectors, EmbeddingChange, VectorIndex, Protocol):
    """Everything about vectors that a store offers."""
