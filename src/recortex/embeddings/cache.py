"""Vectors that were made before are not made again: in memory first, then in the store (A, CX12)."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from blake3 import blake3
from cachetools import LRUCache

from recortex.embeddings.packing import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recortex.ports.embedding import Embedder, VectorCache, Vectors

MEMORY_SIZE = 4_096  # vectors; 1.5 MB at 384 dimensions


def content_hash(name: str, text: str) -> bytes:
    """Return the 32-byte key of a text's vector by the embedder of that name."""
    return blake3(f"{name}\0{text}".encode("utf-8", "surrogatepass")).digest()


class CachedEmbedder:
    """An embedder that asks another one only for what neither cache holds.

    While every text of a call is cached, it answers even when the other embedder cannot.

    Args:
        inner: makes the missing vectors.
        store: keeps vectors beyond the process; None for memory only.
        size: how many vectors are kept in memory; the least recently used go first.
    """

    def __init__(self, inner: Embedder, store: VectorCache | None = None, *, size: int = MEMORY_SIZE) -> None:
        self._inner = inner
        self._store = store
        self._memory: LRUCache[bytes, bytes] = LRUCache(size)
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The inner embedder's name."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """The inner embedder's number of dimensions."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector per text: the inner embedder's, at the precision in which vectors are kept.

        Raises:
            EmbeddingError: Something is not cached and the inner embedder cannot make it.
        """
        hashes = [content_hash(self.name, text) for text in texts]
        wanted = dict(zip(hashes, texts, strict=True))
        found = self._recall(wanted)
        missing = {key: text for key, text in wanted.items() if key not in found}
        if missing:
            found.update(self._make(missing))
        return unpack([found[key] for key in hashes], self.dimensions)

    def _recall(self, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        with self._lock:
            found = {key: self._memory[key] for key in hashes if key in self._memory}
        absent = [key for key in hashes if key not in found]
        if absent and self._store is not None:
            kept = {k: v for k, v in self._store.get_many(absent).items() if len(v) == self.dimensions}
            self._remember(kept)
            found.update(kept)
        return found

    def _make(self, missing: dict[bytes, str]) -> dict[bytes, bytes]:
        vectors = self._inner.embed(list(missing.values()))
        made = dict(zip(missing, pack(vectors), strict=True))
        self._remember(made)
        if self._store is not None:
            self._store.put_many(made)
        return made

    def _remember(self, vectors: dict[bytes, bytes]) -> None:
        with self._lock:
            self._memory.update(vectors)
