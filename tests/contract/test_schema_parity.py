"""Both engines have one schema; every statement and every index of PostgreSQL names its workspace."""

import re

import psycopg
import pytest
from servers import PARTITIONS, workspace
from tenants import SCHEMA

from recortex.storage.database import SQL_FOLDERS, TABLES, queries
from recortex.storage.dialect import postgres
from recortex.storage.postgres import migrations as of_postgres
from recortex.storage.records.rows import INDEXED, Keywords
from recortex.storage.sqlite import migrations as of_sqlite

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
