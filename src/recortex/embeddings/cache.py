"""A cache of vectors in this process.

The store's table of vectors by hash is a second cache, which survives a restart; see
`engines/ingestion/embedding`.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeAlias

from cachetools import LRUCache

from recortex.ports.embedding import PieceEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.ports.embedding import Embedder, PieceCodes, Pieces, Purpose, Vector, Vectors

    _Cached: TypeAlias = tuple[Vector, Pieces | PieceCodes | None]

MEMORY_SIZE = 2_048  # vectors; 3 MB at 384 dimensions, and about 8 KB for the pieces of a question


class CachedEmbedder:
    """Asks another embedder only for vectors that are not cached.

    It can answer without the other embedder if all vectors of a call are cached.

    Args:
        inner: makes the missing vectors.
        size: how many vectors are kept; the least recently used go first.
    """

    def __init__(self, inner: Embedder, *, size: int = MEMORY_SIZE) -> None:
        self._inner = inner
        self._memory: LRUCache[tuple[Purpose, str], _Cached] = LRUCache(size)
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The inner embedder's name."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """The inner embedder's number of dimensions."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return one unit vector per text. Queries and passages are cached separately.

        Raises:
            EmbeddingError: a vector is not cached and the inner embedder cannot make it.
        """
        return self.embed_pieces(texts, purpose=purpose)[0]

    def embed_pieces(
        self, texts: Sequence[str], *, purpose: Purpose = "passage"
    ) -> tuple[Vectors, Sequence[Pieces | PieceCodes]]:
        """As `embed`, with the pieces of each text; without them where the inner embedder tells none.

        Raises:
            EmbeddingError: as `embed`.
        """
        import numpy as np

        wanted = list(dict.fromkeys(texts))
        with self._lock:
            found = {text: self._memory[purpose, text] for text in wanted if (purpose, text) in self._memory}
        missing = [text for text in wanted if text not in found]
        if missing:
            made = self._make(missing, purpose)
            found.update(made)
            with self._lock:
                self._memory.update({(purpose, text): one for text, one in made.items()})
        rows = [found[text][0] for text in texts]
        pieces = [found[text][1] for text in texts]
        told = [one for one in pieces if one is not None]
        return np.stack(rows) if rows else np.empty((0, self.dimensions), dtype=np.float32), told

    def _make(self, texts: Sequence[str], purpose: Purpose) -> dict[str, _Cached]:
        if isinstance(self._inner, PieceEmbedder):
            vectors, pieces = self._inner.embed_pieces(texts, purpose=purpose)
            if pieces:
                return dict(zip(texts, zip(vectors, pieces, strict=True), strict=True))
        else:
            vectors = self._inner.embed(texts, purpose=purpose)
        return {text: (vector, None) for text, vector in zip(texts, vectors, strict=True)}
