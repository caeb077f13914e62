"""Adds prefixes to a model's texts and cuts its vectors, as the settings say."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from recortex.embeddings.rows import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.ports.embedding import Embedder, Purpose, Vectors

_DIGITS = 6  # of a hash that distinguishes a person's few settings; it need not resist attacks


class Shape(NamedTuple):
    """Prefixes and dimensions from the settings.

    Attributes:
        query_prefix, passage_prefix: put before each text of that purpose, as the model was trained.
        dimensions: how many of each vector are kept; 0 for all.
    """

    query_prefix: str = ""
    passage_prefix: str = ""
    dimensions: int = 0

    @property
    def plain(self) -> bool:
        """Whether nothing is set."""
        return self == Shape()

    @property
    def mark(self) -> str:
        """The suffix of the model's name: `@256` for dimensions, `~` and six digits for prefixes."""
        size = f"@{self.dimensions}" if self.dimensions else ""
        if not (self.query_prefix or self.passage_prefix):
            return size
        prefixes = f"{len(self.query_prefix)}:{self.query_prefix}{self.passage_prefix}"
        digest = hashlib.blake2b(prefixes.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{size}~{digest[:_DIGITS]}"


class ShapedEmbedder:
    """Another embedder with prefixes and fewer dimensions, under its own name.

    Args:
        inner: makes the vectors.
        shape: what is done to its texts before, and to its vectors after.
    """

    def __init__(self, inner: Embedder, shape: Shape) -> None:
        self._inner = inner
        self._shape = shape

    @property
    def name(self) -> str:
        """The model's name with the shape's mark."""
        return self._inner.name + self._shape.mark

    @property
    def dimensions(self) -> int:
        """The length of each vector."""
        return self._shape.dimensions or self._inner.dimensions

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return one unit vector per text, float32, shape (len(texts), dimensions).

        Raises:
            EmbeddingError: the inner embedder failed, or makes fewer dimensions than are kept.
        """
        shape = self._shape
        prefix = shape.query_prefix if purpose == "query" else shape.passage_prefix
        rows = self._inner.embed([prefix + text for text in texts], purpose=purpose)
        return cut(rows, shape.dimensions) if shape.dimensions and len(rows) else rows


def shaped(inner: Embedder, shape: Shape) -> Embedder:
    """The embedder with a shape; the embedder itself if nothing is set."""
    return inner if shape.plain else ShapedEmbedder(inner, shape)
