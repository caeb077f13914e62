"""The script that distributes the tables names every table of the schema, and the parents first."""

import re
from pathlib import Path

import psycopg
import pytest
from tenants import SCHEMA, guarded_tables

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
