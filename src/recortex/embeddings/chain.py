"""Embedders in order of preference: if one fails, the next one is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.degradation import Degradation
from recortex.embeddings.beside import begun
from recortex.errors import EmbeddingError
from recortex.ports.embedding import PieceEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.ports.embedding import Embedder, PieceCodes, Pieces, Purpose, Vectors


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
