"""Both engines have one schema, whichever wording it was made with."""

import re
from pathlib import Path

import psycopg
import pytest
from servers import PARTITIONS, workspace
from tenants import SCHEMA, guarded_tables

from example_memories import insert
from example_memories import memory as example
from recortex.domain.address import parse
from recortex.storage.database import SQL_FOLDERS, TABLES, queries
from recortex.storage.dialect import postgres
from recortex.storage.postgres import migrations, opening
from recortex.storage.postgres import migrations as of_postgres
from recortex.storage.records.rows import INDEXED, Keywords
from recortex.storage.sqlite import migrations as of_sqlite

# -- Both engines have one schema; every statement and every index of PostgreSQL names its workspace.
ONLY_SQLITE = {
    "memories_fts": "full text is a table of its own in SQLite; PostgreSQL has memories.words",
    "exchanges_fts": "full text is a table of its own in SQLite; PostgreSQL has exchanges.words",
    "vector_changes": "only SQLite's processes hold vectors in memory, and have to know when others are gone",
    "chunks_fts": "full text is a table of its own in SQLite; PostgreSQL has chunks.words",
    "vector_indexes": "an approximate index is a file beside SQLite's store; PostgreSQL keeps its own",
}
ONLY_POSTGRES = {
    "words": "FTS5 counts words itself", "word_totals": "FTS5 counts words itself",
    "exchange_words": "FTS5 counts words itself", "exchange_totals": "FTS5 counts words itself",
    "chunk_words": "FTS5 counts words itself", "chunk_totals": "FTS5 counts words itself",
    "workspaces": "a file is one workspace", "layout": "a file has no partitions",
}  # fmt: skip
ONLY_POSTGRES_COLUMNS = {
    ("memories", "words"): "what FTS5 keeps in its own table",
    ("memories", "length"): "what FTS5 keeps in its own table",
    ("exchanges", "words"): "what FTS5 keeps in its own table",
    ("exchanges", "length"): "what FTS5 keeps in its own table",
    ("chunks", "words"): "what FTS5 keeps in its own table",
    ("chunks", "length"): "what FTS5 keeps in its own table",
    ("memory_files", "place"): "SQLite's rowid",
    ("memory_functions", "place"): "SQLite's rowid",
}
WITHOUT_WORKSPACE = {"schema_migrations", "layout"}
BY_LEXEMES = dict.fromkeys(
    ("memories_words", "exchanges_words", "chunks_words"), "every lexeme in it begins with the workspace"
)
BY_NAME = {"workspaces_name_key": "it is how a workspace is found"}
TOPICS = sorted({path.stem for folder in SQL_FOLDERS for path in folder.rglob("*.sql")})


@pytest.fixture(scope="module", params=sorted(PARTITIONS))
def catalogue(request, server):
    """A superuser's connection to a database with the schema."""
    with psycopg.connect(server.url(request.param), autocommit=True) as connection:
        yield connection


def columns_of_postgres(connection):
    return set(
        connection.execute(f"""
            SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            WHERE c.relnamespace = '{SCHEMA}'::regnamespace AND c.relkind IN ('r', 'p')
              AND NOT c.relispartition AND a.attnum > 0 AND NOT a.attisdropped""").fetchall()  # noqa: S608
    )


def columns_of_sqlite(pool):
    return set(
        pool.rows("""
            SELECT t.name, c.name FROM pragma_table_list t, pragma_table_info(t.name) c
            WHERE t.schema = 'main' AND t.type <> 'shadow' AND t.name NOT LIKE 'sqlite%'""")
    )


def test_migrations_have_the_same_numbers_and_names():
    steps = [(step.version, step.name) for step in of_postgres.known()]
    assert steps == [(step.version, step.name) for step in of_sqlite.known()]
    assert [number for number, _ in steps] == list(range(1, len(steps) + 1))


def test_both_end_with_the_same_tables_and_columns(catalogue, empty):
    with empty("sqlite") as store:
        lite = columns_of_sqlite(store.pool)
    server = {
        (table, column)
        for table, column in columns_of_postgres(catalogue)
        if (table, column) not in ONLY_POSTGRES_COLUMNS
    }
    assert {table for table, _ in lite} - {table for table, _ in server} == set(ONLY_SQLITE)
    assert {table for table, _ in server} - {table for table, _ in lite} == set(ONLY_POSTGRES)
    shared = {(table, column) for table, column in server if table not in ONLY_POSTGRES}
    assert shared - {(table, "workspace") for table, _ in shared} == {
        one for one in lite if one[0] not in ONLY_SQLITE
    }
    assert set(ONLY_POSTGRES_COLUMNS) <= columns_of_postgres(catalogue)


def test_the_declarations_say_what_the_schema_is(empty):
    with empty("sqlite") as store:
        found = store.pool.rows("""
            SELECT t.name, c.name, c.type, c."notnull" = 0 AND c.pk = 0, c.pk
            FROM pragma_table_list t, pragma_table_info(t.name) c
            WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite%'
            ORDER BY t.name, c.cid""")
    kept = [row for row in found if row[0] not in {"schema_migrations", *ONLY_SQLITE}]
    declared = [
        (
            table.name,
            column.name,
            column.type,
            int(column.null),
            table.key.index(column.name) + 1 if column.name in table.key else 0,
        )
        for table in sorted(TABLES, key=lambda one: one.name)
        for column in table.columns
        if column.name != "place" or not table.numbered
    ]
    assert kept == declared


