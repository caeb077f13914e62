"""Every table of a workspace as rows; with memories go the words that they are found by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.domain.search import SearchText
from recortex.storage.postgres.words import words_of
from recortex.storage.records.full_copy import FullCopyRecords
from recortex.storage.tables import MEMORIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.storage.postgres.memories import PgMemories, WordCounts
    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.vector_index import PgVectors
    from recortex.storage.tables import Table
    from recortex.storage.transfer import Key, Row

_TEXT, _TERMS, _CONTEXT = (MEMORIES.names.index(name) for name in ("text", "terms", "context"))
_FOUND_BY = ("words", "length")


class PgFullCopy(FullCopyRecords):
    """Reads and writes whole tables."""

    def __init__(
        self, database: PgDatabase, vectors: PgVectors, memories: PgMemories, counts: WordCounts
    ) -> None:
        super().__init__(database, vectors)
        self._workspace = database.workspace
        self._memories = memories
        self._counts = counts

    def put(self, table: Table, after: Key | None, until: Key | None, rows: Sequence[Row]) -> None:
        """Put rows in place of those after a key and up to another one."""
        with self._database.transaction():
            if table.name == "memories":
                for key, *_ in self.between(table, after, until):
                    self._memories.forget_words(key)
            super().put(table, after, until, rows)

    def columns(self, table: Table) -> tuple[str, ...]:
        """The columns that are written; of a memory also the words that it is found by."""
        return (*table.names, *_FOUND_BY) if table.name == "memories" else table.names

    def place_for(self, table: Table, name: str) -> str:
        """How a value is written into a column."""
        if table.name == "memories" and name == "words":
            return "CAST(? AS tsvector)"
        return "CAST(? AS halfvec)" if (table.name, name) == ("embeddings", "vector") else "?"

    def written(self, table: Table, row: Row) -> Row:
        """A row as it is written."""
        if table.name != "memories":
            return super().written(table, row)
        words = words_of(row[_TEXT], SearchText(row[_TERMS], row[_CONTEXT]))
        self._counts.add(words.said, words.length)
        return (*row, words.vector(self._workspace), words.length)
