"""Vectors of memories: reading and writing them, changing the embedding model, and the vector index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from recortex.domain.embedding import Reembedding, VectorIndexState


class Keyed(Protocol):
    """A record without vectors, with its key."""

    @property
    def key(self) -> int:
        """The store's own number of it."""


Waits_co = TypeVar("Waits_co", bound=Keyed, covariant=True)


class OwnVectors(Protocol, Generic[Waits_co]):
    """The vectors of exchanges, or of chunks: a text elsewhere, even the same, has another one."""

    def waiting(self, limit: int) -> Sequence[Waits_co]:
        """Records without vectors: the latest exchanges first, and chunks in their order."""

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
