"""What every maker of vectors does to its rows: pool, cut, look at them, make them of unit length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from recortex.errors import DimensionMismatchError, EmbeddingError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from recortex.ports.embedding import Vectors

Pooling = Literal["mean", "cls", "last"]
"""A text's vector out of its tokens': their mean, that of the first, or of the last."""


def normalised(rows: npt.ArrayLike) -> Vectors:
    """The rows at unit length.

    Raises:
        EmbeddingError: a row holds what is no number, or has no direction.
    """
    import numpy as np

    values = np.asarray(rows, dtype=np.float64)
    if not np.isfinite(values).all():
        raise EmbeddingError("A vector holds what is no finite number.")
    peaks = np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    if not peaks.all():
        raise EmbeddingError("A vector is zero: it has no direction.")
    values = values / peaks  # else the squares of very large or small numbers would be infinite, or nothing
    return np.asarray(values / np.linalg.norm(values, axis=1, keepdims=True), dtype=np.float32)


def cut(rows: Vectors, dimensions: int) -> Vectors:
    """The first dimensions of each row, at unit length again: of a Matryoshka model they are a vector of their own.

    Raises:
        DimensionMismatchError: the rows are shorter than that.
        EmbeddingError: nothing is left of a row.
    """
    if rows.shape[1] < dimensions:
        raise DimensionMismatchError(
            f"The model makes {rows.shape[1]} dimensions; embedding.dimensions asks for {dimensions}.",
            hint=f"Set embedding.dimensions to {rows.shape[1]} or less, or to 0 for all.",
        )
    return normalised(rows[:, :dimensions])


def pooled(output: Any, pooling: Pooling) -> npt.NDArray[np.float64]:
    """One row: of shape (1, dimensions) as it is; of (1, tokens, dimensions) pooled.

    Raises:
        EmbeddingError: it has another shape, or no token.
    """
    if output.ndim == 2 and len(output) == 1:  # noqa: PLR2004  axes
        return output  # type: ignore[no-any-return]
    if output.ndim != 3 or len(output) != 1 or not output.shape[1]:  # noqa: PLR2004
        raise EmbeddingError(f"The model's output has the shape {output.shape}.")
    if pooling == "mean":
        return output.mean(axis=1, dtype="float64")  # type: ignore[no-any-return]
    return output[:, 0 if pooling == "cls" else -1]  # type: ignore[no-any-return]
