"""Run with the extended package: what its new table and field do in a store. Prints `done` at the end.

python extended_life.py FOLDER OLD_STORE [URL of a PostgreSQL workspace]
"""

import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from recortex.storage.records.notes import NoteRecords

from example_memories import AT, id_of, insert, memory, update
from recortex.domain.address import parse
from recortex.storage.database import MEMORIES, copied_tables
from recortex.storage.records import rows as kept_rows
from recortex.storage.sqlite.recovery import salvage
from recortex.storage.sqlite.store import SqliteStore
from recortex.storage.transfer import copy

ONLY_THERE = "what only a note says"


def unfit(store):
    return list(kept_rows.unfit_rows(store.database.rows, store.database.queries("memories")))


def opened(folder, name):
    return SqliteStore(folder / f"{name}.db", backups=folder / f"{name}-backups", clock=lambda: AT)


def furnish(store):
    insert(store, memory(1, reviewer="someone"), memory(2, "another"))
    NoteRecords(store.database).put(id_of(1), 1, ONLY_THERE)


def check(store):
    (kept,) = store.memories.get([id_of(1)])
    assert kept.reviewer == "someone"
    assert NoteRecords(store.database).of(id_of(1)) == [ONLY_THERE]
    assert unfit(store) == []


def check_change(store):
    (kept,) = store.memories.get([id_of(1)])
    changed = update(store, kept, replace(kept, reviewer="somebody else"))
    assert store.memories.get([id_of(1)]) == [changed]
    assert [one.memory.reviewer for one in store.memories.history(id_of(1))] == ["somebody else", "someone"]
    with store.transaction():
        store.database.rows("UPDATE memories SET reviewer = ? WHERE /*own*/ id = ?", ("x", id_of(1)))
    assert [one.id for one in unfit(store)] == [id_of(1)]


def check_purge(store):
    assert store.holding(ONLY_THERE) == [id_of(1)]
    assert store.holding("another") == [id_of(2)]
    store.erase([id_of(1)], [ONLY_THERE], text=ONLY_THERE, files=list, now=AT)
    assert store.holding(ONLY_THERE) == []
    assert store.database.value("SELECT count(*) FROM memory_notes WHERE /*own*/ 1 = 1") == 0


def main(folder, old, url=""):
    before = SqliteStore(old, backups=folder / "old-backups", clock=lambda: AT)
    assert unfit(before) == []
    assert [one.reviewer for one in before.memories.get([id_of(1)])] == [""]
    stores = [opened(folder, "first"), opened(folder, "second")]
    if url:
        from recortex.storage.postgres.store import PgStore

        stores.insert(1, PgStore(parse(url, workspace="notes"), clock=lambda: AT))
    furnish(stores[0])
    for source, target in pairwise(stores):
        copy(copied_tables(), source.full_copy, target.full_copy, lambda *_: None)
    saved = opened(folder, "saved")
    stores[0].pool.exclusive().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    salvage(saved.pool.exclusive(), folder / "first.db", lambda _, text: memory(1, text).content_hash, None)
    for store in (*stores, saved):
        check(store)
        check_change(store)
        check_purge(store)
    assert "reviewer" in MEMORIES.names
    sys.stdout.write("done")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
