"""Vectors as bytes: compressed to int8, and compared."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt

    from recortex.engines.indexing.pieces import AskedPieces

    Row: TypeAlias = npt.NDArray[np.float32]

_LARGEST = 127
_scratch = threading.local()


class QuestionVector(NamedTuple):
    """A question's vector, with the name of the embedder that made it.

    Attributes:
        pieces: None where the embedder tells no word pieces.
    """

    model: str
    values: Row
    pieces: AskedPieces | None = None

    @property
    def raw(self) -> bytes:
        """The values as little-endian float32."""
        return bytes(self.values.astype("<f4").tobytes())


def mean_direction(vectors: npt.NDArray[np.float32]) -> Row:
    """The mean of vectors of unit length (rows), of unit length again; a single one as it is."""
    import numpy as np

    mean = vectors[0] if len(vectors) == 1 else vectors.mean(axis=0)
    length = 1.0 if len(vectors) == 1 else max(float(np.linalg.norm(mean)), 1e-12)
    return np.asarray(mean / length, dtype=np.float32)


def compact(vector: Row) -> bytes:
    """The vector as int8, a byte per dimension, the largest ±127. Cosines change by less than 0.01."""
    import numpy as np

    scale = _LARGEST / max(float(np.abs(vector).max(initial=0.0)), 1e-12)
    return bytes(np.rint(vector * scale).astype(np.int8).tobytes())


def direction(code: bytes) -> bytes:
    """An int8 vector as little-endian float32, for comparing it with others."""
    import numpy as np

    return bytes(np.frombuffer(code, dtype=np.int8).astype("<f4").tobytes())


def cosine(a: bytes, b: bytes) -> float:
    """The cosine between two vectors of int8 values."""
    import numpy as np

    row = np.frombuffer(a, dtype=np.int8).astype(np.float32)
    return cosines(row, {0: b})[0]


def cosines(query: Row, vectors: Mapping[int, bytes]) -> dict[int, float]:
    """The cosine between the query and each vector, by its key.

    A vector with one byte per dimension is int8, with four little-endian float32; others are left out.
    """
    import numpy as np

    small = {key: raw for key, raw in vectors.items() if len(raw) == query.size}
    large = {key: raw for key, raw in vectors.items() if len(raw) == 4 * query.size}
    found: dict[int, float] = {}
    for group, kind in ((small, np.int8), (large, np.dtype("<f4"))):
        if group:
            rows = np.frombuffer(b"".join(group.values()), dtype=kind).reshape(len(group), -1)
            found.update(zip(group, _cosines(query, _floats(rows)), strict=True))
    return found


def _floats(rows: npt.NDArray[np.generic]) -> Row:
    """The rows as float32, in memory that the thread's next call uses again.

    The system would give fresh memory page by page, which takes three times as long as all that is computed.
    """
    import numpy as np

    room: Row | None = getattr(_scratch, "room", None)
    if room is None or room.size < rows.size:
        room = _scratch.room = np.empty(2 * rows.size, np.float32)
    floats = room[: rows.size].reshape(rows.shape)
    np.copyto(floats, rows)
    return floats


def _cosines(query: Row, rows: Row) -> list[float]:
    import numpy as np

    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows)) * np.linalg.norm(query)
    found: list[float] = (rows @ query / np.maximum(norms, 1e-12)).tolist()
    return found
