"""Indexes of PostgreSQL: of words, and of vectors."""

import time

import numpy as np
import pytest
from tenants import state

from example_memories import AT, DIMENSIONS, MODEL, NO_MORE, memory
from local_postgres import LONGEST_SECONDS
from recortex import Cortex
from recortex.domain.address import parse
from recortex.domain.search import MemoryQuery
from recortex.domain.vocabulary import Actor
from recortex.engines.indexing import compact
from recortex.storage.postgres.store import PgStore

# -- The search by words in PostgreSQL.
#
# Through its index, for a plain role as for the superuser, and in one workspace only.
OWNERS = {"superuser": "", "plain": "NOCREATEROLE", "member": "IN ROLE recortex_tenant, recortex_seeker"}
MANY = """INSERT INTO recortex.memories SELECT (jsonb_populate_record(m, jsonb_build_object(
  'key', m.key + 100 * g, 'id', m.id || g))).* FROM recortex.memories m, generate_series(1, 100) g"""
SCANS = "SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'memories_words'"


def owned(server, name, rights):
    """The URL of a database that such a role owns."""
    database = f"of_{name.replace(' ', '_')}"
    url = server.new_database(database)
    if not rights:
        return url, database
    server.url()  # it makes the roles
    server.run(f"DROP ROLE IF EXISTS {database}", f"CREATE ROLE {database} LOGIN {rights}")
    server.run(f"ALTER DATABASE {database} OWNER TO {database}")
    server.run("CREATE EXTENSION IF NOT EXISTS vector", database=database)
    return url.replace("postgres:", f"{database}:", 1), database


def keep(store, *texts):
    with store.transaction():
        return [
            store.memories.insert(memory(number, text), NO_MORE, actor=Actor.USER)
            for number, text in enumerate(texts)
        ]


@pytest.mark.parametrize("name", OWNERS)
def test_every_owner_finds_its_own_workspace_alone(server, name):
    url, _ = owned(server, name, OWNERS[name])
    stores = [PgStore(parse(url, workspace=one), clock=lambda: AT) for one in ("mine", "theirs")]
    try:
        keys = [keep(store, "the zebra sleeps", "the lion wakes") for store in stores]
        for store, (first, _) in zip(stores, keys, strict=True):
            assert [key for key, _ in store.search.match(["zebra"], 10, None)] == [first]
        foreign = f"'{stores[1].database.workspace}:zebra'"
        seen = stores[0].database.rows(
            "SELECT key FROM matching(CAST(? AS tsquery), ARRAY['x'], ARRAY[1.0], 1, false, NULL, NULL)",
            (foreign,),
        )
        assert seen == []
    finally:
        for store in stores:
            store.close()


@pytest.mark.parametrize("name", ["superuser", "member"])
def test_the_index_is_used_although_row_level_security_guards_the_table(server, name):
    url, database = owned(server, name, OWNERS[name])
    store = PgStore(parse(url, workspace="mine"), clock=lambda: AT)
    try:
        keep(store, *(f"the number {place} sleeps" for place in range(50)))
        server.run(MANY, "ANALYZE recortex.memories", database=database)
        before = scans(server, database)
        assert len(store.search.match(["7"], 1000, None)) == 101
    finally:
        store.close()
    until = (
        time.monotonic() + LONGEST_SECONDS
    )  # a server counts a connection's scans once its process has ended
    while scans(server, database) == before and time.monotonic() < until:
        time.sleep(0.05)
    assert scans(server, database) > before


def scans(server, database):
    return server.run("SELECT pg_stat_force_next_flush()", SCANS, database=database)[0][0]


PURGED = "zanzibar", "xylophon", "borogrov", "zebratag", "zinnober", "zspeaker", "zsession"


def test_no_table_tells_what_was_in_a_purged_memory(server, project, monkeypatch):
    """Neither its text nor its single words, which are counted in a table of their own."""
    monkeypatch.setenv("RECORTEX_EMBEDDER", "hashed")
    with Cortex.open(project, url=server.workspace_url()) as cx:
        stays = cx.remember("The stairs are cleaned on Fridays")
        goes = cx.remember(
            "Zanzibarian xylophones sound on Fridays", kind="tribal", tags=["zebratag"],
            files=["zinnober.py"], source={"session": "zsession", "speaker": "zspeaker"},
        )  # fmt: skip
        cx.edit(goes.id, text="Borogroves sound on Fridays")
        cx.link(goes.id, stays.id, relation="supports")
        cx.purge(goes.id)
        assert [hit.memory.id for hit in cx.recall("what is cleaned on Fridays?").hits] == [stays.id]
        assert cx.doctor().healthy
    rows = [(table, row) for table, found in state(server.url()).items() for row in found]
    assert [(table, row) for table, row in rows if any(word in str(row).lower() for word in PURGED)] == []


# -- The approximate index of vectors in PostgreSQL: made when it pays, used when it is whole, never needed.
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
