"""A store in one workspace of a PostgreSQL database."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from psycopg import errors, sql

from recortex.domain.maintenance import Integrity, VectorIndexState
from recortex.errors import BackupError, PermissionsError
from recortex.storage.database import copied_tables
from recortex.storage.postgres import translated
from recortex.storage.postgres.migrations import SCHEMA, value, vector_schema
from recortex.storage.postgres.opening import PgCompaction, administration, open_database
from recortex.storage.postgres.words import PgKeywords
from recortex.storage.records.memories import MemoryRecords
from recortex.storage.records.rows import INDEXED
from recortex.storage.records.search import LOOKALIKES, SearchRecords
from recortex.storage.records.vectors import DIGITS, OF_MEMORIES, VectorRecords
from recortex.storage.sqlite.backup import Backups, flaw
from recortex.storage.sqlite.connection import forget
from recortex.storage.sqlite.store import SqliteStore
from recortex.storage.store import EngineStore
from recortex.storage.transfer import FullCopyRecords, copy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from psycopg import Connection

    from recortex.domain.address import Address
    from recortex.storage.database import Key, Row, Table
    from recortex.storage.postgres import PgDatabase
    from recortex.storage.postgres.words import Asked
    from recortex.storage.records.rows import Clause, Keywords
    from recortex.storage.records.vectors import Keys


# -- memories in PostgreSQL: writing and finding them, and copying whole tables


LIVING = frozenset({"active", "proposed", "quarantined"})
MOST_COMPARED = 100_000
"""Memories that are scored to find what a new one is like; the latest, where its words are in more."""


class PgMemories(MemoryRecords):
    """Create, read, change and delete memories; every change leaves the former state behind."""

    def __init__(self, database: PgDatabase, keywords: PgKeywords) -> None:
        super().__init__(database, keywords)
        self._pg = database

    def touch(self, ids: Sequence[str], at: datetime) -> None:
        """Count an access to each; the count of the last moment may be lost when the server crashes."""
        with self._pg.transaction(durable=False):
            super().touch(ids, at)


class PgSearch(SearchRecords):
    """The `SearchStore` of a workspace."""

    def __init__(
        self,
        database: PgDatabase,
        keywords: PgKeywords,
        memories: PgMemories,
        vectors: Callable[[], PgVectors],
    ) -> None:
        super().__init__(database, keywords, memories, vectors)
        self._words = keywords

    def candidates(self, words: Sequence[str], *, terms: bool = False) -> list[tuple[str, str]]:
        """Living memories that share some of these words: (id, text), the most alike first."""
        search = self._words.asked(words)
        if search is None:
            return []
        search = search.rarest_first()
        found = self._lookalikes(search, terms)
        needed = search.needed(found[-1][-1] if len(found) == LOOKALIKES else 0.0)
        if needed > search.finding:
            found = self._lookalikes(search._replace(finding=needed), terms)
        return [(id_, text) for id_, text, status, _ in found if status in LIVING]

    def candidates_of_all(self, asked: Sequence[Sequence[str]]) -> list[list[tuple[str, str]]]:
        """As `candidates`, for each of many new memories."""
        return [self.candidates(words) for words in asked]

    def _lookalikes(self, search: Asked, terms: bool) -> list[tuple[Any, ...]]:
        most = MOST_COMPARED if sum(search.found[: search.finding]) > MOST_COMPARED else None
        return self._rows("lookalikes", LOOKALIKES, *search.values, most, terms)


# -- every table of a workspace as rows; with some go the words that they are found by


_FOUND_BY = ("words", "length")


class PgFullCopy(FullCopyRecords):
    """Reads and writes whole tables."""

    def __init__(
        self,
        database: PgDatabase,
        vectors: PgVectors,
        found: Mapping[str, Keywords],
    ) -> None:
        """Take what counts the words of a table's rows.

        Args:
            database: the workspace.
            vectors: turns vectors into codes and back.
            found: by the names of the tables whose rows are found by words.
        """
        super().__init__(database, vectors)
        self._found = found

    def put(self, table: Table, after: Key | None, until: Key | None, rows: Sequence[Row]) -> None:
        """Put rows in place of those after a key and up to another one."""
        with self._database.transaction():
            if records := self._found.get(table.name):
                for key, *_ in self.between(table, after, until):
                    records.forget(key)
            super().put(table, after, until, rows)

    def columns(self, table: Table) -> tuple[str, ...]:
        """The columns that are written; also the words that a row is found by."""
        return (*table.names, *_FOUND_BY) if table.name in self._found else table.names

    def place_for(self, table: Table, name: str) -> str:
        """How a value is written into a column."""
        if table.name in self._found and name == "words":
            return "CAST(? AS tsvector)"
        return "CAST(? AS halfvec)" if (table.name, name) == ("embeddings", "vector") else "?"

    def written(self, table: Table, row: Row) -> Row:
        """A row as it is written."""
        records = self._found.get(table.name)
        if records is None:
            return super().written(table, row)
        found_by = records.found_by(dict(zip(table.names, row, strict=True)))
        return (*row, *(found_by[name] for name in _FOUND_BY))


# -- a store in one workspace of a PostgreSQL database


CONNECTIONS = 4
"""Of a store that is opened without settings."""


class PgStore(EngineStore):
    """Memories, relations, logs, vectors and search of one workspace.

    Args:
        address: the database and the workspace, both made ready when they are not.
        clock: the time to record for migrations.
        connections: at most.
        backups: the folder for copies, which are SQLite files.
        keep_backups: how many copies stay.

    Raises:
        StoreUnavailableError: the server cannot be reached.
        MigrationError: the schema could not be made, or a newer program wrote it.
    """

    def __init__(
        self,
        address: Address,
        *,
        clock: Callable[[], datetime],
        connections: int = CONNECTIONS,
        backups: Path = Path("backups"),
        keep_backups: int = 5,
    ) -> None:
        self.address = address
        self._clock = clock
        self.database: PgDatabase = open_database(address, now=clock(), size=connections)
        super().__init__(self.database)
        words = {name: PgKeywords(self.database, one) for name, one in INDEXED.items()}
        self.keywords = words
        self.memories: PgMemories = PgMemories(self.database, words["memories"])
        self.compaction = PgCompaction(self.database, self.bytes)
        self.search = PgSearch(self.database, words["memories"], self.memories, lambda: self.vectors)
        self._backups = backups, keep_backups

    @cached_property
    def backups(self) -> Backups:
        """The backups of the store."""
        folder, keep = self._backups
        return Backups(folder, self._write_backup, keep=keep)

    @cached_property
    def vectors(self) -> PgVectors:
        """The vectors of the memories."""
        return PgVectors(self.database, self.address)

    @cached_property
    def full_copy(self) -> PgFullCopy:
        """Every table as rows, for a whole copy."""
        return PgFullCopy(self.database, self.vectors, self.keywords)

    def _write_backup(self, part: Path, now: datetime) -> None:
        """Copy the workspace into a SQLite store, which can be opened, searched, and copied back anywhere."""
        none = part.with_name(f"{part.name}.backups")  # a store that begins here has no backups of its own
        try:
            with closing(SqliteStore(part, backups=none, clock=lambda: now)) as store:
                copy(copied_tables(), self.full_copy, store.full_copy, lambda *_: None)
                store.full_copy.finish()
                store.pool.exclusive().execute("PRAGMA journal_mode = DELETE").fetchall()
        finally:
            forget(part)  # a copy does not change any more: nothing of it can be lost
        if why := flaw(part):
            raise BackupError(f"The backup was not kept: {why}.")

    @property
    def schema(self) -> int:
        """The newest migration applied."""
        return int(self.database.value(f"SELECT max(version) FROM {SCHEMA}.schema_migrations"))

    def transaction(self, *, patience: float | None = None) -> AbstractContextManager[None]:
        """All writes inside are kept as a whole or not at all.

        Args:
            patience: seconds to wait for other writers. Given for what is not worth a long wait: then the
                server's disk is not waited for either.
        """
        return self.database.transaction(patience=patience, durable=patience is None)

    @property
    def unwritable(self) -> str:
        """Empty: what a server refuses, it says at each write."""
        return ""

    @property
    def shown(self) -> str:
        """Where it is, for people; no secret is in it."""
        return self.address.shown

    def bytes(self) -> int:
        """About the space that the workspace takes: its share of the tables by the number of memories."""
        return int(self.database.value(self.database.queries("maintenance")["size"]) or 0)

    def check(self) -> Integrity:
        """Whether the counts of words agree with the rows, and every vector has its signs.

        Pages and keys are the server's to watch (checksums, foreign keys).
        """
        sql = self.database.queries("maintenance")
        agree = self.database.value(sql["totals_agree"])
        unsigned = self.database.value(sql["unsigned"])
        problems = [f"{unsigned} vectors have no signs to be found by"] if unsigned else []
        return Integrity(tuple(problems), index_whole=bool(agree))

    def compact(self) -> None:
        """Give the space of what was deleted free for use, where the role owns the tables.

        Else the server does it later. Bytes of deleted rows may stay in free space of the server's files
        until that is used again. Rewriting the tables (VACUUM FULL) would lock out every workspace: that is
        for who runs the server to decide.
        """
        with suppress(PermissionsError), administration(self.address) as connection, translated():
            tables = connection.execute(
                "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
                " WHERE n.nspname = 'recortex' AND c.relkind = 'r'"
                " AND pg_has_role(c.relowner, 'USAGE')"
            ).fetchall()
            for (table,) in tables:
                connection.execute(f"VACUUM {table}")

    def empty_in_memory(self) -> SqliteStore:
        """A store of its own that is gone when it is no longer used: a small one, and SQLite's."""
        return SqliteStore(Path(":memory:"), backups=self.backups.folder, clock=self._clock)

    def close(self) -> None:
        """Close all connections."""
        self.database.close()


# -- vectors in PostgreSQL, and their approximate index; half precision holds the int8 codes exactly
#
# Pgvector's HNSW, a partial index for each large workspace and model.
#
# The server keeps it up to date and whole; here it is made, looked for and asked. While there is none that
# is valid, every vector is compared by its signs, as in a small workspace. Queries hold the workspace, the
# model and the length as literals: only so the planner proves that the partial index has every row that is
# wanted.


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
"""What the right to re-embed is called among advisory locks; the right to write is 0x5EC0."""
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
        """Keys of the memories with the nearest vectors, nearest first (`VectorRecords.nearest`)."""
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
