"""Removing memories, exchanges and chunks of documents for good: rows, versions, vectors, audit, backups.

And proof that no file holds them.
"""

from __future__ import annotations

from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from recortex.domain.maintenance import Erasure
from recortex.errors import StorageError
from recortex.storage.database import folded
from recortex.storage.records.relations import RelationRecords
from recortex.storage.records.values import json
from recortex.storage.sqlite.maintenance import compact
from recortex.storage.sqlite.pool import Pool
from recortex.storage.tables import CHUNKS, DOCUMENTS, EXCHANGES, MEMORIES, TABLES, owned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from recortex.domain.exchange import Exchange
    from recortex.storage.database import Rows
    from recortex.storage.records.filters import Clause
    from recortex.storage.store import EngineStore
    from recortex.storage.tables import Table

    Has = Callable[[str, str], bool]

WINDOW = 40
"""Bytes of a text that are looked for at a time: short enough to lie within a page, long enough to be no
accident."""
LEAST_SAID = 16
"""Characters of a memory's text that takes the exchanges with it that hold it; a shorter one is no proof."""
_WITH_VECTORS = (
    ("memories", "embedding_key"),
    ("versions", "embedding_key"),
    ("exchanges", "answered_key"),
    ("exchanges", "outcome_key"),
    ("chunks", "embedding_key"),
)
_VALUES = {"text": "?1", "json": "?2"}
"""The text as it is, and as it stands inside JSON."""


def holding(database: Rows, text: str, has: Has = lambda *_: True) -> list[str]:
    """Ids of the memories that hold a text in any case, now or formerly, in any column that may hold it.

    Args:
        database: where to look.
        text: to look for.
        has: whether a table has a column: a backup may be of an older schema.
    """
    conditions = [*_conditions(MEMORIES, "m", has)]
    conditions += [
        f"EXISTS (SELECT 1 FROM {table.name} o"
        f" WHERE /*own o*/ o.{table.owners[0]} = m.key AND ({' OR '.join(found)}))"
        for table in owned()
        if (found := [*_conditions(table, "o", has)])
    ]
    sql = f"SELECT m.id FROM memories m WHERE /*own m*/ ({' OR '.join(conditions)}) ORDER BY m.key"
    return [row[0] for row in database.rows(sql, (text, json(text)[1:-1]))]


def said(text: str, has: Has = lambda *_: True, table: Table = EXCHANGES) -> Clause:
    """The condition that a row `x` of a table holds a text, with its values; `has` as in `holding`."""
    return " OR ".join(_conditions(table, "x", has)), (text, json(text)[1:-1])


def unsaid(texts: Sequence[str], text: str = "") -> list[str]:
    """Those of the texts that take the exchanges with them that hold them; `text` does in any case."""
    return [one for one in texts if len(one) >= LEAST_SAID or one == text]


def _conditions(table: Table, alias: str, has: Has) -> Iterator[str]:
    for column in table.searched:
        if has(table.name, column.name):
            value = _VALUES[column.holds]
            yield f"instr(folded(coalesce({alias}.{column.name}, '')), folded({value})) > 0"


def erase(
    store: EngineStore,
    ids: Sequence[str],
    texts: Sequence[str],
    *,
    text: str,
    exchanges: Sequence[str] = (),
    files: Callable[[], Sequence[Path]],
    now: datetime,
) -> Erasure:
    """Delete memories and exchanges, and what else holds the texts, from a store and its backups.

    Then read the files.

    Of a server's own files, log and backups nothing is known here: who runs the server has to rotate them.

    Args:
        store: where they are.
        ids: of the memories.
        texts: what must not be found afterwards.
        text: what was asked for, if it was a text: it is taken out of relations and older backups too.
        exchanges: ids of exchanges that go too; their texts must not be found. Each leaves a tombstone.
        files: lists the files to read afterwards.
        now: when it happened; a tombstone with a memory's id stays.
    """
    gone, texts = unsaid(texts, text), [*texts, *_texts(store.exchanges.get(exchanges))]
    with store.transaction():
        for id_ in ids:
            key = store.memories.delete(id_)
            store.database.rows("DELETE FROM audit WHERE /*own*/ memory_key = ?", (key,))
            store.ledger.bury(key, id_, now)
        for id_ in exchanges:
            store.ledger.bury(_grave(id_), id_, now)
        if text:
            store.relations.strip_evidence(text)
        removed = store.exchanges.delete_found(_among(exchanges))
        removed += sum(store.exchanges.delete_found(said(one)) for one in gone)
        chunks = sum(
            store.documents.delete_holding(said(one, table=DOCUMENTS), said(one, table=CHUNKS))
            for one in gone
        )
        store.vectors.drop_unused()
    store.compact()
    backups = store.backups.all()
    for backup in backups:
        _erase_from_backup(backup, ids, exchanges, gone, text)
    read = tuple(files())
    searched, found = _traces(store, read, texts)
    return Erasure(searched, read, tuple(found), len(backups), removed, chunks)


