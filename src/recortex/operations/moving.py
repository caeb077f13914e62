"""Moving memories: one of them between the two stores, or a whole store to another place."""

from __future__ import annotations

import time

from recortex.domain.vocabulary import Scope
from recortex.operations.base import Operations
from recortex.operations.registry import operation
from recortex.operations.relocating import relocate
from recortex.operations.results.moving import Relocated, StoreCopied, TableCopied


class MovingOperations(Operations):
    """move, migrate_store."""

    @operation(person=True)
    def move(self, id: str, *, to: Scope) -> Relocated:  # noqa: A002  the contract's name
        """Move a memory from the project's store to your own (global), or back, with its history.

        Its id stays. Relations to memories that stay behind cannot go with it and are told. It is written in
        its new place before it is taken out of the old one: after an interruption, the same command finishes.

        Args:
            id: of the memory, or its first characters.
            to: the store that it is to be in.
        """
        return relocate(self._app, id, to)

    @operation(person=True)
    def migrate_store(self, source: str, target: str, *, dry_run: bool = False) -> StoreCopied:
        """Copy a whole store into another one, from SQLite to PostgreSQL, back, or between two of a kind.

        Every table is compared by checksums, and only what differs is written: a copy that was stopped goes
        on where it stopped. The source is only read. The target must be new, or the unfinished copy of this
        source.

        Args:
            source: its URL, sqlite:///FILE or postgresql://USER@HOST/DATABASE?workspace=NAME, a file's path,
                or `project` or `global` for the store of this project or your own on this machine.
            target: the URL or path of the store to write.
            dry_run: only show what would be copied.
        """
        from recortex.app.store_copy import copy_store

        began = time.perf_counter()
        moved = copy_store(self._app, source, target, dry_run=dry_run)
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
