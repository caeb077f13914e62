"""What is kept in SQLite is given back as it was; every filter means what the domain says."""

import tempfile
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest
from generated import memories, queries, stores, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from recortex.domain.links import FileLink, FunctionLink
from recortex.domain.matching import matches
from recortex.domain.query import MemoryQuery
from recortex.domain.vocabulary import Actor
from recortex.errors import MigrationError, NewerSchemaError
from recortex.ports.store import SearchText
from recortex.storage.sqlite import migrations
from recortex.storage.sqlite.store import SqliteStore

NOW = datetime(2026, 3, 1, tzinfo=UTC)
EVERYTHING = MemoryQuery(statuses=(), descending=False)


@contextmanager
def new_store():
    with tempfile.TemporaryDirectory(prefix="recortex-test-") as folder:
        store = SqliteStore(
            Path(folder, "cortex.db"), backups=Path(folder, "backups"), clock=lambda: NOW, vectors=False
        )
        try:
            yield store
        finally:
            store.close()


@pytest.fixture(scope="module")
def store():
    with new_store() as opened:
        yield opened


def put(store, *rows):
    with store.transaction():
        for memory in rows:
            store.memories.insert(memory, SearchText(), actor=Actor.USER)


def emptied(store):
    with store.transaction():
        store.pool.rows("DELETE FROM memories")
    return store


@settings(max_examples=60)
@given(memory=memories())
def test_insert_and_get_is_lossless(store, memory):
    put(emptied(store), memory)
    assert store.memories.get([memory.id]) == [memory]


@given(rows=st.lists(memories(), max_size=4, unique_by=lambda memory: memory.id))
def test_many_at_once_are_the_same_as_one_by_one(store, rows):
    put(emptied(store), *rows)
    at_once = store.memories.find(EVERYTHING)
    emptied(store)
    for memory in rows:
        put(store, memory)
    assert store.memories.find(EVERYTHING) == at_once
    assert store.memories.get([memory.id for memory in rows]) == rows


@settings(max_examples=60)
@given(rows=stores(), query=queries)
def test_every_filter_means_what_the_domain_says(store, rows, query):
    put(emptied(store), *rows)
    wanted = {memory.id for memory in rows if matches(query, memory)}
    whole = replace(query, limit=None, offset=0)
    assert {memory.id for memory in store.memories.find(whole)} == wanted
    assert store.memories.count(query) == len(wanted)


@settings(max_examples=60)
@given(rows=stores(), query=queries)
def test_order_limit_and_offset_cut_a_page_of_the_whole(store, rows, query):
    put(emptied(store), *rows)
    whole = store.memories.find(replace(query, limit=None, offset=0))
    keys = [_sort_key(query.order, memory) for memory in whole]
    assert keys == sorted(keys, reverse=query.descending)
    end = None if query.limit is None else query.offset + query.limit
    assert store.memories.find(query) == whole[query.offset : end]


def _sort_key(order, memory):
    accessed = memory.last_accessed_at or datetime(1970, 1, 1, tzinfo=UTC)
    return {
        "recorded": memory.recorded_at,
        "updated": memory.updated_at,
        "accessed": accessed,
        "importance": memory.priority,
        "confidence": memory.confidence,
    }[order]


@given(old=memories(), new=memories())
def test_a_change_keeps_the_former_state_whole(store, old, new):
    put(emptied(store), old)
    new = replace(new, id=old.id, recorded_at=old.recorded_at, access_count=old.access_count)
    new = replace(new, last_accessed_at=old.last_accessed_at)
    with store.transaction():
        kept = store.memories.update(old, new, SearchText(), actor=Actor.AGENT, reason="r", keep_vector=False)
    assert store.memories.get([old.id]) == [kept]
    assert replace(kept, updated_at=new.updated_at, version=new.version) == new
    newest, former = store.memories.history(old.id)
    assert former.memory == old
    assert former.recorded_to == newest.recorded_from == kept.updated_at >= old.updated_at
    assert (newest.changed_by, newest.reason) == (Actor.AGENT, "r")


@given(word=texts)
def test_any_text_may_be_searched_for(store, word):
    store.search.match([word], 5, None)
    store.search.frequencies([word])
    store.search.known_speakers([word])
    store.search.candidates([word])


@given(path=texts, name=texts, memory=memories())
def test_links_of_any_name_are_found_by_that_name(store, path, name, memory):
    memory = replace(memory, files=(FileLink(path),), functions=(FunctionLink(name),))
    put(emptied(store), memory)
    for query in (MemoryQuery(statuses=(), functions=(name,)), MemoryQuery(statuses=(), files=(path,))):
        assert bool(store.memories.find(query)) == matches(query, memory)


# -- migrations


def _schema(path):
    with apsw.Connection(str(path)) as connection:
        return sorted(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema"))


def _open(path):
    return SqliteStore(path, backups=path.parent / "backups", clock=lambda: NOW, vectors=False)


def _steps(monkeypatch, count, *more):
    steps = (*migrations.known()[:count], *more)
    monkeypatch.setattr(migrations, "known", lambda: steps)


def test_stepwise_migration_gives_the_schema_of_a_fresh_store(tmp_path):
    fresh, stepwise = tmp_path / "fresh.db", tmp_path / "stepwise.db"
    _open(fresh).close()
    for count in range(1, len(migrations.known()) + 1):
        with pytest.MonkeyPatch.context() as patch:
            _steps(patch, count)
            _open(stepwise).close()
    assert _schema(stepwise) == _schema(fresh)


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
        put(store, memory)
        store.close()
        before = _schema(path)
        half = "CREATE TABLE half (a); INSERT INTO half VALUES (1); DELETE FROM memories; SELECT nothing FROM nowhere;"
        _steps(patch, None, migrations.Migration(9999, "broken", half))
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