def _grave(exchange: str) -> int:
    """The key of an exchange's tombstone: below 0, where no memory has one, and the same for the same id."""
    return -1 - int(sha256(exchange.encode()).hexdigest()[:15], 16)


def _among(exchanges: Sequence[str]) -> Clause:
    return "x.id IN (SELECT value FROM json_each(?))", (json(list(exchanges)),)


def _texts(exchanges: Sequence[Exchange]) -> Iterator[str]:
    for one in exchanges:
        yield from filter(None, (one.asked, one.message, one.opening, one.conclusion, *one.failed))


def _erase_from_backup(
    path: Path, ids: Sequence[str], exchanges: Sequence[str], gone: Sequence[str], text: str
) -> None:
    """Take memories, exchanges and what was said out of a backup, which may be of an older schema.

    One that cannot be rewritten is removed, since it would keep the text.
    """
    try:
        with closing(Pool(path)) as pool:
            names = "SELECT name FROM pragma_table_info(?)"
            there = {table.name: {row[0] for row in pool.rows(names, (table.name,))} for table in TABLES}

            def has(table: str, name: str) -> bool:
                return name in there[table]

            with pool.transaction():
                found = json([*ids, *(holding(pool, text, has) if text else ())])
                pool.rows("DELETE FROM memories WHERE id IN (SELECT value FROM json_each(?))", (found,))
                clauses = [_among(exchanges), *(said(one, has) for one in gone)]
                for condition, values in clauses if there["exchanges"] else ():
                    pool.rows(f"DELETE FROM exchanges AS x WHERE {condition}", values)
                for table in (DOCUMENTS, CHUNKS) if there["chunks"] else ():
                    for condition, values in (said(one, has, table) for one in gone):
                        pool.rows(f"DELETE FROM {table.name} AS x WHERE {condition}", values)
                if text and "seal" in there["relations"]:
                    RelationRecords(pool).strip_evidence(text)
                elif text:
                    stripped = "UPDATE relations SET evidence = '[]' WHERE instr(folded(evidence), folded(?))"
                    pool.rows(stripped, (json(text)[1:-1],))
                for one in gone if there["signals"] else ():
                    pool.rows("DELETE FROM signals WHERE instr(folded(subject), folded(?)) > 0", (one,))
                if there["embeddings"]:
                    pool.rows(_unused(has))
            compact(pool)
            pool.exclusive().execute("PRAGMA journal_mode = DELETE")
    except (StorageError, apsw.Error):
        path.unlink(missing_ok=True)


def _unused(has: Has) -> str:
    """Deletes the vectors of a backup that nothing has any more."""
    holders = [
        f"SELECT {column} FROM {table} WHERE {column} IS NOT NULL"
        for table, column in _WITH_VECTORS
        if has(table, column)
    ]
    return f"DELETE FROM embeddings WHERE key NOT IN ({' UNION '.join(holders)})"


def _traces(store: EngineStore, files: Sequence[Path], texts: Sequence[str]) -> tuple[int, list[Path]]:
    """Read files byte by byte for texts that should be gone, in whatever case they stand there.

    Returns:
        How many bytes were read, and the files that still hold a part of a text that nothing living holds.
    """
    parts = {part: part.decode("utf-8", "ignore") for text in texts for part in _windows(folded(text))}
    wanted = [part for part, said in parts.items() if len(said) >= WINDOW // 8]
    total, held = 0, dict[Path, list[bytes]]()
    with store.apart():
        for path in files:
            data = path.read_bytes() if path.is_file() else b""
            total += len(data)
            data = folded(data.decode("utf-8", "ignore")).encode()
            held[path] = [part for part in wanted if part in data]
    rightly = {part for part in {part for some in held.values() for part in some} if store.says(parts[part])}
    return total, [path for path, some in held.items() if not rightly.issuperset(some)]


def _windows(text: str) -> Iterator[bytes]:
    for shape in (text, text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")):
        data = shape.encode()
        yield data[:WINDOW]
        yield from (data[start : start + WINDOW] for start in range(WINDOW, len(data) - WINDOW + 1, WINDOW))
