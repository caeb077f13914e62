"""Vectors in PostgreSQL, and their approximate index; half precision holds the int8 codes exactly.

Pgvector's HNSW, a partial index for each large workspace and model.

The server keeps it up to date and whole; here it is made, looked for and asked. While there is none that
is valid, every vector is compared by its signs, as in a small workspace. Queries hold the workspace, the
model and the length as literals: only so the planner proves that the partial index has every row that is
wanted.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from psycopg import errors, sql

from recortex.domain.maintenance import VectorIndexState
from recortex.storage.postgres.migrations import SCHEMA, value, vector_schema
from recortex.storage.postgres.opening import administration
from recortex.storage.postgres.pool import translated
from recortex.storage.records.vectors import DIGITS, OF_MEMORIES, VectorRecords

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager

    from psycopg import Connection

    from recortex.domain.address import Address
    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.records.rows import Clause
    from recortex.storage.records.vectors import Keys

LEAST = 50_000
"""Fewer vectors are compared one by one (bench/scale.py)."""
LINKS, EFFORT = 24, 128
"""Neighbours of a vector in the graph, and how many are looked at to place one (bench/scale.py); as in
SQLite."""
LONGEST = 4_000
"""pgvector indexes no longer halfvec."""
MOST_MEMORY = 4 << 30
"""Bytes that the server may use to build: with less than the graph takes, the rest is built on disk, many
times slower."""
LOOKED_SECONDS = 30.0
"""For so long it is believed that an index is there, or is not."""
BUILDING = 0x5EC2
"""The right to make indexes of a workspace, among advisory locks."""
_REEMBEDDING = 0x5EC1
"""What the right to re-embed is called among advisory locks; the right to write is 0x5EC0 (pool.py)."""
_HEAD = 4
"""Bytes before the numbers in a halfvec's binary form (two of the dimensions, two unused), and before the
bits in that of signs (their number)."""
_MADE_BY = "The job that follows each session makes it."


class Large(NamedTuple):
    """A model's vectors in this workspace, and the index for them."""

    model: int
    dimensions: int
    vectors: int
    valid: bool | None

    @property
    def due(self) -> bool:
        """Whether there should be an index."""
        return self.vectors >= LEAST and 0 < self.dimensions <= LONGEST


