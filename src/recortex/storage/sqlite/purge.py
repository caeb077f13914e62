"""Removing memories from a store's files for good: rows, index, versions, vectors, audit, backups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from recortex.domain.maintenance import Erasure
from recortex.errors import StorageError
from recortex.storage.records.relations import RelationRecords
from recortex.storage.records.rows import json
from recortex.storage.records.searching import holding_statement
from recortex.storage.sqlite.maintenance import compact
from recortex.storage.sqlite.pool import Pool
from recortex.storage.tables import TABLES
from recortex.storage.traces import traces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.storage.sqlite.store import SqliteStore


def holding(pool: Pool, text: str) -> list[str]:
    """Ids of the memories that hold a text now or held it in a former version."""
    there = {table.name: _columns(pool, table.name) for table in TABLES}
    sql = holding_statement("instr({column}, {value}) > 0", lambda table, column: column in there[table])
    return [row[0] for row in pool.rows(sql, (text, json(text)[1:-1]))]


def _columns(pool: Pool, table: str) -> set[str]:
    """The columns of a table as they are there: a backup may be of an older schema."""
    return {row[0] for row in pool.rows("SELECT name FROM pragma_table_info(?)", (table,))}


def _strip_evidence(pool: Pool, text: str) -> None:
    """Take a text out of the reasons of relations: the relation stays, its evidence goes."""
    if "seal" in _columns(pool, "relations"):
        RelationRecords(pool).strip_evidence(text)
    else:  # a backup of an older schema
        pool.rows("UPDATE relations SET evidence = '[]' WHERE instr(evidence, ?)", (json(text)[1:-1],))


def erase(
    store: SqliteStore,
    ids: Sequence[str],
    texts: Sequence[str],
    *,
    text: str = "",
    files: Callable[[], Sequence[Path]],
    now: datetime,
) -> Erasure:
    """Delete memories everywhere, rewrite the files, and read them again for the texts.

    Args:
        store: where they are.
        ids: of the memories.
        texts: what must not be found afterwards.
        text: what was asked for, if it was a text: it is taken out of relations and older backups too.
        files: lists the files to read afterwards.
        now: when it happened; a tombstone with the id stays.
    """
    with store.transaction():
        for id_ in ids:
            key = store.memories.delete(id_)
            store.pool.rows("DELETE FROM audit WHERE memory_key = ?", (key,))
            store.ledger.bury(key, id_, now)
        if text:
            _strip_evidence(store.pool, text)
        store.vectors.drop_unused()
    store.vector_index.drop()
    compact(store.pool)
    backups = store.backups.all()
    for backup in backups:
        erase_from_backup(backup, ids, text)
    read = tuple(files())
    searched, found = traces(read, texts, lambda part: _still_said(store.pool, part), store.pool.apart)
    return Erasure(searched, read, tuple(found), len(backups))


def _still_said(pool: Pool, part: str) -> bool:
    sql = "SELECT 1 FROM memories WHERE instr(text, ?1) OR instr(coalesce(content, ''), ?1) LIMIT 1"
    return pool.value(sql, (part,)) is not None


def erase_from_backup(path: Path, ids: Sequence[str], text: str) -> None:
    """Take memories out of a backup.

    One that cannot be rewritten is removed, since it would keep the text.
    """
    try:
        pool = Pool(path)
        try:
            with pool.transaction():
                gone = [*ids, *(holding(pool, text) if text else [])]
                pool.rows("DELETE FROM memories WHERE id IN (SELECT value FROM json_each(?))", (json(gone),))
                if text:
                    _strip_evidence(pool, text)
            compact(pool)
            pool.exclusive().execute("PRAGMA journal_mode = DELETE")
        finally:
            pool.close()
    except (StorageError, apsw.Error):
        path.unlink(missing_ok=True)
