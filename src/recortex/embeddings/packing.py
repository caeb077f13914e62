"""The form in which a vector is kept: one signed byte per dimension, its largest at 127.

Only the direction of a unit vector matters, so its scale is not kept. 384 bytes instead of 1,536; recall at 10
against float32 is 0.99 (`bench/vectors.py`). sqlite-vec reads the form as `vec_int8(…)`, and
`vec_quantize_binary(vec_int8(…))` gives the signs for a coarse pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.errors import DimensionMismatchError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.ports.embedding import Vectors

LARGEST = 127


def pack(vectors: Vectors) -> list[bytes]:
    """Return each row of unit vectors as signed bytes."""
    import numpy as np

    peaks = np.abs(vectors).max(axis=1, keepdims=True)
    peaks[peaks == 0] = 1.0
    rounded = np.rint(vectors / peaks * LARGEST).astype(np.int8)
    return [row.tobytes() for row in rounded]


def unpack(packed: Sequence[bytes], dimensions: int) -> Vectors:
    """Return packed vectors as float32 rows of unit length, shape (len(packed), dimensions).

    Raises:
        DimensionMismatchError: One of them has another length.
    """
    import numpy as np

    for row in packed:
        if len(row) != dimensions:
            raise DimensionMismatchError(f"a vector has {len(row)} dimensions, expected {dimensions}")
    values = np.frombuffer(b"".join(packed), dtype=np.int8).reshape(len(packed), dimensions)
    rows = values.astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1.0
    rows /= lengths
    return rows
