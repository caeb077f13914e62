"""Every table of a workspace as rows; with memories and exchanges go the words that they are found by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.storage.records.full_copy import FullCopyRecords

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.storage.postgres.exchanges import PgExchanges
    from recortex.storage.postgres.memories import PgMemories
    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.vector_index import PgVectors
    from recortex.storage.tables import Table
    from recortex.storage.transfer import Key, Row

_FOUND_BY = ("words", "length")


class PgFullCopy(FullCopyRecords):
    """Reads and writes whole tables."""

    def __init__(
        self, database: PgDatabase, vectors: PgVectors, memories: PgMemories, exchanges: PgExchanges
    ) -> None:
        super().__init__(database, vectors)
        self._found: dict[str, PgMemories | PgExchanges] = {"memories": memories, "exchanges": exchanges}

    def put(self, table: Table, after: Key | None, until: Key | None, rows: Sequence[Row]) -> None:
        """Put rows in place of those after a key and up to another one."""
        with self._database.transaction():
            if records := self._found.get(table.name):
                for key, *_ in self.between(table, after, until):
                    records.forget_words(key)
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
