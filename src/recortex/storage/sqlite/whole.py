"""Every table of a SQLite store as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.storage.records.whole import WholeRecords

if TYPE_CHECKING:
    from recortex.storage.transfer import Table

_BY_ROWID = frozenset({"memory_files", "memory_functions"})


class SqliteWhole(WholeRecords):
    """Reads and writes whole tables; what has no key of its own goes by its row's number."""

    def column(self, table: Table, name: str) -> str:
        """What a column is called here."""
        return "rowid" if name == "place" and table.name in _BY_ROWID else name

    def insertion(self, table: Table) -> str:
        """The statement that writes a row, or brings it up to date."""
        if table.name not in _BY_ROWID:
            return super().insertion(table)
        columns = ", ".join(self.column(table, name) for name in table.columns)
        marks = ", ".join("?" for _ in table.columns)
        return f"INSERT OR REPLACE INTO {table.name} ({columns}) VALUES ({marks})"

    def finish(self) -> None:
        """The copy is complete; no key of a memory that is gone is ever given again."""
        with self._database.transaction():
            super().finish()
            self._database.rows(self._database.queries("memories")["last_key"])
