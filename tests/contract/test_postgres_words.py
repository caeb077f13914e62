"""The search by words in PostgreSQL.

Through its index, for a plain role as for the superuser, and in one workspace only.
"""

import time

import pytest
from tenants import state

from example_memories import AT, NO_MORE, memory
from local_postgres import LONGEST_SECONDS
from recortex import Cortex
from recortex.domain.address import parse
from recortex.domain.vocabulary import Actor
from recortex.storage.postgres.store import PgStore

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
