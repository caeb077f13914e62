"""Looking after a workspace: is it whole, what holds a text, and taking it out for good."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from recortex.domain.maintenance import Erasure, Integrity
from recortex.errors import PermissionsError
from recortex.storage.postgres.opening import administration
from recortex.storage.postgres.pool import translated
from recortex.storage.records.rows import json
from recortex.storage.records.searching import holding_statement
from recortex.storage.sqlite.purge import erase_from_backup
from recortex.storage.traces import traces

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from recortex.domain.address import Address
    from recortex.storage.postgres.pool import PgDatabase
    from recortex.storage.postgres.store import PgStore


_HOLDING = holding_statement("strpos({column}, {value}) > 0")


def check(database: PgDatabase) -> Integrity:
    """Whether the counts of words agree with the memories, and every vector has its signs.

    Pages and keys are the server's to watch (checksums, foreign keys).
    """
    sql = database.queries("maintenance")
    counted, kept = database.rows(sql["totals_agree"])[0]
    unsigned = database.value(sql["unsigned"])
    problems = [f"{unsigned} vectors have no signs to be found by"] if unsigned else []
    return Integrity(tuple(problems), index_whole=counted == kept)


def holding(database: PgDatabase, text: str) -> list[str]:
    """Ids of the memories that hold a text now or held it in a former version."""
    rows = database.rows(_HOLDING, (text, json(text)[1:-1]))
    return [row[0] for row in rows]


def erase(
    store: PgStore,
    ids: Sequence[str],
    texts: Sequence[str],
    *,
    text: str,
    files: Callable[[], Sequence[Path]],
    now: datetime,
) -> Erasure:
    """Delete memories everywhere, and look into what is this machine's own for the texts.

    The server's own files, log and backups are beyond reach: who runs the server has to rotate them.
    """
    sql = store.database.queries("maintenance")
    with store.transaction():
        for id_ in ids:
            key = store.memories.delete(id_)
            store.database.rows(sql["forget_audit"], (key,))
            store.ledger.bury(key, id_, now)
        if text:
            store.relations.strip_evidence(text)
        store.vectors.drop_unused()
    store.compact()
    backups = store.backups.all()
    for backup in backups:
        erase_from_backup(backup, ids, text)
    read = tuple(files())
    searched, found = traces(read, texts, lambda part: bool(holding(store.database, part)))
    return Erasure(searched, read, tuple(found), len(backups))


def vacuum(address: Address) -> None:
    """Give the space of what was deleted free for use, where the role owns the tables.

    Else the server does it later.

    Bytes of deleted rows may stay in free space of the server's files until that is used again. Rewriting
    the tables (VACUUM FULL) would lock out every workspace: that is for who runs the server to decide.
    """
    with suppress(PermissionsError), administration(address) as connection, translated():
        tables = connection.execute(
            "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = 'recortex' AND c.relkind = 'r'"
            " AND pg_has_role(c.relowner, 'USAGE')"
        ).fetchall()
        for (table,) in tables:
            connection.execute(f"VACUUM {table}")
