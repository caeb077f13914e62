"""The approximate index beside the store: as good as comparing every vector, and never needed."""

import shutil
import subprocess
import sys
from datetime import UTC, datetime
from functools import partial

import numpy as np
import pytest
from blake3 import blake3
from hypothesis import given, settings
from hypothesis import strategies as st

from generated import drawn
from recortex.domain.kinds import KINDS
from recortex.domain.memory import Memory
from recortex.domain.search import MemoryQuery, SearchText
from recortex.domain.vocabulary import Actor
from recortex.storage.records import search as search_module
from recortex.storage.records.vectors import signs
from recortex.storage.sqlite import vector_index as index_module
from recortex.storage.sqlite.store import SqliteStore
from recortex.storage.sqlite.vector_index import graphs

pytestmark = pytest.mark.full

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
MODEL, WIDTH = "test-model", 64
MANY = 3_000


def points(seed, count):
    """Unit vectors around a few hundred centres, as texts about the same matters have them."""
    source = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((200, WIDTH))
    found = centres[source.integers(0, 200, count)] + 0.5 * source.standard_normal((count, WIDTH))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype("<f4")


def codes(vectors):
    return [np.rint(one * 127 / np.abs(one).max()).astype(np.int8).tobytes() for one in vectors]


def identity(number):
    return f"9b1c6a4e-0000-4000-8000-{number:012x}"


def fill(store, vectors, first=0):
    """A memory for each vector; returns the memories' keys."""
    keys, attached = [], []
    with store.transaction():
        made = store.vectors.put(
            MODEL, {first_.to_bytes(16, "big"): code for first_, code in enumerate(codes(vectors), first)}
        )
        for number in range(first, first + len(vectors)):
            text = f"fact {number}"
            memory = Memory(
                id=identity(number), kind="tribal", text=text, summary=text,
                content=KINDS["tribal"].from_text(text), content_hash=blake3(text.encode()).hexdigest(),
                recorded_at=AT, updated_at=AT, valid_from=AT,
            )  # fmt: skip
            keys.append(store.memories.insert(memory, SearchText(), actor=Actor.USER))
            hash_ = bytes.fromhex(memory.content_hash)
            attached.append((memory.id, made[number.to_bytes(16, "big")], hash_))
        store.vectors.attach(attached)
    return keys


@pytest.fixture
def events():
    return []


@pytest.fixture
def reopen(tmp_path, events):
    """Opens the store, as another process would."""
    opened = []

    def open_(name="cortex"):
        store = SqliteStore(
            tmp_path / f"{name}.db", backups=tmp_path / "backups", indexes=tmp_path / f"{name}.vectors",
            clock=lambda: AT, on_degradation=events.append,
        )  # fmt: skip
        opened.append(store)
        return store

    yield open_
    for store in opened:
        store.close()


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """The file of a store with `MANY` memories, to be copied."""
    folder = tmp_path_factory.mktemp("many")
    store = SqliteStore(folder / "cortex.db", backups=folder / "backups", clock=lambda: AT)
    fill(store, points(1, MANY))
    store.close()
    return store.path


@pytest.fixture
def store(many, reopen, tmp_path):
    shutil.copy(many, tmp_path / "cortex.db")
    return reopen()


def index_files(store):
    return sorted(store.vectors.index.folder.glob("*.usearch"))


def nearest(store, vector, limit=10, only=None):
    return store.search.nearest(vector.tobytes(), limit, only, MODEL)


def by_index(store, vector, limit=10):
    """What the index itself finds; None where it is not used."""
    model = store.vectors.model_key(MODEL)
    store.vectors.index.nearest(model, vector.tobytes(), limit)  # the first question goes without it
    return store.vectors.index.nearest(model, vector.tobytes(), limit)


def exact(vectors, query, limit=10):
    """The positions of the nearest, by the codes that are kept."""
    kept = np.array([np.frombuffer(code, np.int8) for code in codes(vectors)]).astype(np.float32)
    return np.argsort(-(kept @ query) / np.linalg.norm(kept, axis=1), kind="stable")[:limit].tolist()


def test_it_finds_what_comparing_every_vector_finds(store):
    assert store.vectors.keep_index(least=1_000) == MANY
    vectors, found = points(1, MANY), 0
    for query in points(2, 50):
        found += len({key - 1 for key in by_index(store, query)} & set(exact(vectors, query)))
    assert found >= 0.97 * 50 * 10


