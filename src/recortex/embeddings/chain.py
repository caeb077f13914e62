"""Embedders in order of preference: if one fails, the next one is used."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from cachetools import LRUCache

from recortex.domain.maintenance import Degradation
from recortex.errors import EmbeddingError
from recortex.ports.embedding import PieceEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.ports.embedding import Embedder, PieceCodes, Pieces, Purpose, Vector, Vectors

    _Cached: TypeAlias = tuple[Vector, Pieces | PieceCodes | None]


# -- runs a model beside other work: while it computes, Python and the database go on


T = TypeVar("T")
_THREADS = 2
"""A question is embedded once for each of the two stores, the project's and the person's."""


class _Workers:
    """Threads that stay: starting one for each question takes 0.1 ms longer (bench/beside_vectors.py)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def submit(self, act: Callable[[], T]) -> Callable[[], T]:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="embedding")
            return self._pool.submit(act).result

    def close(self) -> None:
        """End the threads, which a forked process does not have; the next question starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()


_workers = _Workers()
if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(before=_workers.close)


def begun(act: Callable[[], T]) -> Callable[[], T]:
    """Start something; what this gives waits for the result, and raises what it raised."""
    try:
        return _workers.submit(act)
    except RuntimeError:  # the interpreter is ending, and starts no more threads
        return act


# -- embedders in order of preference: if one fails, the next one is used


class Embedded(NamedTuple):
    """Vectors of one call, the name of the embedder that made all of them, and pieces if it tells them."""

    name: str
    vectors: Vectors
    pieces: Sequence[Pieces | PieceCodes] = ()


class EmbedderChain:
    """Tries embedders in order. All vectors of a call come from the same embedder.

    By default these are the shipped model behind its cache, then hashed TF-IDF. The cache answers without the
    model if it holds all vectors of a call.

    Args:
        embedders: the preferred one first.
        on_degradation: called once for each embedder that fails.
    """

    def __init__(
        self, embedders: Sequence[Embedder], *, on_degradation: Callable[[Degradation], None] | None = None
    ) -> None:
        self._embedders = tuple(embedders)
        self._on_degradation = on_degradation
        self._reported: set[str] = set()
        self._active = self._embedders[0]

    @property
    def preferred_name(self) -> str:
        """The name of the first embedder; the others are its fallbacks."""
        return self._embedders[0].name

    @property
    def active_name(self) -> str:
        """The name of the embedder that was used last; before the first call, the preferred one's."""
        return self._active.name

    def embed_named(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Embedded:
        """Return the vectors of the first embedder that works, and its name.

        Raises:
            EmbeddingError: every embedder of the chain failed.
        """
        failure: EmbeddingError | None = None
        for place, embedder in enumerate(self._embedders):
            try:
                made = _made(embedder, texts, purpose)
            except EmbeddingError as error:
                failure = error
                self._report(place, error)
                continue
            self._active = embedder
            return made
        assert failure is not None  # noqa: S101  a chain has one embedder at least
        kind = type(failure)  # callers see by it whether other texts may work
        raise kind(f"every embedder failed: {failure.message}", hint=failure.hint) from failure

    def begin(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Callable[[], Embedded]:
        """Start to make vectors beside other work; what this gives waits for them.

        It raises `EmbeddingError` where every embedder failed.
        """
        return begun(lambda: self.embed_named(texts, purpose=purpose))

    def _report(self, place: int, error: EmbeddingError) -> None:
        name = self._embedders[place].name
        if self._on_degradation is None or name in self._reported:
            return
        self._reported.add(name)
        following = self._embedders[place + 1 :]
        fallback = following[0].name if following else "keyword search alone"
        self._on_degradation(Degradation("embedding model", f"{name}: {error.message}", fallback))


def _made(embedder: Embedder, texts: Sequence[str], purpose: Purpose) -> Embedded:
    if isinstance(embedder, PieceEmbedder):
        return Embedded(embedder.name, *embedder.embed_pieces(texts, purpose=purpose))
    return Embedded(embedder.name, embedder.embed(texts, purpose=purpose))


# -- A cache of vectors in this process


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
