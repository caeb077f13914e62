"""Where documents and their chunks are kept and found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from recortex.ports.search import SearchStore

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from recortex.domain.document import Chunk, Document
    from recortex.ports.search import OwnVectors


class DocumentRecords(Protocol):
    """Documents of a store. What writes is called inside a transaction."""

    def put(self, document: Document, chunks: Sequence[tuple[Chunk, str]]) -> None:
        """Keep a document with its chunks, and the words that each is found by, in place of what it was.

        A chunk whose text is known keeps its vector, its accesses and the time when it was written, also
        where it is known from another document: one that was renamed.
        """

    def delete(self, paths: Sequence[str]) -> int:
        """Remove documents, their chunks, and vectors that nothing else has; returns how many there were."""

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        """Count an access to each of these chunks."""

    def count(self) -> tuple[int, int]:
        """How many documents and how many chunks there are."""

    def all(self, *, within: Sequence[str] = ()) -> Sequence[Document]:
        """The documents by their paths; only those at these, or in these folders, which end in a slash."""

    def by_other_rules(self, rules: str) -> set[str]:
        """The paths of documents from which secrets were taken out by other privacy rules than these."""

    def chunks(self, ids: Sequence[str]) -> Sequence[Chunk]:
        """The chunks with these ids, in that order; an id without one is left out."""

    def chunks_of(self, path: str) -> Sequence[Chunk]:
        """The chunks of a document, in its order."""

    def ids_beginning(self, prefix: str) -> Sequence[str]:
        """At most three ids of chunks that begin so."""


class ChunkSearch(SearchStore, Protocol):
    """Search over chunks, as over memories: what is found are chunks, and no memories."""

    def chunks(self, keys: Sequence[int]) -> Mapping[int, Chunk]:
        """The chunks with these keys."""


class DocumentStore(Protocol):
    """What a store keeps of documents."""

    @property
    def documents(self) -> DocumentRecords:
        """Documents with their chunks."""

    @property
    def chunk_search(self) -> ChunkSearch:
        """Search over chunks."""

    @property
    def chunk_vectors(self) -> OwnVectors[Chunk]:
        """The vectors of chunks."""

    def chunks_to_erase(self, texts: Sequence[str], text: str = "") -> list[str]:
        """Ids of the chunks and documents that erasing these texts takes along; see `exchanges_to_erase`."""
