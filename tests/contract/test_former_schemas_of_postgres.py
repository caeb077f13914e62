"""A database whose migrations had another wording or order when it was made opens by itself."""

import pytest
from servers import workspace

from example_memories import insert
from example_memories import memory as example
from recortex.domain.address import parse
from recortex.storage.postgres import migrations, opening

FORMER = {
    "first": (
        "ALTER TABLE recortex.memory_symbols DROP COLUMN copies",
        "ALTER TABLE recortex.symbol_checks DROP COLUMN said",
    ),
    "second": ("ALTER TABLE recortex.memory_symbols DROP COLUMN copies",),
}
COLUMNS = (
    "SELECT table_name, column_name, data_type, is_nullable, column_default"
    " FROM information_schema.columns WHERE table_schema = 'recortex' ORDER BY table_name, column_name"
)
RECORDED = "SELECT version, name FROM recortex.schema_migrations ORDER BY version"
GUARDED = "SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity ORDER BY relname"
TABLES = (
    "SELECT tablename FROM pg_tables WHERE schemaname = 'recortex'"
    " AND tablename NOT IN ('schema_migrations', 'layout')"
)
OWN_COLUMNS = (
    "SELECT column_name FROM information_schema.columns WHERE table_schema = 'recortex' AND table_name = '{}'"
    " AND is_generated = 'NEVER'"
)


@pytest.mark.parametrize("name", FORMER)
def test_a_database_of_a_former_wording_opens_by_itself(server, name):
    database = f"former_{name}"
    url = server.new_database(database)
    memory = example()
    with workspace(url, "ours") as store:
        insert(store, memory)
    server.run(*FORMER[name], database=database)
    with workspace(url, "ours") as store:
        assert store.memories.get([memory.id]) == [memory]
    _is_of_today(server, database)


def test_a_database_of_a_former_order_opens_by_itself(server, monkeypatch):
    url = server.new_database("former_order")
    reasons = migrations.known()[14]
    steps = (*migrations.known()[:13], reasons._replace(version=14))
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "known", lambda: steps)
        patch.setattr(opening, "newest", lambda: 14)
        with workspace(url, "ours"):
            pass
    with workspace(url, "ours") as store:
        memory = example()
        insert(store, memory)
        assert store.memories.get([memory.id]) == [memory]
    _is_of_today(server, "former_order")


@pytest.mark.full
@pytest.mark.parametrize("schema", [step.version for step in migrations.known()[:-1]])
def test_a_database_of_every_former_schema_opens_with_its_memories(server, monkeypatch, schema):
    today, former = "schema_of_today", f"schema_{schema}"
    memories = [example(number, f"Worker {number} waits for {number} seconds.") for number in range(1, 6)]
    with workspace(server.new_database(today), "ours") as store:
        insert(store, *memories)
    url, steps = server.new_database(former), migrations.known()
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "known", lambda: steps[:schema])
        with opening.administration(parse(url, workspace="ours")) as connection:
            migrations.migrate(connection, now=1, partitions=0)
    for (table,) in server.run(TABLES, database=former):
        _copy(server, table, today, former)
    with workspace(url, "ours") as store:
        assert store.memories.get([one.id for one in memories]) == memories
        assert store.holding("waits for 3 seconds") == [memories[2].id]
    _is_of_today(server, former)


def _copy(server, table, source, target):
    """What a table of an older schema could hold of today's."""
    ours, theirs = (
        {row[0] for row in server.run(OWN_COLUMNS.format(table), database=name)} for name in (target, source)
    )
    if not theirs:
        return
    columns = ", ".join(sorted(ours & theirs))
    ((rows,),) = server.run(
        f"SELECT coalesce(json_agg(one), '[]')::text FROM recortex.{table} one",  # noqa: S608  our own names
        database=source,
    )
    quoted = rows.replace("'", "''")
    given = f"json_populate_recordset(NULL::recortex.{table}, '{quoted}') ON CONFLICT DO NOTHING"
    into = f"INSERT INTO recortex.{table} ({columns}) OVERRIDING SYSTEM VALUE "
    copied = f"{into} SELECT {columns} FROM {given}"  # noqa: S608  our own names
    server.run("SET session_replication_role = replica", copied, database=target)


def _is_of_today(server, database):
    usual = server.url()
    assert usual
    for asked in (COLUMNS, GUARDED):
        assert server.run(asked, database=database) == server.run(asked, database="store_0")
    recorded = [(step.version, step.name) for step in migrations.known()]
    assert server.run(RECORDED, database=database) == recorded
