"""The vectors of memories, held by a process that asks more than once.

Of a hundred thousand of 384 numbers the nearest are found in a millisecond, where reading their signs from
the database takes fifteen (bench/beside_vectors.py). Every vector is what the database has: what was added
is read before each search, and all is read again when any was deleted or changed, by whatever process.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.storage.records.sign_search import closest, words_of
from recortex.storage.records.vectors import quantised

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recortex.storage.sqlite.pool import Pool

MOST = 200_000
"""With more vectors nothing is held: these take 90 MB."""
_CHUNK = 5_000
"""Vectors that are read by one statement."""
_GROWTH = 1.2
_ONCE = 1
"""Searches that a process makes without: a command that asks one question would read all for nothing."""


class _Held(NamedTuple):
    """The vectors of an embedder, in arrays that have room for more.

    Attributes:
        changes: what the database had counted when they were read.
        seen: the newest key of any vector then.
        size: how many there are.
        keys: int64, ascending.
        codes: int8, a row for each vector.
        words: uint64, an array for each 64 signs of every vector.
    """

    changes: int
    seen: int
    size: int = 0
    keys: Any = ()
    codes: Any = ()
    words: Sequence[Any] = ()

    @property
    def last(self) -> int:
        """The newest key; 0 before there is one."""
        return int(self.keys[self.size - 1]) if self.size else 0

    def of(self, keys: Sequence[int]) -> dict[int, bytes]:
        """The codes of those vectors that are held, by key."""
        import numpy as np

        known = self.keys[: self.size]
        places = np.minimum(np.searchsorted(known, keys), self.size - 1)
        data, length = self.codes[places].tobytes(), self.codes.shape[1]
        return {
            key: data[place * length : (place + 1) * length]
            for place, (key, held) in enumerate(zip(keys, known[places].tolist(), strict=True))
            if key == held
        }


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
            The keys; None where nothing is held, or vectors of another length.
        """
        self._asked[model] = self._asked.get(model, 0) + 1
        held = self._up_to_date(model) if self._asked[model] > _ONCE else None
        if held is None:
            return None
        import numpy as np

        values, size = np.frombuffer(vector, "<f4"), held.size
        asked = [column[0] for column in words_of((values > 0)[np.newaxis])]
        if len(asked) != len(held.words):
            return None
        places = closest([column[:size] for column in held.words], asked, coarse or limit)
        keys: list[int] = held.keys[places].tolist()
        if not coarse:
            return keys
        distances = _distances(held.codes[places], values)
        return [keys[place] for place in np.lexsort((keys, distances))[:limit].tolist()]

    def holds(self, model: int) -> bool:
        """Whether vectors of an embedder are held, and can be used here."""
        return model in self._held and not self._pool.in_transaction

    def codes(self, model: int, changes: int, keys: Sequence[int]) -> dict[int, bytes] | None:
        """The codes of an embedder's vectors by key.

        Args:
            model: the embedder's key.
            changes: what the database had counted when the keys were read.
            keys: of vectors, which may be another embedder's.

        Returns:
            The codes of those that are this embedder's; None where nothing is held.
        """
        held = self._held.get(model)
        if held is None or held.changes != changes or held.seen < max(keys, default=0):
            held = self._up_to_date(model)
        return held.of(keys) if held else None

    def _up_to_date(self, model: int) -> _Held | None:
        """What is held, with what came since.

        None where there is nothing, too much, or a transaction whose rows may yet be gone.
        """
        if self._pool.in_transaction:
            return None
        with self._lock:
            held = self._held.pop(model, None)
            counted = self._pool.rows(self._sql["changes"])
            if not counted:  # by damage
                return None
            changes, newest = counted[0]
            if held is None or held.changes != changes:
                held = self._extended(model, _Held(changes, newest)) if newest <= self._most else None
            elif held.seen < newest:
                held = self._extended(model, held._replace(seen=newest))
            if held is not None:
                self._held[model] = held
            return held

    def _extended(self, model: int, held: _Held) -> _Held | None:
        """What is held with later vectors.

        None where earlier ones were changed since, or there are none or too many.
        """
        for changes, rows in self._read(model, held.last + 1):
            lengths = {len(code) for _, code in rows} | ({held.codes.shape[1]} if held.size else set())
            if changes != held.changes or len(lengths) > 1:  # the latter by damage alone
                return None
            held = _with(held, rows)
        return held if 0 < held.size <= self._most else None

    def _read(self, model: int, first: int) -> Iterator[tuple[int, list[tuple[int, bytes]]]]:
        """Keys and codes from a key on, in chunks, with what the database has counted of changes."""
        more = True
        while more:
            found = self._pool.rows(self._sql["held"], (model, first, _CHUNK))
            rows = [(key, code) for _, key, code in found if key is not None]
            yield found[0][0], rows
            more = len(rows) == _CHUNK
            first = rows[-1][0] + 1 if rows else first


def _with(held: _Held, rows: Sequence[tuple[int, bytes]]) -> _Held:
    """The same with later vectors, in the same arrays as far as these have room.

    Who reads meanwhile goes by the former size.
    """
    if not rows:
        return held
    codes = _table([code for _, code in rows])
    words, start, end = words_of(codes > 0), held.size, held.size + len(rows)
    if end > len(held.keys):
        # At first for all that may come: what is copied again and again leaves holes in the memory.
        room = max(int(end * _GROWTH) if start else end, end + min(held.seen - rows[-1][0], MOST))
        held = held._replace(
            keys=_longer(held.keys, (room,), "int64"),
            codes=_longer(held.codes, (room, codes.shape[1]), "int8"),
            words=[_longer(column, (room,), "uint64") for column in held.words or [()] * len(words)],
        )
    held.keys[start:end] = [key for key, _ in rows]
    held.codes[start:end] = codes
    for kept, added in zip(held.words, words, strict=True):
        kept[start:end] = added
    return held._replace(size=end)


def _longer(array: Any, shape: tuple[int, ...], of: str) -> Any:
    """An array with more rows; what is not used of it takes no memory yet."""
    import numpy as np

    longer = np.empty(shape, of)
    if len(array):
        longer[: len(array)] = array
    return longer


def _table(codes: Sequence[bytes]) -> Any:
    """Codes as int8, a row for each vector."""
    import numpy as np

    return np.frombuffer(b"".join(codes), np.int8).reshape(len(codes), -1)


def _distances(codes: Any, values: Any) -> Any:
    """How far vectors are from a question's: 1 - cosine as float32, to the digit as sqlite-vec has it."""
    import numpy as np

    asked = np.frombuffer(quantised(values.tobytes()), np.int8).astype(np.float32)
    rows = codes.astype(np.float32)  # exact: sums of such products are whole numbers below 2^24
    squares = np.einsum("ij,ij->i", rows, rows).astype(np.float64)
    lengths = np.sqrt(squares) * np.sqrt(float(asked @ asked))
    return (1.0 - (rows @ asked) / lengths).astype(np.float32)
