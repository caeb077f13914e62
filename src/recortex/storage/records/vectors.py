"""Vectors: kept once by hash as int8 codes, with their signs for a coarse pass.

Plain tables and sqlite-vec's distances beat its own virtual table here: 14 ms against 51 ms for 600 and
400 candidates among 100,000 (bench/vectors.py).
"""

from __future__ import annotations

from abc import abstractmethod
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, ClassVar

from recortex.domain.maintenance import Reembedding
from recortex.lean import NamedTuple
from recortex.storage.database import Records, json

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from contextlib import AbstractContextManager

    from recortex.storage.database import Database
    from recortex.storage.records.rows import Clause


class Keys(NamedTuple):
    """The keys of the vectors of one kind of record lie between these two."""

    after: int
    below: int


OF_MEMORIES, OF_EXCHANGES, OF_CHUNKS = Keys(0, 2**62), Keys(-(2**31) - 1, 0), Keys(-(2**33), -(2**31))
_ONE, _ZERO, _LOWEST_NEGATIVE = ord("1"), ord("0"), 128
DROPPED = 500
"""Vectors deleted in one transaction: 2,000 took 270 ms on a busy machine, for which others would wait."""
DIGITS = bytes(_ONE if 0 < code < _LOWEST_NEGATIVE else _ZERO for code in range(256))
"""The sign of a code as a digit, by the code as an unsigned byte: 1 above zero."""


