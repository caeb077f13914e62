"""A database whose migrations had another wording or order when it was made opens by itself."""

import pytest
from servers import workspace

from example_memories import insert
from example_memories import memory as example
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


def _is_of_today(server, database):
    usual = server.url()
    assert usual
    for asked in (COLUMNS, GUARDED):
        assert server.run(asked, database=database) == server.run(asked, database="store_0")
    recorded = [(step.version, step.name) for step in migrations.known()]
    assert server.run(RECORDED, database=database) == recorded
