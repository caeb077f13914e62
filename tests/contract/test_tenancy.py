"""One tenant never reads or writes another's rows: with both guards, and with each of them alone."""

from contextlib import nullcontext

import psycopg
import pytest
from servers import PARTITIONS
from tenants import SCHEMA, live, misplaced, no_filters, no_security, state, tenants, writing_elsewhere

from choices import quick
from recortex.storage.postgres.opening import _settings

GUARDS = {
    "both guards": nullcontext,
    "row-level security alone": no_filters,
    "the filters alone": no_security,
}
MANY, ACTS = 8, 160


@pytest.fixture(scope="module")
def ordinary(server):
    """The URL of a login role that owns nothing and is only a member of the tenants' role."""
    url = server.url("postgres")
    server.run("CREATE ROLE ordinary LOGIN IN ROLE recortex_tenant")
    return url.replace("postgres:@", "ordinary:@")


@pytest.fixture(scope="module")
def owner(server):
    """The URL of a role that made the schema and owns every table, in a database of its own."""
    server.url("postgres")  # so that the tenants' role is there, as in any database after the first
    server.run("CREATE ROLE owner LOGIN")
    url = server.new_database("owned")
    server.run("CREATE EXTENSION vector", "GRANT CREATE ON DATABASE owned TO owner", database="owned")
    return url.replace("postgres:@", "owner:@")


def names(server):
    return [server.new_name() for _ in range(MANY)]


def superuser(url):
    return url.replace("ordinary:@", "postgres:@").replace("owner:@", "postgres:@")


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("layout", PARTITIONS)
def test_tenants_of_one_database_see_nothing_of_each_other(server, layout, guard):
    with GUARDS[guard](), tenants(server.url(layout), names(server)) as some:
        assert live(some, ACTS) == []
        assert misplaced(server.url(layout), some) == []


@pytest.mark.parametrize("who", quick(["ordinary", "owner"]))
@pytest.mark.parametrize("guard", quick(["row-level security alone", "both guards"]))
def test_whatever_the_role(request, server, who, guard):
    url = request.getfixturevalue(who)
    with GUARDS[guard](), tenants(url, names(server)) as some:
        assert live(some, ACTS) == []
        assert misplaced(superuser(url), some) == []


def test_without_both_guards_it_would_be_noticed(server):
    with no_filters(), no_security(), tenants(server.url("postgres"), names(server)) as some:
        assert any(
            live(some, 1, threads=1) for _ in range(ACTS)
        )  # each act sees the stores of all tests before


@pytest.mark.parametrize("who", quick(["ordinary", "owner", "server"]))
def test_a_write_into_another_workspace_does_nothing(request, server, who):
    url = server.url("postgres") if who == "server" else request.getfixturevalue(who)
    with tenants(url, names(server)[:2]) as (one, other):
        assert live([one, other], 80, threads=1) == []
        before = state(superuser(url))
        with writing_elsewhere(one, other):
            for _ in range(150):
                one.step()
        after = state(superuser(url))
    for table in before:
        theirs = f"({other.store.database.workspace},"
        assert [row for row in after[table] if row[0].startswith(theirs)] == [
            row for row in before[table] if row[0].startswith(theirs)
        ], table


ATTEMPTS = (
    "SELECT 1 FROM {table} WHERE workspace = {other}",
    "SELECT 1 FROM {table} WHERE workspace <> current_setting('recortex.workspace')::bigint",
    "UPDATE {table} SET workspace = workspace WHERE workspace = {other} RETURNING 1",
    "DELETE FROM {table} WHERE workspace = {other} RETURNING 1",
    "UPDATE {table} SET workspace = {other} RETURNING 1",
    "TRUNCATE {table}",
)
REFUSED = {"42501", "23503", "23514"}
"""No right to it; rows that hold it where it is; not a row of that partition."""


@pytest.mark.parametrize("layout", PARTITIONS)
def test_no_statement_reaches_another_workspace_whatever_table_it_names(server, layout):
    with tenants(server.url(layout), names(server)[:2]) as (one, other):
        assert live([one, other], 120, threads=1) == []
        theirs = other.store.database.workspace
        with psycopg.connect(server.url(layout), autocommit=True) as connection:
            tables = connection.execute(f"""
                SELECT c.oid::regclass::text FROM pg_class c WHERE c.relnamespace = '{SCHEMA}'::regnamespace
                  AND c.relname NOT IN ('schema_migrations', 'layout', 'workspaces')
                  AND c.relkind IN ('r', 'p')""").fetchall()  # noqa: S608
            connection.execute(opening_settings(server.url(layout), one))
            for (table,) in tables:
                for attempt in ATTEMPTS:
                    statement = attempt.format(table=table, other=theirs)
                    assert outcome(connection, statement) == [], statement


def opening_settings(url, tenant):
    """What a connection of a tenant begins with."""
    with psycopg.connect(url, autocommit=True) as connection:
        return _settings(connection, tenant.store.address.workspace, tenant.store.database.workspace)


def outcome(connection, statement):
    """The rows that came of a statement, which is undone; none where it was refused."""
    try:
        with connection.transaction(force_rollback=True):
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else ["done"]
    except psycopg.Error as error:
        return [] if error.sqlstate in REFUSED else [error]


def test_tenants_do_not_see_each_others_names(server):
    url = server.url("postgres")
    with tenants(url, names(server)[:2]) as (one, _):
        assert one.store.database.rows("SELECT name FROM workspaces") == [(one.store.address.workspace,)]