def signs(code: bytes) -> bytes:
    """A bit for each int8 value, set where it is above zero; the lowest bit first, as sqlite-vec has it."""
    return int(code.translate(DIGITS)[::-1] or b"0", 2).to_bytes(-(-len(code) // 8), "little")


def quantised(vector: bytes) -> bytes:
    """Little-endian float32 values as the int8 codes in which vectors are kept: the largest becomes ±127."""
    import numpy as np

    values = np.frombuffer(vector, "<f4")
    scale = 127 / max(float(np.abs(values).max(initial=0.0)), 1e-12)
    return bytes(np.rint(values * scale).astype(np.int8).tobytes())


class VectorRecords(Records):
    """Vectors of memories.

    Attributes:
        COLUMN: how a vector `e.vector` is read.
    """

    topic = "vectors"
    COLUMN = "e.vector"

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._models: dict[str, tuple[int, int]] = {}

    @abstractmethod
    def nearest(self, model: int, vector: bytes, limit: int, clause: Clause) -> list[int] | None:
        """Keys of the memories whose vectors are nearest, nearest first, by an approximate index.

        Args:
            model: the embedder's key.
            vector: little-endian float32 values.
            limit: at most so many.
            clause: the condition on `memories m`, with its values.

        Returns:
            The keys; None where no index can be used, or too little of what is near passes the condition.
        """

    def model_key(self, model: str, length: int = 0) -> int | None:
        """The key of an embedder whose vectors can be searched; None where there are none.

        Args:
            model: the embedder's name.
            length: of the vector that is compared; vectors of another length are none. 0: any.
        """
        if not self._database.vectors:
            return None
        if model not in self._models or self._models[model][1] != length != 0:
            found = self._rows("model_key", model)
            if not found:
                return None
            self._models[model] = (int(found[0][0]), int(found[0][1]))
        key, kept = self._models[model]
        return key if length in {0, kept} else None

    def code(self, column: Any) -> bytes:
        """The int8 codes of a vector that was read as `COLUMN`."""
        return bytes(column)

    def column(self, code: bytes) -> Any:
        """Int8 codes as they are written."""
        return code

    def signs(self, code: bytes) -> Any:
        """The signs of int8 codes as they are written."""
        return signs(code)

    def keys_of(self, hashes: Sequence[bytes]) -> dict[bytes, int]:
        """The keys of those vectors that are kept already."""
        wanted = json([hash_.hex() for hash_ in hashes])
        return {bytes(hash_): key for hash_, key in self._rows("by_hash", wanted)}

    def packed(self, signs: Any) -> bytes:
        """Signs, as they are written or were read, a bit each; in which order is the engine's own."""
        return bytes(signs)

    def put(self, model: str, codes: Mapping[bytes, bytes], between: Keys = OF_MEMORIES) -> dict[bytes, int]:
        """Keep vectors by hash; inside a transaction."""
        dimensions = len(next(iter(codes.values()), b""))
        model_key = self._number("model", model, dimensions)
        keys: dict[bytes, int] = {}
        for hash_, code in codes.items():
            keys[hash_] = self._number("insert", hash_, model_key, self.column(code), *between)
            self._rows("insert_signs", keys[hash_], model_key, self.signs(code))
        return keys

    def put_pieces(self, pieces: Mapping[int, bytes]) -> None:
        """Keep the word pieces of vectors, by their keys."""
        self._each("insert_pieces", list(pieces.items()))

    def attach(self, pairs: Sequence[tuple[str, int, bytes]], *, first: bool = False) -> None:
        """Give memories their vectors: (id, key of the vector, content hash that it was made for).

        Args:
            pairs: of memories and vectors; a memory whose text has changed since is left as it is.
            first: leave a memory as it is that has a vector.
        """
        self._each("attach_first" if first else "attach", pairs)

    def codes_of(self, ids: Sequence[str], model: str) -> dict[str, bytes]:
        """The vectors of memories by one embedder, as int8 codes."""
        rows = self._rows("codes_of", json(list(ids)), model)
        return {id_: self.code(vector) for id_, vector in rows}

    def pending(self, limit: int, *, best_first: bool = False) -> list[str]:
        """Ids of memories that have no vector.

        The most important and most used first, which reads all of them.
        """
        return self._column("waiting" if best_first else "missing", limit)

    def others(self, model: str) -> dict[int, str]:
        """Embedders besides that one of which there are vectors: their names by their keys."""
        return {int(key): name for key, name in self._rows("others", model)}

    def outdated(self, models: Collection[int], limit: int) -> list[str]:
        """Ids of memories with a vector by one of these embedders, the most important and most used first.

        All of them are read and sorted, whatever the limit: ask for some thousands, not for one batch.
        """
        return self._column("outdated", json(sorted(models)), limit)

    def count_outdated(self, models: Collection[int]) -> int:
        """How many memories have a vector by one of these embedders."""
        return self._number("count_outdated", json(sorted(models)))

    def made(self, model: str) -> int:
        """How many vectors of an embedder are kept: about as many as memories that have one."""
        return self._number("made", model)

    def forget(self, model: str) -> int:
        """Delete an embedder's vectors, in short transactions, and the record of their length.

        Memories are left without them.
        """
        gone = 0
        while keys := self._rows("forget", model, DROPPED):
            with self._database.transaction():
                self._each("detach", keys)
                self._each("detach_exchanges", keys)
                self._each("detach_chunks", keys)
                self._each("delete", keys)
            gone += len(keys)
        self._rows("forgotten", model)
        return gone

    def dimensions(self, model: str) -> int | None:
        """How long an embedder's vectors are; None where there are none."""
        return next(iter(self._column("dimensions", model)), None)

    def claimed(self) -> AbstractContextManager[bool]:
        """Hold the right to re-embed this store while inside; False where another machine has it.

        A store in a file is guarded by a lock beside it, which is the caller's.
        """
        return nullcontext(enter_result=True)

    def reembedding(self, model: str) -> Reembedding | None:
        """How the last change to that embedder went; None where memories never had to be brought to it."""
        return next((Reembedding(*row) for row in self._rows("reembedding", model)), None)

    def reembedded(self, model: str, at: int, *, done: int, milliseconds: int) -> None:
        """Record that so many memories were brought to an embedder; a change that was finished begins anew.

        Args:
            model: the embedder.
            at: microseconds since 1970 UTC.
            done: memories.
            milliseconds: that it took, pauses included.
        """
        self._rows("reembedded", model, at, done, milliseconds)

    def finish_reembedding(self, model: str, at: int) -> None:
        """Record that every memory has its vector of an embedder.

        Changes to others that were not finished are void.
        """
        with self._database.transaction():
            self._rows("finished", model, at)
            self._rows("abandoned", model)

    def drop_left_behind(self, models: Collection[int]) -> int:
        """Delete those vectors of embedders that no memory has, in short transactions; returns how many.

        A former version that had one does not keep it: a state that comes back gets its vector from the
        wanted embedder.
        """
        keys = self._column("left_behind", json(sorted(models)))
        for start in range(0, len(keys), DROPPED):
            with self._database.transaction():
                chunk = [(key,) for key in keys[start : start + DROPPED]]
                self._each("delete_unused", chunk)
        return len(keys)

    def count_pending(self) -> int:
        """How many memories have no vector."""
        return self._number("count_pending")

    def drop_unused(self) -> int:
        """Delete vectors that no memory, version, exchange or chunk has; inside a transaction."""
        keys = self._column("unused")
        self._each("delete", [(key,) for key in keys])
        return len(keys)

    def agrees(self) -> bool:
        """Whether every vector has its signs."""
        kept, signed = self._rows("counts")[0]
        return bool(kept == signed)


# -- vectors that belong to records of one kind alone, apart from those of memories: of exchanges, of chunks


class Owned(NamedTuple):
    """A table whose rows have vectors of their own.

    Attributes:
        columns: hold the keys of a row's vectors.
        between: the keys that these get.
        turn: changes their hashes, so that the same text elsewhere has another vector: what is deleted with
            one kind of record stays with the others. Twice it is what it was.
        select: what a record is read from, of a row `x`.
        read: makes a record of that.
    """

    columns: tuple[str, ...]
    between: Keys
    turn: int
    select: str
    read: Callable[[Sequence[Any]], Any]


class OwnVectors(Records):
    """The vectors of the rows of one table, whose name is the topic.

    Args:
        vectors: keeps them.
    """

    owned: ClassVar[Owned]

    def __init__(self, database: Database, vectors: VectorRecords) -> None:
        super().__init__(database)
        self._vectors = vectors
        self._turn = bytes(self.owned.turn ^ byte for byte in range(256))

    def waiting(self, limit: int) -> list[tuple[int, Any]]:
        """Records without vectors, with their keys: the latest exchanges first, and chunks in their order."""
        sql = f"SELECT x.key, {self.owned.select} FROM {self.topic} x {self._sql['waiting']}"
        return [(key, self.owned.read(row)) for key, *row in self._database.rows(sql, (limit,))]

    def count_waiting(self) -> int:
        """How many have no vectors."""
        return self._number("count_waiting")

    def count_outdated(self, model: str) -> int:
        """How many have vectors of other embedders than that one."""
        return self._number("count_outdated", model)

    def keys_of(self, hashes: Collection[bytes]) -> dict[bytes, int]:
        """The keys of those vectors that are kept already, by the hash of the embedded text."""
        found = self._vectors.keys_of([hash_.translate(self._turn) for hash_ in hashes])
        return {hash_.translate(self._turn): key for hash_, key in found.items()}

    def put(self, model: str, codes: Mapping[bytes, bytes]) -> dict[bytes, int]:
        """Keep vectors as int8 codes by hash; inside a transaction."""
        turned = {hash_.translate(self._turn): code for hash_, code in codes.items()}
        found = self._vectors.put(model, turned, self.owned.between)
        return {hash_.translate(self._turn): key for hash_, key in found.items()}

    def attach(self, vectors: Mapping[int, tuple[int | None, ...]]) -> None:
        """Give records the keys of their vectors, at least one each; inside a transaction."""
        self._each("attach", [(key, *keys) for key, keys in vectors.items()])

    def release_others(self, model: str, limit: int) -> int:
        """Take records the vectors of other embedders than that one: they wait for new ones.

        Returns how many, at most `limit`; inside a transaction.
        """
        keys = self._column("outdated", model, limit)
        self.attach(dict.fromkeys(keys, (None,) * len(self.owned.columns)))
        return len(keys)
