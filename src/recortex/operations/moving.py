"""Moving a whole store: migrate-store."""

from __future__ import annotations

import time

from recortex.operations.base import Operations
from recortex.operations.registry import operation
from recortex.operations.results.moving import StoreCopied, TableCopied


class Moving(Operations):
    """migrate_store."""

    @operation(person=True)
    def migrate_store(self, source: str, target: str, *, dry_run: bool = False) -> StoreCopied:
        """Copy a whole store into another one, from SQLite to PostgreSQL, back, or between two of a kind.

        Every table is compared by checksums, and only what differs is written: a copy that was stopped goes on where it
        stopped. The source is only read. The target must be new, or the unfinished copy of this source.

        Args:
            source: its URL, sqlite:///FILE or postgresql://USER@HOST/DATABASE?workspace=NAME, a file's path, or
                `project` or `global` for the store of this project or your own on this machine.
            target: the URL or path of the store to write.
            dry_run: only show what would be copied.
        """
        from recortex.app.moving import move

        began = time.perf_counter()
        moved = move(self._app, source, target, dry_run=dry_run)
        tables = tuple(
            TableCopied(table=one.table, rows=one.rows, written=one.written, checksum=one.checksum)
            for one in moved.tables
        )
        return StoreCopied(
            source=moved.source, target=moved.target, tables=tables, dry_run=dry_run,
            memories=sum(one.rows for one in tables if one.table == "memories"),
            rows=sum(one.rows for one in tables), written=sum(one.written for one in tables),
            seconds=round(time.perf_counter() - began, 3),
        )  # fmt: skip
