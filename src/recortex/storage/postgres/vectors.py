"""Vectors in PostgreSQL: pgvector's half precision holds the int8 codes exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.storage.postgres.vector_index import LEAST
from recortex.storage.records.vectors import VectorRecords

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager

    from recortex.domain.embedding import VectorIndexState
    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.vector_index import PgVectorIndex

_REEMBEDDING = 0x5EC1
"""What the right to re-embed is called among advisory locks; the right to write is 0x5EC0 (pool.py)."""

_HEAD = 4
"""Bytes before the numbers in a halfvec's binary form: two of the dimensions, two unused."""
_BIT = bytes(ord("1") if 0 < code < 128 else ord("0") for code in range(256))  # noqa: PLR2004


class PgVectors(VectorRecords):
    """Vectors of memories."""

    COLUMN = "halfvec_send(e.vector)"

    def __init__(self, database: PgDatabase, index: PgVectorIndex) -> None:
        super().__init__(database)
        self._server = database
        self.index = index

    def keep_index(self, *, threads: int = 1, least: int = LEAST) -> int:
        """Make the approximate index where it is due; returns how many vectors were put in.

        Args:
            threads: of the server.
            least: vectors from which on an index is made.
        """
        return self.index.keep(threads=threads, least=least)

    def index_state(self, *, thorough: bool = True) -> VectorIndexState | None:  # noqa: ARG002
        """How the approximate index stands; None where the vectors are too few for one."""
        return self.index.state()

    def claimed(self) -> AbstractContextManager[bool]:
        """Hold the right to re-embed this workspace while inside; False where another connection has it."""
        return self._server.claimed(_REEMBEDDING)

    def code(self, column: Any) -> bytes:
        """The int8 codes of a halfvec's binary form: big-endian halves."""
        import numpy as np

        return np.frombuffer(column, dtype=">f2", offset=_HEAD).astype(np.int8).tobytes()

    def column(self, code: bytes) -> str:
        """Int8 codes as a halfvec's text."""
        return str(list(memoryview(code).cast("b"))).replace(" ", "")

    def signs(self, code: bytes) -> str:
        """A bit for each code, set where it is above zero."""
        return code.translate(_BIT).decode()

    def keys_of(self, hashes: Sequence[bytes]) -> dict[bytes, int]:
        """The keys of those vectors that are kept already."""
        found = self._database.rows(self._sql["by_hash"], (list(hashes),))
        return {bytes(hash_): int(key) for hash_, key in found}

    def put(self, model: str, codes: Mapping[bytes, bytes]) -> dict[bytes, int]:
        """Keep vectors by hash, all in one statement; inside a transaction."""
        dimensions = len(next(iter(codes.values()), b""))
        key = int(self._database.value(self._sql["model"], (model, dimensions)))
        vectors = [self.column(code) for code in codes.values()]
        signs = [self.signs(code) for code in codes.values()]
        found = self._database.rows(self._sql["put"], (key, list(codes), vectors, signs))
        return {bytes(hash_): int(key) for hash_, key in found}