def test_every_table_is_guarded(catalogue):
    unguarded = catalogue.execute(f"""
        SELECT relname FROM pg_class WHERE relnamespace = '{SCHEMA}'::regnamespace AND relkind IN ('r', 'p')
          AND NOT (relrowsecurity AND relforcerowsecurity)""").fetchall()  # noqa: S608
    assert {table for (table,) in unguarded} == WITHOUT_WORKSPACE


def test_every_index_and_key_begins_with_the_workspace(catalogue):
    found = catalogue.execute(f"""
        SELECT i.relname, t.relname,
               (SELECT attname FROM pg_attribute WHERE attrelid = t.oid AND attnum = x.indkey[0])
        FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
        WHERE t.relnamespace = '{SCHEMA}'::regnamespace AND NOT t.relispartition
          AND coalesce(pg_get_expr(x.indpred, x.indrelid), '')
            NOT LIKE '%(workspace = %'  -- of one workspace alone""").fetchall()  # noqa: S608
    assert len(found) > 40
    others = {
        index for index, table, first in found if first != "workspace" and table not in WITHOUT_WORKSPACE
    }
    assert others == {*BY_LEXEMES, *BY_NAME}


def test_every_foreign_key_stays_in_its_workspace(catalogue):
    found = catalogue.execute(f"""
        SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE contype = 'f' AND connamespace = '{SCHEMA}'::regnamespace
          AND conparentid = 0""").fetchall()  # noqa: S608
    assert len(found) >= 10
    stray = [
        name
        for name, text in found
        if not re.match(r"FOREIGN KEY \(workspace, .*REFERENCES .*\(workspace, ", text)
    ]
    assert stray == []


_REFERENCE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?", re.IGNORECASE)
_COMMA = re.compile(r"\bFROM\s+\w+\s+\w+\s*,\s*(\w+)\s+(\w+)", re.IGNORECASE)


def named(text, tables):
    """The references to tables of a statement, and the conditions or values that name the workspace."""
    references = [one for one in _REFERENCE.findall(text) + _COMMA.findall(text) if one[0].lower() in tables]
    return references, text.count("$1") + text.count("/*workspace*/")


def whole_statements(topic):
    """The statements of a topic; beginnings and conditions that are put together, together.

    Those of keyword indexes for each table that has one.
    """
    found = queries(topic, "postgres")
    begins = found.get("columns", "")
    for filled in [one.fill(found) for one in INDEXED.values()] if topic == Keywords.topic else [found]:
        for name, text in filled.items():
            if name != "columns":
                yield name, f"{begins} {text}" if text.startswith("WHERE") else text


@pytest.mark.parametrize("topic", TOPICS)
def test_every_statement_names_the_workspace_of_each_table(topic, catalogue):
    tables = {table for table, column in columns_of_postgres(catalogue) if column == "workspace"}
    for name, text in whole_statements(topic):
        statement = postgres(text)
        references, filters = named(re.sub(r"'(?:[^']|'')*'", "''", statement.text), tables)
        assert filters >= len(references), (topic, name, references, statement.text)


def test_a_partitioned_database_has_its_partitions(server):
    with psycopg.connect(server.url("postgres-partitioned"), autocommit=True) as connection:
        parts = dict(
            connection.execute(f"""
                SELECT p.relname, count(*) FROM pg_inherits h JOIN pg_class p ON p.oid = h.inhparent
                WHERE p.relnamespace = '{SCHEMA}'::regnamespace AND p.relkind = 'p'
                GROUP BY 1""").fetchall()  # noqa: S608
        )
        guarded = {table for table, column in columns_of_postgres(connection) if column == "workspace"}
    assert parts == dict.fromkeys(guarded - {"workspaces"}, PARTITIONS["postgres-partitioned"])


def test_a_database_keeps_the_layout_that_it_was_made_with(server):
    url = server.url("postgres")
    with workspace(f"{url}&partitions=8", server.new_name()) as store:
        assert store.database.value(f"SELECT partitions FROM {SCHEMA}.layout") == 0  # noqa: S608


# -- The script that distributes the tables names every table of the schema, and the parents first.
PAGE = Path(__file__).parents[2] / "docs" / "citus.md"
_LINE = re.compile(
    r"SELECT create_distributed_table\('(\w+)', 'workspace'"
    r"(?:, colocate_with => 'memories')?\);"
)


@pytest.fixture(scope="module")
def script():
    return [match[1] for match in _LINE.finditer(PAGE.read_text(encoding="utf-8"))]


def test_it_names_every_table_once(script, server):
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        tables = set(guarded_tables(connection)) - {"workspaces"}
    assert sorted(script) == sorted(tables)
    assert script[0] == "memories"


def test_a_table_comes_after_those_that_it_refers_to(script, server):
    with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
        references = connection.execute(f"""
            SELECT a.relname, b.relname FROM pg_constraint k JOIN pg_class a ON a.oid = k.conrelid
            JOIN pg_class b ON b.oid = k.confrelid
            WHERE k.contype = 'f' AND k.connamespace = '{SCHEMA}'::regnamespace""").fetchall()  # noqa: S608
    assert references
    assert [(one, other) for one, other in references if script.index(one) <= script.index(other)] == []


# -- A database whose migrations had another wording or order when it was made opens by itself.
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
FORMER_TABLES = (
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
    for (table,) in server.run(FORMER_TABLES, database=former):
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
