"""Migrations of SQLite: any path leads to the same schema, and a failing step changes nothing."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings

from example_memories import insert
from generated import memories
from recortex.errors import MigrationError, NewerSchemaError
from recortex.storage.database import Migration
from recortex.storage.sqlite import migrations
from recortex.storage.sqlite.store import SqliteStore

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def _schema(path):
    with apsw.Connection(str(path)) as connection:
        return sorted(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))


def _rows(path):
    """All rows of every table, with the settings of the keyword indexes, whose data have two empty forms."""
    with apsw.Connection(str(path)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        plain = [name for name in tables if not name.endswith("_fts_data")]
        return {name: list(connection.execute(f"SELECT * FROM {name}")) for name in plain}  # noqa: S608


def _open(path):
    return SqliteStore(path, backups=path.parent / "backups", clock=lambda: NOW, vectors=False)


def _steps(monkeypatch, count, *more):
    steps = (*migrations.known()[:count], *more)
    monkeypatch.setattr(migrations, "known", lambda: steps)
    monkeypatch.setattr(migrations, "newest", lambda: steps[-1].version)


def test_stepwise_migration_gives_the_schema_of_a_fresh_store(tmp_path):
    fresh, stepwise = tmp_path / "fresh.db", tmp_path / "stepwise.db"
    _open(fresh).close()
    for count in range(1, len(migrations.known()) + 1):
        with pytest.MonkeyPatch.context() as patch:
            _steps(patch, count)
            _open(stepwise).close()
    assert _schema(stepwise) == _schema(fresh)
    assert _rows(stepwise) == _rows(fresh)


def test_a_new_store_is_made_by_the_steps_where_the_whole_schema_is_of_others(tmp_path, monkeypatch):
    path = tmp_path / "cortex.db"
    _steps(monkeypatch, None, Migration(migrations.newest() + 1, "more", "CREATE TABLE more (a);"))
    _open(path).close()
    assert ("table", "more", "more", "CREATE TABLE more (a)") in _schema(path)


def test_a_newer_schema_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "cortex.db"
    _open(path).close()
    with apsw.Connection(str(path)) as connection:
        connection.execute("INSERT INTO schema_migrations VALUES (9999, 'future', 0, '99.0')")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NewerSchemaError) as caught:
        _open(path)
    assert "9999" in caught.value.message
    assert "pip install --upgrade" in caught.value.hint
    assert path.read_bytes() == before
    assert not (tmp_path / "backups").exists()


@given(memory=memories())
@settings(max_examples=3)
def test_a_failing_migration_changes_nothing_and_leaves_a_backup(memory):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder, "cortex.db")
        store = _open(path)
        insert(store, memory)
        store.close()
        before = _schema(path)
        half = (
            "CREATE TABLE half (a); INSERT INTO half VALUES (1); DELETE FROM memories; "
            "SELECT nothing FROM nowhere;"
        )
        _steps(patch, None, Migration(9999, "broken", half))
        with pytest.raises(MigrationError) as caught:
            _open(path)
        assert caught.value.code == "migration_failed"
        patch.undo()
        assert _schema(path) == before
        store = _open(path)
        assert store.memories.get([memory.id]) == [memory]
        (backup,) = store.backups.all()
        store.close()
        kept = _open(backup)
        assert kept.memories.get([memory.id]) == [memory]
        kept.close()
        assert backup.stat().st_mode & 0o777 == 0o600
