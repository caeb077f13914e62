"""A store that was made between two wordings of a migration opens by itself, with all that it holds."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from example_memories import insert
from example_memories import memory as example
from recortex.deadlines import Ending
from recortex.errors import CorruptStoreError, StoreBusyError
from recortex.storage.database import Migration
from recortex.storage.postgres import migrations as postgres
from recortex.storage.sqlite import digest, migrations, objects_of
from recortex.storage.sqlite.migrations import FORMER, expected
from recortex.storage.sqlite.store import SqliteStore

NOW = datetime(2026, 3, 1, tzinfo=UTC)
FOLDER = Path(__file__).parent / "former"


def _former(name):
    known = migrations.known()
    if name == "reasons":  # it was the 14th before causes came in between
        reasons = known[14]
        return (*known[:13], Migration(14, reasons.name, reasons.sql))
    return (*known[:15], Migration(16, "symbols", (FOLDER / f"0016_symbols_{name}.sql").read_text()))


def _make(path, name):
    """A store as a program made it that had those migrations."""
    with apsw.Connection(str(path)) as connection:
        connection.execute(migrations.RECORDS)
        for step in _former(name):
            connection.execute(step.sql)
            record = (step.version, step.name, 0, "0.0.1")
            connection.execute("INSERT INTO schema_migrations VALUES (?, ?, ?, ?)", record)
        found = digest(objects_of(lambda sql: list(connection.execute(sql))))
    connection.close()
    return found


def _open(path):
    return SqliteStore(path, backups=path.parent / "backups", clock=lambda: NOW, vectors=False)


@pytest.mark.parametrize("name", ["reasons", "first", "second"])
def test_a_store_of_a_former_schema_opens_by_itself(tmp_path, name):
    path = tmp_path / "cortex.db"
    assert _make(path, name) in FORMER
    store = _open(path)
    assert objects_of(store.pool.rows) == expected(migrations.newest())
    assert store.check().whole
    recorded = store.pool.rows("SELECT version, name FROM schema_migrations ORDER BY version")
    assert recorded == [(step.version, step.name) for step in migrations.known()]
    memory = example()
    insert(store, memory)
    assert store.memories.get([memory.id]) == [memory]
    assert len(store.backups.all()) >= 1
    store.close()
    _open(path).close()


def test_what_a_former_store_holds_is_there_afterwards(tmp_path):
    path = tmp_path / "cortex.db"
    assert _make(path, "second") in FORMER
    memory = example()
    fresh = tmp_path / "fresh.db"
    store = _open(fresh)
    insert(store, memory)
    store.close()
    with apsw.Connection(str(path)) as connection:
        connection.execute("ATTACH ? AS fresh", (str(fresh),))
        for table in ("memories", "memory_files", "audit"):
            connection.execute(f"INSERT INTO main.{table} SELECT * FROM fresh.{table}")  # noqa: S608  fixed
        link = (1, "about", "a.py", "f", 0, "f", "function", "h", 1, 2, b"\0", "c", b"\1")
        connection.execute("INSERT INTO memory_symbols VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)", link)
        connection.execute("INSERT INTO symbol_checks VALUES (1, 7, 'said')")
    connection.close()
    store = _open(path)
    assert store.memories.get([memory.id]) == [memory]
    assert store.pool.rows("SELECT name, hash, copies FROM memory_symbols") == [("f", "h", 0)]
    assert store.pool.rows("SELECT updated_at, said FROM symbol_checks") == [(7, "said")]
    store.close()


def test_a_store_too_large_for_a_process_that_is_to_end_soon_is_migrated_by_another_one(tmp_path):
    path = tmp_path / "cortex.db"
    _make(path, "second")
    with apsw.Connection(str(path)) as connection:
        connection.execute("CREATE TABLE filling(x); INSERT INTO filling VALUES (zeroblob(80000000))")
        connection.execute("DROP TABLE filling")
    connection.close()
    end = Ending(2.0)
    with pytest.raises(StoreBusyError, match="older version"):
        _open(path)
    end.cancel()
    assert list(tmp_path.glob("backups/*")) == []
    _open(path).close()


def test_a_former_schema_with_something_of_somebody_elses_is_refused(tmp_path):
    path = tmp_path / "cortex.db"
    _make(path, "second")
    with apsw.Connection(str(path)) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON audit BEGIN SELECT 1; END")
    connection.close()
    with pytest.raises(CorruptStoreError):
        _open(path)


def test_a_released_migration_never_changes():
    """To change the schema, add a migration with the next number, and its digest below."""
    found = {
        f"{folder}/{step.version:04}_{step.name}": hashlib.sha256(step.sql.encode()).hexdigest()[:16]
        for folder, steps in (("sqlite", migrations.known()), ("postgres", postgres.known()))
        for step in steps
    }
    released = dict(line.split() for line in (FOLDER / "released.txt").read_text().splitlines())
    assert found == released
