"""Rows that refer to memories which are not there: a store of any schema opens, says so, and keeps them."""

# ruff: noqa: S608  the tables are our own

from contextlib import closing

import apsw
import pytest

from choices import quick
from recortex import Cortex
from recortex.storage.sqlite.connection import connect
from recortex.storage.sqlite.migrations import RECORDS, known

TABLES = ("memory_files", "memory_functions", "memory_patterns", "versions", "relations", "evidence")
VALUES = {"INTEGER": 0, "REAL": 0, "BLOB": b"x"}
NOWHERE = 999


def orphan(connection: apsw.Connection, table: str) -> None:
    columns = [(row[1], row[2]) for row in connection.execute(f"PRAGMA table_info({table})")]
    values = [NOWHERE if name.endswith("key") else VALUES.get(type_, "x") for name, type_ in columns]
    names, marks = ", ".join(name for name, _ in columns), ", ".join("?" * len(columns))
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)


@pytest.mark.parametrize("schema", quick([step.version for step in known()][::-1], 3))
@pytest.mark.usefixtures("without_vectors")
def test_a_store_with_orphan_rows_opens_tells_and_loses_nothing(tmp_path, project, clock, schema):
    path = tmp_path / "old.db"
    with closing(connect(path, vectors=False)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(RECORDS)
        for step in known()[:schema]:
            connection.execute(step.sql)
            record = (step.version, step.name, 1, "0")
            connection.execute("INSERT INTO schema_migrations VALUES (?, ?, ?, ?)", record)
        for table in TABLES:
            orphan(connection, table)
    with Cortex.open(project, url=f"sqlite:///{path}", clock=clock) as cortex:
        kept = cortex.remember("The queue is drained at night.")
        assert [one.id for one in cortex.list().memories] == [kept.id]
        told = [one.message for one in cortex.doctor().findings if one.level == "problem"]
        assert [one for one in told if one.endswith("rows refer to memories that are not there")]
    with closing(connect(path, vectors=False)) as connection:
        for table in TABLES:
            assert connection.execute(f"SELECT count(*) FROM {table}").get, table
