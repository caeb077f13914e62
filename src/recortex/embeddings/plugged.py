"""Wraps embedders of other packages: checks their vectors and errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex import plugins
from recortex.embeddings.rows import normalised
from recortex.errors import EmbeddingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from recortex.ports.embedding import Embedder, Purpose, Vectors

_MULTIPLE = 8
"""The number of dimensions must be a multiple of this: the signs of a vector are stored as whole bytes."""


class PluggedEmbedder:
    """An embedder that a plug-in makes. It may send texts elsewhere, so it gets them without secrets.

    Args:
        label: the plug-in's name, the prefix of its vectors' model name.
        make: makes the embedder; None if the plug-in cannot be loaded.
        clean: removes from a text what must not leave this machine.
    """

    def __init__(
        self, label: str, make: Callable[[], Embedder] | None, *, clean: Callable[[str], str]
    ) -> None:
        self._label = label
        self._clean = clean
        self._inner: Embedder | None = None
        self.name, self.dimensions = label, 0
        try:
            self._inner = make() if make else None
            if self._inner:
                self.name, self.dimensions = f"{label}/{self._inner.name}", self._inner.dimensions
        # No error of another package may break this one.
        except Exception as error:  # noqa: BLE001
            plugins.warn(plugins.EMBEDDERS, label, repr(error))

    def embed(self, texts: Sequence[str], *, purpose: Purpose = "passage") -> Vectors:
        """Return one unit vector per text, float32, shape (len(texts), dimensions).

        Raises:
            EmbeddingError: the plug-in cannot be used, failed, or returned something else.
        """
        if self._inner is None:
            raise EmbeddingError(
                f"The embedder {self._label} cannot be loaded.",
                hint="Update its package, or set `embedder` to another one.",
            )
        try:
            rows = normalised(self._inner.embed([self._clean(text) for text in texts], purpose=purpose))
        except EmbeddingError:
            raise
        except Exception as error:
            raise self._useless(f"failed: {error!r}") from error
        if len(rows) != len(texts):
            raise self._useless(f"made {len(rows)} vectors for {len(texts)} texts")
        if rows.shape[1] % _MULTIPLE:
            raise self._useless(f"makes {rows.shape[1]} dimensions; a multiple of {_MULTIPLE} is needed")
        return rows

    def _useless(self, what: str) -> EmbeddingError:
        return EmbeddingError(
            f"The embedder {self._label} {what}.",
            hint="Report it to the package's author, and set `embedder` to another one meanwhile.",
        )
