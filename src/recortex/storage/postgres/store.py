"""A store in one workspace of a PostgreSQL database."""

from __future__ import annotations

from contextlib import closing, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recortex.domain.maintenance import Integrity
from recortex.domain.search import CHUNK_WEIGHTS_DOUBLED, EXCHANGE_WEIGHTS_DOUBLED
from recortex.errors import BackupError, PermissionsError
from recortex.ports.search import MOST_SCORED
from recortex.storage.postgres.memories import PgFullCopy, PgMemories, WordCounts, words_of_columns
from recortex.storage.postgres.migrations import SCHEMA
from recortex.storage.postgres.opening import PgCompaction, administration, open_database
from recortex.storage.postgres.pool import translated
from recortex.storage.postgres.search import PgSearch, asked_for, frequencies_of, holding
from recortex.storage.postgres.vector_index import PgVectors
from recortex.storage.records.chunk_search import (
    MOST_FOUND,
    ChunkSearchRecords,
    ExchangeSearchRecords,
    rarest,
    where,
)
from recortex.storage.records.documents import DocumentRecords
from recortex.storage.records.exchanges import ExchangeRecords
from recortex.storage.records.exchanges import where as exchanges_where
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
    from recortex.domain.exchange import ExchangeQuery
    from recortex.domain.search import MemoryQuery
    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.search import Asked


# -- documents in PostgreSQL: with each chunk, the words that it is found by


class PgDocuments(DocumentRecords):
    """Documents, and chunks with the words that they are found by."""

    def __init__(self, database: PgDatabase, counts: WordCounts) -> None:
        super().__init__(database, database)
        self._counts = counts

    def found_by(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The words of a chunk; they are counted."""
        return self._counts.count(words_of_columns(row, CHUNK_WEIGHTS_DOUBLED))

    def forget_words(self, key: int) -> None:
        """Take a chunk's words out of the counts, before it is changed or deleted."""
        self._counts.take_out(self._database.rows(self._of_chunks["words_of"], (key,)))


class PgChunkSearch(ChunkSearchRecords):
    """The `ChunkSearch` of a workspace."""

    def __init__(self, database: PgDatabase, vectors: PgVectors, counts: WordCounts) -> None:
        super().__init__(database, vectors)
        self._workspace = database.workspace
        self._counts = counts

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many chunks contain it."""
        return frequencies_of(self._counts, words)

    def holding(self, words: Sequence[str], keys: Sequence[int]) -> dict[str, frozenset[int]]:
        """For each word, those of the chunks that contain it."""
        return holding(self._database, self._workspace, self._sql["holding"], words, keys)

    def match(
        self,
        words: Sequence[str],
        limit: int,
        only: MemoryQuery | None,
        *,
        all_required: bool = False,
        score_only: Sequence[str] = (),
    ) -> list[tuple[int, float]]:
        """Keys of chunks with any of the words, or all, best first; of equals the oldest first."""
        search = asked_for(
            self._counts, self._workspace, words, all_required=all_required, score_only=score_only
        )
        if search is None:
            return []
        condition, values = where(only)
        if not values:
            rows = self._rows("match", limit, *search.values, search.most())
        else:
            sql = self._sql["match_among"].replace("LIMIT ALL", f"LIMIT {MOST_SCORED}")
            rows = self._database.rows(sql.replace("1 = 1", condition), (limit, *search.values, *values))
        return [(key, score) for key, score in rows]


# -- exchanges in PostgreSQL: with each, the words that it is found by


class PgExchanges(ExchangeRecords):
    """Exchanges with the words that they are found by."""

    def __init__(self, database: PgDatabase, counts: WordCounts) -> None:
        super().__init__(database, database)
        self._counts = counts

    def found_by(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The words of an exchange; they are counted."""
        return self._counts.count(words_of_columns(row, EXCHANGE_WEIGHTS_DOUBLED))

    def forget_words(self, key: int) -> None:
        """Take an exchange's words out of the counts, before it is changed or deleted."""
        self._counts.take_out(self._rows("words_of", key))


class PgExchangeSearch(ExchangeSearchRecords):
    """The `ExchangeSearch` of a workspace."""

    def __init__(self, database: PgDatabase, vectors: PgVectors, counts: WordCounts) -> None:
        super().__init__(database, vectors)
        self._workspace = database.workspace
        self._counts = counts

    def frequencies(self, words: Sequence[str]) -> list[int]:
        """For each word, how many exchanges contain it."""
        return frequencies_of(self._counts, words)

    def match(
        self, words: Mapping[str, int], limit: int, only: ExchangeQuery | None
    ) -> list[tuple[int, float]]:
        """Keys with their BM25 score over the parts, best first.

        The rarest words find, and more only where these find too few; all score.
        """
        search = asked_for(self._counts, self._workspace, list(words))
        if search is None:
            return []
        search = search.held().rarest_first()
        if not search.lexemes:
            return []
        finding, read = rarest(search.found)
        found = self._matching(search._replace(finding=finding), limit, only)
        if len(found) < limit and finding < len(search.found):
            found += self._matching(search._replace(finding=max(read, finding + 1)), limit, only)
        return sorted(dict(found).items(), key=lambda entry: (-entry[1], entry[0]))[:limit]

    def _matching(self, search: Asked, limit: int, only: ExchangeQuery | None) -> list[tuple[int, float]]:
        if only is None:
            rows = self._rows("match", limit, *search.values, search.most(MOST_FOUND))
            return [(key, score) for key, score in rows]
        condition, values = exchanges_where(only)
        sql = self._sql["match_among"].replace("LIMIT ALL", f"LIMIT {MOST_FOUND}")
        rows = self._database.rows(sql.replace("1 = 1", condition), (limit, *search.values, *values))
        return [(key, score) for key, score in rows]


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
        counts = WordCounts(self.database)
        self._said = WordCounts(self.database, "exchanges")
        self._written = WordCounts(self.database, "chunks")
        self.memories: PgMemories = PgMemories(self.database, counts)
        self.vectors: PgVectors = PgVectors(self.database, address)
        self.compaction = PgCompaction(self.database, self.bytes)
        self.backups: Backups = Backups(backups, self._write_backup, keep=keep_backups)
        self.search = PgSearch(self.database, self.memories, self.vectors, counts)

    @cached_property
    def exchanges(self) -> PgExchanges:
        """What was said in sessions."""
        return PgExchanges(self.database, self._said)

    @property
    def exchange_words(self) -> PgExchangeSearch:
        """How usual words are in what was said."""
        return self.exchange_search

    @cached_property
    def exchange_search(self) -> PgExchangeSearch:
        """Search over what was said."""
        return PgExchangeSearch(self.database, self.vectors, self._said)

    @cached_property
    def documents(self) -> PgDocuments:
        """Documents that were ingested."""
        return PgDocuments(self.database, self._written)

    @cached_property
    def chunk_search(self) -> PgChunkSearch:
        """Search over the chunks of documents."""
        return PgChunkSearch(self.database, self.vectors, self._written)

    @cached_property
    def full_copy(self) -> PgFullCopy:
        """Every table as rows, for a whole copy."""
        return PgFullCopy(
            self.database,
            self.vectors,
            {"memories": self.memories, "exchanges": self.exchanges, "chunks": self.documents},
        )

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