class PgVectors(VectorRecords):
    """Vectors of memories, and the indexes of a workspace that find the nearest of them.

    Args:
        database: the workspace.
        address: where an own connection goes that makes indexes, with the rights of the role itself.
    """

    COLUMN = "halfvec_send(e.vector)"

    def __init__(self, database: PgDatabase, address: Address) -> None:
        super().__init__(database)
        self._server = database
        self._own = database.workspace
        self._address = address
        self._seen: dict[int, tuple[float, int]] = {}

    def nearest(self, model: int, vector: bytes, limit: int, clause: Clause) -> list[int] | None:
        """Keys of the memories with the nearest vectors, nearest first (`records.search.NearestFinder`)."""
        condition, values = clause
        numbers = memoryview(vector).cast("f")
        if self._indexed(model) != len(numbers):
            return None
        text = self._sql["near"].replace("1 = 1", condition)
        known = {"workspace": self._own, "model": model, "dimensions": len(numbers), "limit": limit}
        for name, number in known.items():
            text = text.replace(f"/*{name}*/", str(int(number)))
        asked = "[" + ",".join(format(number, ".6g") for number in numbers) + "]"
        found = [row[0] for row in self._database.rows(text, (asked, *values))]
        return found if len(found) >= limit else None

    def keep_index(self, *, threads: int = 1, least: int = LEAST) -> int:
        """Make the indexes that are due and drop those that nobody needs.

        Where the role may not, nothing is done; `index_state` says so.

        Args:
            threads: of the server.
            least: vectors from which on an index is made.

        Returns:
            How many vectors were put in.
        """
        with translated(), administration(self._address) as connection:
            connection.execute("SELECT set_config('recortex.workspace', %s, false)", (str(self._own),))
            lock = (BUILDING, self._own % 2**31)
            if not value(connection, "SELECT pg_try_advisory_lock(%s::int, %s::int)", lock):
                return 0
            try:
                with suppress(errors.InsufficientPrivilege):
                    return self._keep(connection, threads, least)
            finally:
                # The server releases a closed connection's lock later than the next caller may ask for it.
                connection.execute("SELECT pg_advisory_unlock(%s::int, %s::int)", lock)
        return 0

    def index_state(self, *, thorough: bool = True) -> VectorIndexState | None:  # noqa: ARG002
        """How the index of the model with the most vectors stands; None where they are too few for one."""
        large = max(self._large(), key=lambda one: one.vectors, default=None)
        if large is None or not (large.due or large.valid is not None):
            return None
        if large.valid:
            return VectorIndexState(large.vectors, large.vectors)
        if not self._database.value(self._sql["may_index"]):
            by = f"Let the role that owns the tables run: {self._statement(large)}"
            return VectorIndexState(large.vectors, 0, "the role may not make one", by)
        broken = "it was not made yet" if large.valid is None else "its making was broken off"
        return VectorIndexState(large.vectors, 0, broken, _MADE_BY)

    def _indexed(self, model: int) -> int:
        """The length of the vectors in a valid index; 0 where there is none."""
        at, dimensions = self._seen.get(model, (0.0, 0))
        if not at or time.monotonic() - at > LOOKED_SECONDS:
            found = self._database.value(self._sql["indexed"], (model, self._name(model)))
            dimensions = int(found or 0)
            self._seen[model] = time.monotonic(), dimensions
        return dimensions

    def _large(self) -> list[Large]:
        return [Large(*row) for row in self._rows("large", self._name(""))]

    def _keep(self, connection: Connection[Any], threads: int, least: int) -> int:
        made = 0
        large = self._large()
        wanted = {self._name(one.model) for one in large if one.vectors >= least // 2}
        for (name,) in connection.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid"
            " WHERE c.relnamespace = %s::regnamespace AND starts_with(c.relname, %s)",
            (SCHEMA, self._name("")),
        ).fetchall():
            valid = any(self._name(one.model) == name and one.valid for one in large)
            if name not in wanted or not valid:
                connection.execute(
                    sql.SQL("DROP INDEX CONCURRENTLY IF EXISTS {}").format(sql.Identifier(SCHEMA, name))
                )
        for one in large:
            if one.vectors >= least and 0 < one.dimensions <= LONGEST and not one.valid:
                self._make(connection, one, threads)
                made += one.vectors
        self._seen.clear()
        return made

    def _make(self, connection: Connection[Any], one: Large, threads: int) -> None:
        kilobytes = min(one.vectors * _bytes_each(one.dimensions), MOST_MEMORY) >> 10
        connection.execute(
            f"SET maintenance_work_mem = {max(kilobytes, 64 << 10)};"
            f" SET max_parallel_maintenance_workers = {max(threads - 1, 0)};"
            f" SET search_path = {SCHEMA}, {vector_schema(connection)}, public"
        )
        leaf = value(
            connection,
            f"SELECT tableoid::regclass::text FROM {SCHEMA}.embeddings WHERE workspace = %s LIMIT 1",
            (self._own,),
        )
        connection.execute(self._statement(one, leaf or "embeddings"))

    def _statement(self, one: Large, table: str = "embeddings") -> str:
        return (
            f"CREATE INDEX CONCURRENTLY {self._name(one.model)} ON {table}"
            f" USING hnsw ((CAST(vector AS halfvec({one.dimensions}))) halfvec_cosine_ops)"
            f" WITH (m = {LINKS}, ef_construction = {EFFORT})"
            f" WHERE workspace = {self._own} AND model = {one.model} AND key > 0"
            f" AND vector_dims(vector) = {one.dimensions}"
        )

    def _name(self, model: int | str) -> str:
        return f"embeddings_near_{self._own}_{model}"

    def claimed(self) -> AbstractContextManager[bool]:
        """Hold the right to re-embed this workspace while inside; False where another connection has it."""
        return self._server.claimed(_REEMBEDDING)

    def code(self, column: Any) -> bytes:
        """The int8 codes of a halfvec's binary form: big-endian halves."""
        return np.frombuffer(column, dtype=">f2", offset=_HEAD).astype(np.int8).tobytes()

    def column(self, code: bytes) -> str:
        """Int8 codes as a halfvec's text."""
        return str(list(memoryview(code).cast("b"))).replace(" ", "")

    def signs(self, code: bytes) -> str:
        """A bit for each code, set where it is above zero."""
        return code.translate(DIGITS).decode()

    def packed(self, signs: str | bytes) -> bytes:
        """Signs as digits, or as the binary form of bits: the first one is a byte's highest."""
        if isinstance(signs, str):
            size = -(-len(signs) // 8)
            return int(signs.ljust(8 * size, "0"), 2).to_bytes(size, "big")
        return bytes(signs[_HEAD:])

    def put(self, model: str, codes: Mapping[bytes, bytes], between: Keys = OF_MEMORIES) -> dict[bytes, int]:
        """Keep vectors by hash, all in one statement; inside a transaction."""
        dimensions = len(next(iter(codes.values()), b""))
        key = self._number("model", model, dimensions)
        vectors = [self.column(code) for code in codes.values()]
        signs = [self.signs(code) for code in codes.values()]
        found = self._rows("put", key, list(codes), vectors, signs, *between)
        return {bytes(hash_): int(key) for hash_, key in found}


def _bytes_each(dimensions: int) -> int:
    """About what a vector takes in the graph while it is built.

    Its numbers, its neighbours and what is noted of them.
    """
    return 2 * dimensions + 3 * LINKS * 16 + 512
