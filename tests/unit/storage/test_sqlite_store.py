"""What only SQLite has; what both engines promise is in tests/contract."""

import apsw
import pytest

from example_memories import AT, MODEL, attach, bury, changed, code, id_of, insert, memory
from recortex import Cortex
from recortex.domain.memory import FileLink
from recortex.domain.search import MemoryQuery, SearchText
from recortex.domain.vocabulary import Actor
from recortex.storage.sqlite import connection as connection_module
from recortex.storage.sqlite import migrations, pool
from recortex.storage.sqlite.maintenance import check
from recortex.storage.sqlite.store import SqliteStore


@pytest.fixture
def store(tmp_path):
    opened = SqliteStore(tmp_path / "cortex.db", backups=tmp_path / "backups", clock=lambda: AT)
    yield opened
    opened.close()


def test_all_migrations_run_on_a_fresh_database(store):
    newest = migrations.known()[-1].version
    assert store.schema == newest
    rows = store.pool.rows("SELECT version, name, program FROM schema_migrations ORDER BY version")
    assert [row[0] for row in rows] == list(range(1, newest + 1))
    assert all(name and program for _, name, program in rows)


def test_a_deleted_memory_leaves_no_row(store):
    insert(store, memory(files=(FileLink("src/auth.py", 3, 9, "ab" * 32, "c0ffee"),)))
    changed(store, id_of(1), text="Use argon2")
    bury(store, id_of(1))
    tables = ("memories", "memory_files", "versions", "evidence", "relations")
    assert [store.pool.value(f"SELECT count(*) FROM {table}") for table in tables] == [0] * 5  # noqa: S608
    assert check(store.pool).whole


def test_the_index_follows_changes(store):
    insert(store, memory(1, "bcrypt password hashing"), memory(2, "the queue is slow"))
    changed(store, id_of(1), text="argon2 password hashing")
    assert check(store.pool).index_whole
    bury(store, id_of(1))
    assert check(store.pool).index_whole


def test_memories_that_say_the_same_share_a_row(store):
    one, other = memory(1, "the same"), memory(2, "the same")
    insert(store, one, other)
    attach(store, one, code(1, -1))
    attach(store, other, code(1, -1))
    assert store.pool.rows("SELECT count(*), count(DISTINCT embedding_key) FROM memories") == [(2, 1)]
    assert store.pool.rows("SELECT count(*) FROM embeddings") == [(1,)]


def test_the_facade_shares_vectors_too(project, clock, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("It happened again.", kind="episodic", source="s1")
        cortex.remember("It happened again.", kind="episodic", source="s2")
        rows = cortex._app.all_services()[0].store.pool.rows(
            "SELECT count(*), count(DISTINCT embedding_key) FROM memories"
        )
    assert rows == [(2, 1)]


def test_the_pragmas_of_the_specification(store):
    def pragma(name):
        return store.pool.value(f"PRAGMA {name}")

    assert pragma("journal_mode") == "wal"
    assert (pragma("synchronous"), pragma("foreign_keys"), pragma("secure_delete")) == (1, 1, 1)
    assert (pragma("auto_vacuum"), pragma("cache_size")) == (2, -64000)
    with store.transaction():
        assert (pragma("synchronous"), pragma("foreign_keys"), pragma("secure_delete")) == (1, 1, 1)


def test_a_store_opens_and_is_read_while_another_process_writes(store, monkeypatch):
    insert(store, memory())
    monkeypatch.setattr(connection_module, "BUSY_MILLISECONDS", 0)
    monkeypatch.setattr(pool, "PATIENCE_SECONDS", 0)
    with store.transaction():
        store.memories.insert(memory(2, "not yet"), SearchText(), actor=Actor.USER)
        beside = SqliteStore(store.path, backups=store.path.parent / "backups", clock=lambda: AT)
        assert beside.memories.find(MemoryQuery()) == [memory()]
        beside.close()
    assert len(store.memories.find(MemoryQuery())) == 2


def test_a_store_without_sqlite_vec_works_and_is_searched_later(tmp_path):
    path = tmp_path / "cortex.db"
    plain = SqliteStore(path, backups=tmp_path / "backups", clock=lambda: AT, vectors=False)
    insert(plain, memory())
    attach(plain, memory(), code(1, -1))
    assert not plain.vectors.available
    assert plain.search.nearest(bytes(4 * 384), 5, None, MODEL) == []
    plain.close()
    full = SqliteStore(path, backups=tmp_path / "backups", clock=lambda: AT)
    assert full.vectors.agrees()
    assert len(full.search.nearest(bytes(4 * 384), 5, None, MODEL)) == 1
    full.close()


def test_a_constraint_of_the_schema_is_our_error(store):
    insert(store, memory())
    with pytest.raises(Exception) as caught, store.transaction():  # noqa: PT011  the type is what is tested
        store.memories.insert(memory(), SearchText(), actor=Actor.USER)
    assert caught.value.code == "storage_error"
    assert isinstance(caught.value.__cause__, apsw.ConstraintError)
