"""Memories in PostgreSQL: writing and finding them, and copying whole tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.storage.records.full_copy import FullCopyRecords
from recortex.storage.records.memories import MemoryRecords
from recortex.storage.records.search import LOOKALIKES, SearchRecords

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.vector_index import PgVectors
    from recortex.storage.postgres.words import Asked, PgKeywords
    from recortex.storage.records.keywords import Keywords
    from recortex.storage.tables import Key, Row, Table

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
