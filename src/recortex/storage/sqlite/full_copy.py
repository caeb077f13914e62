"""Every table of a SQLite store as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.storage.records.full_copy import FullCopyRecords

if TYPE_CHECKING:
    from recortex.storage.tables import Table


class SqliteFullCopy(FullCopyRecords):
    """Reads and writes whole tables; what has no key of its own goes by its row's number."""

    def column(self, table: Table, name: str) -> str:
        """What a column is called here."""
        return "rowid" if table.numbered and name == "place" else name

    def insertion(self, table: Table) -> str:
        """The statement that writes a row, or brings it up to date."""
        if not table.numbered:
            return super().insertion(table)
        columns = ", ".join(self.column(table, name) for name in table.names)
        marks = ", ".join("?" for _ in table.columns)
        return f"INSERT OR REPLACE INTO {table.name} ({columns}) VALUES ({marks})"

    def finish(self) -> None:
        """The copy is complete; no key of a memory that is gone is ever given again."""
        with self._database.transaction():
            super().finish()
            self._database.rows(self._database.queries("memories")["last_key"])
