"""The approximate index of vectors in PostgreSQL: made when it pays, used when it is whole, never needed."""

import numpy as np
import pytest

from example_memories import AT, DIMENSIONS, MODEL, NO_MORE, memory
from recortex.domain.address import parse
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor
from recortex.engines.indexing import compact
from recortex.storage.postgres.store import PgStore

SIZE, LEAST = 600, 500
LAYOUTS = ("postgres", "postgres-partitioned")
VECTORS = np.random.default_rng(5).standard_normal((SIZE, DIMENSIONS)).astype("<f4")


@pytest.fixture(params=LAYOUTS)
def url(server, request):
    """Of a workspace that is not there yet."""
    return server.workspace_url(request.param)


@pytest.fixture
def store(url):
    """A store with so many vectors that an index is due."""
    opened = PgStore(parse(url, workspace=""), clock=lambda: AT)
    fill(opened)
    yield opened
    opened.close()


def fill(store):
    made = [
        memory(number, f"statement {number}", "decision" if number % 10 == 0 else "tribal")
        for number in range(SIZE)
    ]
    hashes = [bytes.fromhex(one.content_hash) for one in made]
    with store.transaction():
        for one in made:
            store.memories.insert(one, NO_MORE, actor=Actor.USER)
        codes = {hash_[:16]: compact(vector) for hash_, vector in zip(hashes, VECTORS, strict=True)}
        keys = store.vectors.put(MODEL, codes)
        store.vectors.attach(
            [(one.id, keys[hash_[:16]], hash_) for one, hash_ in zip(made, hashes, strict=True)]
        )


def found(store, number, only=None, limit=10):
    keys = store.search.nearest(VECTORS[number].tobytes(), limit, only, MODEL)
    kept = store.search.memories(keys)
    return [int(kept[key].text.split()[1]) for key in keys]


def exact(number, among=range(SIZE)):
    codes = np.array([np.frombuffer(compact(one), np.int8) for one in VECTORS], np.float64)
    units = codes / np.linalg.norm(codes, axis=1, keepdims=True)
    return sorted(among, key=lambda one: -float(units[one] @ units[number]))[:10]


def indexes(server, store):
    name = f"embeddings_near_{store.database.workspace}_%"
    database = store.address.conninfo.partition("?")[0].rpartition("/")[2]
    asked = f"SELECT relname FROM pg_class WHERE relkind = 'i' AND relname LIKE '{name}'"  # noqa: S608
    return [row[0] for row in server.run(asked, database=database)], database


def test_an_index_is_made_once_and_finds_what_is_nearest(server, store):
    assert store.vectors.keep_index(least=LEAST) == SIZE
    assert store.vectors.keep_index(least=LEAST) == 0
    assert len(indexes(server, store)[0]) == 1
    hits = sum(len({*found(store, number)} & {*exact(number)}) for number in range(0, SIZE, 20))
    assert hits >= 0.97 * 10 * SIZE / 20


def test_without_an_index_the_best_of_many_by_signs_are_compared_by_their_codes(store, monkeypatch):
    monkeypatch.setattr("recortex.storage.records.search.MANY", 0)
    monkeypatch.setattr("recortex.storage.records.search.COARSE", SIZE)
    assert all(found(store, number) == exact(number) for number in range(0, SIZE, 100))
    decisions = range(0, SIZE, 10)
    assert found(store, 7, MemoryQuery(kinds=("decision",))) == exact(7, decisions)


def test_a_filter_is_kept_to(store):
    store.vectors.keep_index(least=LEAST)
    decisions = range(0, SIZE, 10)
    near = found(store, 7, MemoryQuery(kinds=("decision",)))
    assert len(near) == 10
    assert len({*near} & {*exact(7, decisions)}) >= 9
    only_one = found(store, 7, MemoryQuery(kinds=("decision",), recorded_before=AT))
    assert only_one == []


def test_what_came_after_the_index_is_found_and_what_went_is_not(store):
    store.vectors.keep_index(least=LEAST)
    found(store, 3)
    with store.transaction():
        store.memories.delete(memory(3).id)
        one = memory(SIZE, f"statement {SIZE}")
        store.memories.insert(one, NO_MORE, actor=Actor.USER)
        hash_ = bytes.fromhex(one.content_hash)
        keys = store.vectors.put(MODEL, {hash_[:16]: compact(VECTORS[3] + VECTORS[4] / 50)})
        store.vectors.attach([(one.id, keys[hash_[:16]], hash_)])
    near = found(store, 3)
    assert near[0] == SIZE
    assert 3 not in near


def test_an_index_that_is_not_whole_is_not_used_and_made_anew(server, store):
    store.vectors.keep_index(least=LEAST)
    (name,), database = indexes(server, store)
    server.run(
        f"""UPDATE pg_index SET indisvalid = false
            WHERE indexrelid = 'recortex.{name}'::regclass""",  # noqa: S608
        database=database,
    )
    with PgStoreOf(store) as fresh:
        assert found(fresh, 5)[0] == 5
        assert not fresh.vectors._indexed(fresh.vectors.model_key(MODEL))  # the signs answered
        assert fresh.vectors.keep_index(least=LEAST) == SIZE
        assert found(fresh, 5)[0] == 5


def test_too_few_vectors_have_none_and_lose_the_one_that_they_had(server, store):
    assert store.vectors.keep_index(least=SIZE + 1) == 0
    assert indexes(server, store)[0] == []
    store.vectors.keep_index(least=LEAST)
    assert store.vectors.keep_index(least=3 * SIZE) == 0
    assert indexes(server, store)[0] == []


def test_a_role_that_owns_nothing_makes_none_and_says_so(server, store, url):
    _, database = indexes(server, store)
    server.run(
        "DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN IN ROLE recortex_tenant", database=database
    )
    address = parse(url.replace("postgres:@", "guest:@", 1), workspace="")
    guest = PgStore(address, clock=lambda: AT)
    try:
        assert guest.vectors.keep_index(least=LEAST) == 0
        assert indexes(server, store)[0] == []
        assert found(guest, 9)[0] == 9
        assert guest.vectors.index_state() is None  # so few need none
    finally:
        guest.close()


class PgStoreOf:
    """The same workspace, opened once more."""

    def __init__(self, store):
        self._address = store.address

    def __enter__(self):
        self._opened = PgStore(self._address, clock=lambda: AT)
        return self._opened

    def __exit__(self, *_):
        self._opened.close()
