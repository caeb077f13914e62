"""A store in one workspace of a PostgreSQL database."""

from __future__ import annotations

from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.domain.maintenance import Integrity
from recortex.errors import BackupError, PermissionsError
from recortex.storage.postgres.migrations import SCHEMA
from recortex.storage.postgres.opening import PgCompaction, administration, open_database
from recortex.storage.postgres.pool import translated
from recortex.storage.postgres.vector_index import PgVectors
from recortex.storage.postgres.words import PgKeywords
from recortex.storage.records.full_copy import FullCopyRecords
from recortex.storage.records.keywords import INDEXED
from recortex.storage.records.memories import MemoryRecords
from recortex.storage.records.search import LOOKALIKES, SearchRecords
from recortex.storage.sqlite.backup import Backups, flaw
from recortex.storage.sqlite.last_change import forget
from recortex.storage.sqlite.store import SqliteStore
from recortex.storage.store import EngineStore
from recortex.storage.tables import copied
from recortex.storage.transfer import copy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from recortex.domain.address import Address
    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.words import Asked
    from recortex.storage.records.keywords import Keywords
    from recortex.storage.tables import Key, Row, Table


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
        self, database: PgDatabase, keywords: PgKeywords, memories: PgMemories, vectors: PgVectors
    ) -> None:
        super().__init__(database, keywords, memories, vectors, vectors)
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
        self.vectors: PgVectors = PgVectors(self.database, address)
        self.compaction = PgCompaction(self.database, self.bytes)
        self.backups: Backups = Backups(backups, self._write_backup, keep=keep_backups)
        self.search = PgSearch(self.database, words["memories"], self.memories, self.vectors)

    @cached_property
    def full_copy(self) -> PgFullCopy:
        """Every table as rows, for a whole copy."""
        return PgFullCopy(self.database, self.vectors, self.keywords)

    def _write_backup(self, part: Path, now: datetime) -> None:
        """Copy the workspace into a SQLite store, which can be opened, searched, and copied back anywhere."""
        none = part.with_name(f"{part.name}.backups")  # a store that begins here has no backups of its own
        try:
            with closing(SqliteStore(part, backups=none, clock=lambda: now)) as store:
                copy(copied(), self.full_copy, store.full_copy, lambda *_: None)
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
