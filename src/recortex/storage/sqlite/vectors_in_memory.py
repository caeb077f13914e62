"""The vectors of memories, held by a process that asks more than once.

Of a hundred thousand of 384 numbers the nearest are found in a millisecond, where reading their signs from
the database takes fifteen (bench/beside_vectors.py). Every vector is what the database has: what was added
is read before each search, and all is read again when any was deleted or changed, by whatever process.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.storage.records.signs_in_memory import closest, words_of
from recortex.storage.records.vectors import quantised

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.storage.sqlite.pool import Pool

MOST = 200_000
"""With more vectors nothing is held: these take 87 MB."""
_CHUNK = 5_000
"""Vectors that are read by one statement: as rows they take six times their room."""
_GROWTH = 1.2
_SIGNS = 64
_ONCE = 1
"""Searches that a process makes without: a command that asks one question would read all for nothing."""


class _Held(NamedTuple):
    """The vectors of an embedder, in arrays that have room for more.

    Attributes:
        changes: what the database counted when they were read.
        size: how many there are.
        keys: int64, ascending.
        codes: int8, a row for each vector.
        words: uint64, an array for each 64 signs of every vector.
    """

    changes: int
    size: int
    keys: Any
    codes: Any
    words: Sequence[Any]

    @property
    def last(self) -> int:
        """The newest key."""
        return int(self.keys[self.size - 1])


class VectorsInMemory:
    """Finds vectors by their signs and codes, and gives codes.

    Args:
        pool: the database.
        most: with more vectors of an embedder, none are held.
    """

    def __init__(self, pool: Pool, *, most: int = MOST) -> None:
        self._pool = pool
        self._most = most
        self._sql = pool.queries("vectors")
        self._asked: dict[int, int] = {}
        self._held: dict[int, _Held] = {}
        self._lock = threading.Lock()

    def hold(self, model: int) -> None:
        """Read the vectors now: the process is going to ask."""
        self._asked[model] = _ONCE
        self._up_to_date(model)

    def drop(self) -> None:
        """Hold nothing: vectors of what was erased are gone at once."""
        with self._lock:
            self._held.clear()

    def nearest(self, model: int, vector: bytes, limit: int, coarse: int) -> list[int] | None:
        """Keys of vectors, nearest first; of equally near ones the oldest first.

        Args:
            model: the embedder's key.
            vector: little-endian float32 values, as long as the held ones.
            limit: at most so many.
            coarse: how many are found by their signs, to be compared by their codes; 0: their signs decide.

        Returns:
            The keys; None where nothing is held.
        """
        self._asked[model] = self._asked.get(model, 0) + 1
        held = self._up_to_date(model) if self._asked[model] > _ONCE else None
        if held is None:
            return None
        import numpy as np

        values = np.frombuffer(vector, "<f4")
        asked = words_of((values > 0)[np.newaxis])
        words = [column[: held.size] for column in held.words]
        places = closest(words, [int(column[0]) for column in asked], coarse or limit)
        if coarse:
            distances = _distances(held.codes[places], values)
            places = places[np.lexsort((places, distances))][:limit]
        return [int(key) for key in held.keys[places]]

    def holds(self, model: int) -> bool:
        """Whether vectors of an embedder are held."""
        return model in self._held

    def codes(self, model: int, keys: Sequence[int]) -> dict[int, bytes] | None:
        """The codes of an embedder's vectors by key; vectors of others, which are not held, are left out.

        None where nothing is held.
        """
        held = self._up_to_date(model)
        if held is None or not keys:
            return None if held is None else {}
        import numpy as np

        wanted = np.array(keys, np.int64)
        places = np.minimum(np.searchsorted(held.keys[: held.size], wanted), held.size - 1)
        there = (held.keys[places] == wanted).tolist()
        codes, size = held.codes[places].tobytes(), held.codes.shape[1]
        starts = range(0, len(codes), size)
        return {
            key: codes[at : at + size] for key, at, found in zip(keys, starts, there, strict=True) if found
        }

    def _up_to_date(self, model: int) -> _Held | None:
        """What is held, with what came since.

        None where there is nothing, too much, or a transaction whose rows may yet be gone.
        """
        if self._pool.in_transaction:
            return None
        with self._lock:
            before = self._held.pop(model, None)
            held = (before and self._extended(model, before)) or self._extended(model, None)
            if held is not None:
                self._held[model] = held
            return held

    def _extended(self, model: int, held: _Held | None) -> _Held | None:
        """What is held with later vectors.

        None where others were changed since, or there are none or too many.
        """
        if held is None and self._pool.value(self._sql["newest"]) > self._most:
            return None
        for changes, rows in self._read(model, held.last + 1 if held else 1):
            if held is not None and changes != held.changes:
                return None
            held = _with(held or _empty(changes, rows), rows) if held or rows else None
            if held is not None and held.size > self._most:
                return None
        return held

    def _read(self, model: int, first: int) -> Iterator[tuple[int, list[tuple[int, bytes]]]]:
        """Keys and codes from a key on, in chunks, with what the database has counted of changes."""
        more = True
        while more:
            found = self._pool.rows(self._sql["held"], (model, first, _CHUNK))
            rows = [(key, code) for _, key, code in found if key is not None]
            yield found[0][0], rows
            more = len(rows) == _CHUNK
            first = rows[-1][0] + 1 if rows else first


def _empty(changes: int, rows: Sequence[tuple[int, bytes]]) -> _Held:
    """Arrays for the first vectors."""
    import numpy as np

    size = len(rows[0][1])
    words = [np.empty(0, np.uint64)] * -(-size // _SIGNS)
    return _Held(changes, 0, np.empty(0, np.int64), np.empty((0, size), np.int8), words)


def _with(held: _Held, rows: Sequence[tuple[int, bytes]]) -> _Held:
    """The same with later vectors, in the same arrays as far as these have room."""
    import numpy as np

    if not rows:
        return held
    start, end = held.size, held.size + len(rows)
    if end > len(held.keys):
        room = max(end, int(len(held.keys) * _GROWTH))
        arrays = (_longer(one, room) for one in (held.keys, held.codes, *held.words))
        held = _Held(held.changes, start, next(arrays), next(arrays), list(arrays))
    codes = np.frombuffer(b"".join(code for _, code in rows), np.int8).reshape(len(rows), -1)
    held.keys[start:end] = [key for key, _ in rows]
    held.codes[start:end] = codes
    for kept, words in zip(held.words, words_of(codes > 0), strict=True):
        kept[start:end] = words
    return held._replace(size=end)


def _longer(array: Any, room: int) -> Any:
    import numpy as np

    longer = np.empty((room, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer


def _distances(codes: Any, values: Any) -> Any:
    """How far vectors are from a question's: 1 - cosine as float32, to the digit as sqlite-vec has it."""
    import numpy as np

    asked = np.frombuffer(quantised(values.tobytes()), np.int8).astype(np.float32)
    rows = codes.astype(np.float32)  # exact: sums of such products are whole numbers below 2^24
    squares = np.einsum("ij,ij->i", rows, rows).astype(np.float64)
    lengths = np.sqrt(squares) * np.sqrt(float(asked @ asked))
    return (1.0 - (rows @ asked) / lengths).astype(np.float32)
