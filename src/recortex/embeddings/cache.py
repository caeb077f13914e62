"""A cache of vectors in this process.

The store's table of vectors by hash is a second cache, which survives a restart; see
`engines/ingestion/embedding`.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from cachetools import LRUCache

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.ports.embedding import Embedder, Purpose, Vector, Vectors

MEMORY_SIZE = 2_048  # vectors; 3 MB at 384 dimensions


class CachedEmbedder:
    """Asks another embedder only for vectors that are not cached.

    It can answer without the other embedder if all vectors of a call are cached.

    Args:
        inner: makes the missing vectors.
        size: how many vectors are kept; the least recently used go first.
    """

    def __init__(self, inner: Embedder, *, size: int = MEMORY_SIZE) -> None:
        self._inner = inner
        self._memory: LRUCache[tuple[Purpose, str], Vector] = LRUCache(size)
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
        import numpy as np

        wanted = list(dict.fromkeys(texts))
        with self._lock:
            found = {text: self._memory[purpose, text] for text in wanted if (purpose, text) in self._memory}
        missing = [text for text in wanted if text not in found]
        if missing:
            made = dict(zip(missing, self._inner.embed(missing, purpose=purpose), strict=True))
            found.update(made)
            with self._lock:
                self._memory.update({(purpose, text): vector for text, vector in made.items()})
        rows = [found[text] for text in texts]
        return np.stack(rows) if rows else np.empty((0, self.dimensions), dtype=np.float32)
