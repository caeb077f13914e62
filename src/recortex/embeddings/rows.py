"""Pools, cuts, checks and normalises vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from recortex.errors import DimensionMismatchError, EmbeddingError, TextRefusedError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from recortex.ports.embedding import Vectors

_NUMBERS = "fiu"  # numpy's kinds of real numbers
Pooling = Literal["mean", "cls", "last"]
"""How the vectors of tokens become one: their mean, that of the first, or that of the last."""


def normalised(rows: npt.ArrayLike) -> Vectors:
    """The rows at unit length.

    Raises:
        TextRefusedError: a row is not finite, or is zero; other texts may work.
    """
    import numpy as np

    values = np.asarray(rows, dtype=np.float64)
    if not np.isfinite(values).all():
        raise TextRefusedError("A vector has a value that is not finite.")
    peaks = np.abs(values).max(axis=1, keepdims=True, initial=0.0)
    if not peaks.all():
        raise TextRefusedError("A vector is zero: it has no direction.")
    values = values / peaks  # otherwise squares of very large or small numbers would be infinite or zero
    return np.asarray(values / np.linalg.norm(values, axis=1, keepdims=True), dtype=np.float32)


def cut(rows: Vectors, dimensions: int) -> Vectors:
    """The first dimensions of each row, scaled to unit length again; meant for Matryoshka models.

    Raises:
        DimensionMismatchError: the rows are shorter than that.
        TextRefusedError: nothing is left of a row.
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
        EmbeddingError: the output is no array of numbers, or has another shape.
        TextRefusedError: the text has no token.
    """
    import numpy as np

    if not isinstance(output, np.ndarray) or output.dtype.kind not in _NUMBERS:
        raise EmbeddingError("The model's output is no array of numbers.")
    if output.ndim == 2 and len(output) == 1:  # noqa: PLR2004  axes
        return output
    if output.ndim != 3 or len(output) != 1:  # noqa: PLR2004
        raise EmbeddingError(f"The model's output has the shape {output.shape}.")
    if not output.shape[1]:
        raise TextRefusedError("The model finds no token in a text.")
    if pooling == "mean":
        return output.mean(axis=1, dtype="float64")  # type: ignore[no-any-return]  # numpy calls it anything
    return output[:, 0 if pooling == "cls" else -1]