def test_the_file_is_for_its_owner_alone(store):
    store.vectors.keep_index(least=1_000)
    (file,) = index_files(store)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700


def test_the_first_question_of_a_process_goes_without_a_file_that_nobody_has_read(store):
    store.vectors.keep_index(least=1_000)
    asked = store.vectors.model_key(MODEL), points(2, 1)[0].tobytes(), 5
    for seal in store.vectors.index.folder.glob("*.whole"):
        seal.unlink()
    assert store.vectors.index.nearest(*asked) is None
    assert len(store.vectors.index.nearest(*asked)) == 5


def test_a_file_that_was_read_whole_is_used_at_once_until_it_changes(store):
    store.vectors.keep_index(least=1_000)
    folder = store.vectors.index.folder
    asked = store.vectors.model_key(MODEL), points(2, 1)[0].tobytes(), 5
    first = index_module.VectorIndex(store.pool, folder)
    assert len(first.nearest(*asked)) == 5
    (path,) = folder.glob("*.usearch")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    told = []
    again = index_module.VectorIndex(store.pool, folder, told.append)
    assert [again.nearest(*asked) for _ in range(2)] == [None, None]
    assert "damaged" in told[0].failure
    assert list(folder.glob("*.whole")) == []


def cut(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def flip(file):
    content = bytearray(file.read_bytes())
    for place in np.random.default_rng(3).choice(len(content), 20, replace=False):
        content[place] ^= 0xFF
    file.write_bytes(content)


def replaced(file):
    other = graphs()(ndim=WIDTH, metric="cos", dtype="i8")
    other.add(np.arange(5, dtype=np.uint64), np.ones((5, WIDTH), np.int8))
    other.save(file)


DAMAGES = {
    "lost": lambda file: file.unlink(), "empty": lambda file: file.write_bytes(b""), "truncated": cut,
    "flipped": flip, "foreign": replaced,
    "noise": lambda file: file.write_bytes(np.random.default_rng(1).bytes(file.stat().st_size)),
    "unreadable": lambda file: (file.unlink(), file.mkdir()),
}  # fmt: skip


@pytest.mark.parametrize("harm", DAMAGES)
def test_a_damaged_file_is_as_good_as_none_and_is_made_again(store, reopen, events, harm):
    query = points(2, 1)[0]
    without = nearest(store, query)
    store.vectors.keep_index(least=1_000)
    (file,) = index_files(store)
    DAMAGES[harm](file)
    other = reopen()
    assert [nearest(other, query) for _ in range(3)] == [without] * 3
    assert [event.component for event in events] == ["vector index"]
    assert other.vectors.index_state().problem
    assert other.vectors.keep_index(least=1_000) == MANY
    assert not other.vectors.index_state().problem
    assert set(by_index(other, query)) == {key + 1 for key in exact(points(1, MANY), query)}


def test_vectors_of_another_model_are_not_found_by_it(store):
    store.vectors.keep_index(least=1_000)
    with store.transaction():
        store.vectors.put("another", {b"x" * 16: codes(points(9, 1))[0]})
    query = points(2, 1)[0]
    assert by_index(store, query)
    assert store.vectors.index.nearest(store.vectors.model_key("another"), query.tobytes(), 5) is None
    assert store.search.nearest(query.tobytes(), 5, None, "another") == []  # no memory has it


def test_a_store_that_was_put_back_does_not_trust_a_later_file(store, reopen):
    backup = store.backups.make(AT)
    with store.transaction():
        fill(store, points(5, 500), MANY)
    store.vectors.keep_index(least=1_000)
    store.close()
    store.path.write_bytes(backup.read_bytes())
    back = reopen()
    fill(back, points(6, 500), MANY)  # other vectors under the keys that the file knows
    query = points(6, 500)[7]
    assert by_index(back, query) is None
    assert nearest(back, query)[0] == MANY + 8


def test_without_usearch_every_vector_is_compared(store, reopen, events, monkeypatch):
    query = points(2, 1)[0]
    without = nearest(store, query)
    store.vectors.keep_index(least=1_000)
    monkeypatch.setattr(index_module, "find_spec", lambda _: None)
    other = reopen()
    assert [nearest(other, query) for _ in range(2)] == [without] * 2
    assert [event.failure for event in events] == ["the package usearch is not installed"]


def test_the_embedding_model_can_be_loaded_after_an_index():
    """In a process of its own: loaded the wrong way round, the two libraries end it."""
    code = (
        "from recortex.storage.sqlite.vector_index import graphs; graphs()(ndim=8);"
        " import onnxruntime, recortex"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_deleted_memories_vanish_and_the_file_is_made_anew_when_many_are_gone(store):
    store.vectors.keep_index(least=1_000)
    query = points(2, 1)[0]
    first = by_index(store, query, 100)
    with store.transaction():
        for key in first[:50]:
            store.memories.delete(identity(key - 1))
    assert by_index(store, query, 50) == first[50:]
    with store.transaction():
        for key in range(500, 1_500):
            if store.memories.get([identity(key)]):
                store.memories.delete(identity(key))
        gone = store.vectors.drop_unused()
    assert store.vectors.keep_index(least=1_000) == MANY - gone


def test_a_purged_memory_takes_the_file_with_it(store):
    store.vectors.keep_index(least=1_000)
    (file,) = index_files(store)
    files = partial(lambda: [store.path, *index_files(store)])
    store.erase([identity(5)], ["fact 5"], files=files, now=AT)
    assert not file.exists()
    query = points(1, MANY)[5]
    assert by_index(store, query, 20) is None
    assert 6 not in nearest(store, query, 20)
    assert store.vectors.keep_index(least=1_000) == MANY - 1
    assert 6 not in by_index(store, query, 20)


def test_among_many_vectors_more_are_found_by_signs_and_the_best_of_them_given(store, monkeypatch):
    vectors, query = points(1, MANY), points(2, 1)[0]
    wanted = [key + 1 for key in exact(vectors, query)]
    by_signs = nearest(store, query)
    monkeypatch.setattr(search_module, "MANY", 1_000)
    found = nearest(store, query)
    assert len(set(found) & set(wanted)) > len(set(by_signs) & set(wanted))
    assert found == sorted(found, key=[key + 1 for key in exact(vectors, query, MANY)].index)
    assert len(nearest(store, query, 10, MemoryQuery(kinds=("tribal",)))) == 10


def test_filters_hold_with_an_index(store):
    with store.transaction():
        store.pool.rows("UPDATE memories SET priority = 9 WHERE key % 3 = 0 OR key = 77")
        store.pool.rows("UPDATE memories SET pinned = 1 WHERE key % 1500 = 0")
    without = reference(store)
    store.vectors.keep_index(least=1_000)
    fill(store, points(3, 300), MANY)
    for only in (MemoryQuery(min_priority=9), MemoryQuery(pinned=True), MemoryQuery(kinds=("decision",))):
        query = points(2, 1)[0]
        found = [nearest(store, query, 10, only) for _ in range(3)][-1]
        assert len(set(found) & set(without(only))) >= min(9, len(without(only)))
    assert nearest(store, query, 10, MemoryQuery(kinds=("decision",))) == []


def reference(store):
    """Finds the nearest memories that pass a filter, by every vector."""
    order = [key + 1 for key in exact(points(1, MANY), points(2, 1)[0], MANY)]

    def passing(only):
        keys = {one.key for one in store.search.facts(order, only, None)}
        return [key for key in order if key in keys][:10]

    return passing


@settings(max_examples=drawn(15))
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["add", "delete newest", "delete", "index"]), st.integers(1, 30)),
        max_size=12,
    )
)
def test_every_memory_is_found_by_its_own_vector_whatever_happened(tmp_path_factory, steps):
    """Keys of deleted vectors may be given again: the index must never mistake one vector for another."""
    folder = tmp_path_factory.mktemp("steps")
    store = SqliteStore(folder / "s.db", backups=folder / "b", indexes=folder / "v", clock=lambda: AT)
    vectors, living = points(11, 600), {}
    try:
        added = 0
        for step, count in [("add", 40), ("index", 1), *steps]:
            if step == "add":
                numbers = range(added, added + count)
                living |= dict(zip(numbers, fill(store, vectors[added : added + count], added), strict=True))
                added += count
            elif step == "index":
                store.vectors.keep_index(least=10)
            else:
                chosen = sorted(living)[-count:] if "newest" in step else sorted(living)[:count]
                with store.transaction():
                    for number in chosen:
                        store.memories.delete(identity(number))
                        del living[number]
                    store.vectors.drop_unused()
        for number, key in living.items():
            assert nearest(store, vectors[number], 3)[0] == key
    finally:
        store.close()


def test_signs_are_those_of_the_codes():
    (code,) = codes(points(4, 1))
    assert signs(code) == np.packbits(np.frombuffer(code, np.int8) > 0, bitorder="little").tobytes()
