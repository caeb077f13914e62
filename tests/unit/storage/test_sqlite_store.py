"""What only SQLite has; what both engines promise is in tests/contract."""

import pytest

from example_memories import AT, MODEL, attach, code, insert, memory
from recortex.storage.sqlite.store import SqliteStore


@pytest.fixture
def store(tmp_path):
    opened = SqliteStore(tmp_path / "cortex.db", backups=tmp_path / "backups", clock=lambda: AT)
    yield opened
    opened.close()


def test_a_store_is_durable_and_takes_little_memory(store):
    def pragma(name):
        return store.pool.value(f"PRAGMA {name}")

    assert pragma("journal_mode") == "wal"
    assert (pragma("synchronous"), pragma("foreign_keys"), pragma("secure_delete")) == (1, 1, 1)
    assert (pragma("auto_vacuum"), pragma("cache_size"), pragma("mmap_size")) == (2, -8000, 0)
    with store.transaction():
        assert (pragma("synchronous"), pragma("foreign_keys"), pragma("secure_delete")) == (1, 1, 1)


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
