"""QG-2 (A): the store, on the real database."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import apsw
import pytest
from blake3 import blake3

from recortex import Cortex
from recortex.domain.kinds import KINDS
from recortex.domain.links import FileLink
from recortex.domain.memory import Memory, Source
from recortex.domain.query import MemoryQuery
from recortex.domain.relation import Relation
from recortex.domain.vocabulary import Actor, RelationStatus, RelationType, Status
from recortex.errors import NothingToUndoError
from recortex.ports.store import SearchText
from recortex.storage.sqlite import connection as connection_module
from recortex.storage.sqlite import migrations, pool
from recortex.storage.sqlite.maintenance import check
from recortex.storage.sqlite.store import SqliteStore

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
MODEL = "test-model"


def memory(number=1, text="Use bcrypt with 12 rounds", kind="tribal", **more):
    times = {"recorded_at": AT, "updated_at": AT, "valid_from": AT}
    return Memory(
        id=f"9b1c6a4e-0000-4000-8000-{number:012x}",
        kind=kind,
        text=text,
        summary=text,
        content=KINDS[kind].from_text(text),
        content_hash=blake3(text.encode()).hexdigest(),
        **(times | more),
    )


def code(*signs):
    """An int8 vector of 384 dimensions, its signs as told and then repeated."""
    return bytes((1 if signs[place % len(signs)] > 0 else 255) for place in range(384))


@pytest.fixture
def store(tmp_path):
    opened = SqliteStore(tmp_path / "cortex.db", backups=tmp_path / "backups", clock=lambda: AT)
    yield opened
    opened.close()


def insert(store, *memories, actor=Actor.USER):
    with store.transaction():
        return [store.memories.insert(one, SearchText(), actor=actor) for one in memories]


def update(store, old, new, actor=Actor.AGENT, reason=""):
    with store.transaction():
        return store.memories.update(old, new, SearchText(), actor=actor, reason=reason, keep_vector=True)


def test_all_migrations_run_on_a_fresh_database(store):
    newest = migrations.known()[-1].version
    assert store.schema == newest
    rows = store.pool.rows("SELECT version, name, program FROM schema_migrations ORDER BY version")
    assert [row[0] for row in rows] == list(range(1, newest + 1))
    assert all(name and program for _, name, program in rows)


def test_create_get_update_delete_keeps_every_field(store):
    first = memory(tags=("auth",), files=(FileLink("src/auth.py", 3, 9, "ab" * 32, "c0ffee"),), pinned=True)
    insert(store, first)
    assert store.memories.get([first.id]) == [first]
    second = replace(
        first, text="Use argon2", summary="argon2", tags=("auth", "kdf"), priority=9, updated_at=AT
    )
    kept = update(store, first, second)
    assert store.memories.get([first.id]) == [kept] == [replace(second, version=2)]
    with store.transaction():
        store.memories.delete(first.id)
    assert store.memories.get([first.id]) == []
    tables = ("memories", "memory_files", "versions", "evidence", "relations")
    assert [store.pool.value(f"SELECT count(*) FROM {table}") for table in tables] == [0] * 5  # noqa: S608
    assert check(store.pool).whole


def test_bulk_insert_of_100(store):
    kinds = sorted(KINDS)
    rows = [memory(n, f"Memory {n}", kinds[n % len(kinds)]) for n in range(100)]
    insert(store, *rows)
    found = store.memories.find(MemoryQuery(descending=False))
    assert {one.id: one for one in found} == {one.id: one for one in rows}
    assert all(type(one.content) is KINDS[one.kind] for one in found)


def test_full_text_search_finds_a_word_and_follows_changes(store):
    (key, _) = insert(store, memory(1, "bcrypt password hashing"), memory(2, "the queue is slow"))
    assert [found for found, _ in store.search.match(["bcrypt"], 5, None)] == [key]
    old = store.memories.get([memory(1).id])[0]
    update(store, old, replace(old, text="argon2 password hashing", updated_at=AT))
    assert store.search.match(["bcrypt"], 5, None) == []
    assert [found for found, _ in store.search.match(["argon2"], 5, None)] == [key]
    with store.transaction():
        store.memories.delete(old.id)
    assert store.search.match(["argon2"], 5, None) == []
    assert check(store.pool).index_whole


def test_likeness_search_finds_the_near_vector_first(store):
    near, far = memory(1, "near"), memory(2, "far")
    keys = insert(store, near, far)
    attach(store, near, code(1, 1, 1, -1))
    attach(store, far, code(-1, -1, -1, 1))
    query = memoryview(bytearray(4 * 384)).cast("f")
    for place in range(384):
        query[place] = -0.5 if place % 4 == 3 else 0.5
    assert store.search.nearest(query.tobytes(), 2, None, MODEL) == keys
    assert store.search.nearest(query.tobytes(), 2, None, "another-model") == []
    assert store.search.vectors(keys, MODEL)[keys[0]] == code(1, 1, 1, -1)


def attach(store, one, vector):
    hash_ = blake3(one.text.encode()).digest(16)
    with store.transaction():
        kept = store.vectors.put(MODEL, {hash_: vector})
        store.vectors.attach([(one.id, kept[hash_], bytes.fromhex(one.content_hash))])


def test_memories_that_say_the_same_share_a_vector(store):
    one, other = memory(1, "the same"), memory(2, "the same")
    insert(store, one, other)
    attach(store, one, code(1, -1))
    attach(store, other, code(1, -1))
    assert store.pool.rows("SELECT count(*), count(DISTINCT embedding_key) FROM memories") == [(2, 1)]
    assert store.pool.rows("SELECT count(*) FROM embeddings") == [(1,)]
    assert store.vectors.agrees()
    with store.transaction():
        store.memories.delete(one.id)
        assert store.vectors.drop_unused() == 0
        store.memories.delete(other.id)
        assert store.vectors.drop_unused() == 1
    assert store.vectors.agrees()


def test_the_facade_shares_vectors_too(project, clock, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("It happened again.", kind="episodic", source="s1")
        cortex.remember("It happened again.", kind="episodic", source="s2")
        rows = cortex._app.banks()[0].store.pool.rows(
            "SELECT count(*), count(DISTINCT embedding_key) FROM memories"
        )
    assert rows == [(2, 1)]


def test_relations_are_made_read_changed_and_removed(store):
    one, other = memory(1, "one"), memory(2, "other")
    insert(store, one, other)
    made = Relation(one.id, other.id, RelationType.SUPPORTS, AT, 0.5, ("because",), inferred=True)
    with store.transaction():
        assert store.relations.put(made)
    assert store.relations.of([other.id]) == store.relations.of([one.id, other.id]) == [made]
    stronger = replace(made, strength=0.9, status=RelationStatus.SUGGESTED, bidirectional=True)
    with store.transaction():
        assert store.relations.put(stronger)
    assert store.relations.all() == [stronger]
    with store.transaction():
        assert not store.relations.put(replace(made, target_id="nobody"))
        assert store.relations.remove(one.id, other.id, RelationType.BLOCKS) == []
        assert store.relations.remove(one.id, other.id) == [RelationType.SUPPORTS]
    assert store.relations.count() == 0


@pytest.mark.parametrize("type_", RelationType)
def test_every_relation_type_is_kept(store, type_):
    insert(store, memory(1, "one"), memory(2, "other"))
    made = Relation(memory(1).id, memory(2).id, type_, AT)
    with store.transaction():
        store.relations.put(made)
    assert store.relations.all() == [made]


def test_the_audit_log_names_actor_and_operation(cortex):
    kept = cortex.remember("The tests need `TZ=UTC`.", kind="tribal")
    cortex.edit(kept.id, tags=["tests"])
    cortex.forget(kept.id)
    cortex.restore(kept.id)
    cortex.undo(kept.id)
    log = cortex.history(kept.id).audit
    assert [entry.operation for entry in log] == ["create", "update", "archive", "restore", "undo"]
    assert {entry.actor for entry in log} == {Actor.USER}
    assert log[1].details == {"fields": ["tags"]}
    assert "TZ" not in str([entry.details for entry in log])


def test_readers_and_a_writer_at_once(store):
    insert(store, memory(0, "the first"))
    errors, done = [], threading.Event()

    def read():
        try:
            while not done.is_set():
                found = store.memories.find(MemoryQuery(order="recorded"))
                assert len(found) == len({one.id for one in found}) >= 1
                store.search.match(["memory"], 5, None)
        except BaseException as error:  # noqa: BLE001  whatever it is, the test shows it
            errors.append(error)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for thread in readers:
        thread.start()
    for number in range(1, 101):
        insert(store, memory(number, f"memory {number}"))
    done.set()
    for thread in readers:
        thread.join()
    assert errors == []
    assert store.memories.count(MemoryQuery()) == 101
    assert check(store.pool).whole


def test_writers_in_threads_lose_nothing(store):
    def write(first):
        for number in range(first, first + 25):
            insert(store, memory(number, f"memory {number}"))

    writers = [threading.Thread(target=write, args=(first,)) for first in range(0, 100, 25)]
    for thread in writers:
        thread.start()
    for thread in writers:
        thread.join()
    assert store.memories.count(MemoryQuery()) == 100


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


def test_a_change_leaves_two_versions(store):
    insert(store, memory())
    later = AT + timedelta(hours=1)
    kept = update(store, memory(), replace(memory(), text="Use argon2", updated_at=later), reason="stronger")
    newest, former = store.memories.history(memory().id)
    assert (newest.memory, former.memory) == (kept, memory())
    assert (newest.version, former.version) == (2, 1)
    assert (former.recorded_from, former.recorded_to) == (AT, later)
    assert (newest.recorded_from, newest.recorded_to) == (later, None)
    assert (newest.changed_by, newest.reason) == (Actor.AGENT, "stronger")
    assert (former.changed_by, former.reason) == (Actor.USER, "")


def test_a_rollback_gives_the_former_content(cortex, clock):
    first = cortex.remember(
        content={"topic": "auth", "knowledge": "Use bcrypt", "warnings": ["slow"]}, kind="tribal"
    )
    clock.pass_(hours=1)
    cortex.edit(first.id, text="Use argon2", content={"warnings": []})
    clock.pass_(hours=1)
    cortex.undo(first.id)
    back = cortex.get(first.id)
    assert (back.content, back.text, back.summary) == (first.content, first.text, first.summary)
    assert back.version == 3


def test_at_most_ten_versions_are_kept(cortex, clock):
    kept = cortex.remember("Version 0", kind="tribal")
    for number in range(1, 12):
        clock.pass_(minutes=1)
        cortex.edit(kept.id, text=f"Version {number}")
    versions = cortex.history(kept.id).versions
    assert [one.memory.text for one in versions] == [f"Version {number}" for number in range(11, 1, -1)]
    for _ in range(3):
        cortex.undo(kept.id)
    assert len(cortex.history(kept.id).versions) == 10


def test_undo_of_a_creation_archives_and_a_second_one_brings_back(cortex):
    kept = cortex.remember("Made by mistake", kind="tribal")
    assert cortex.undo(kept.id).status is Status.ARCHIVED
    assert cortex.undo(kept.id).status is Status.ACTIVE


def test_nothing_to_undo_is_said(cortex):
    kept = cortex.remember("Born archived", status=Status.ARCHIVED)
    with pytest.raises(NothingToUndoError) as caught:
        cortex.undo(kept.id)
    assert "history" in caught.value.hint


def test_a_transaction_is_kept_whole_or_not_at_all(store):
    def half():
        with store.transaction():
            insert(store, memory(1), memory(2))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert store.memories.count(MemoryQuery(statuses=())) == 0
    insert(store, memory(3))
    assert store.memories.count(MemoryQuery()) == 1


def test_neighbours_are_the_turns_of_the_session(store):
    for turn in range(4):
        insert(store, memory(turn + 1, f"turn {turn}", source=Source(session="s", turn=turn, speaker="ada")))
    insert(store, memory(9, "elsewhere", source=Source(session="t", turn=1)))
    assert [one.text for one in store.memories.neighbours("s", 1, 2)] == ["turn 1", "turn 2"]


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
