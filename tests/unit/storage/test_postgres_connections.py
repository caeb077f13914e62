"""Connections to a real server: made when needed, given back, replaced when lost.

What goes wrong is said without a secret.
"""

import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

import local_postgres
from recortex.domain.address import Address, parse
from recortex.errors import (
    ConfigError,
    MigrationError,
    PermissionsError,
    RecortexError,
    StoreBusyError,
    StoreUnavailableError,
)
from recortex.storage.postgres import Connections, PgDatabase, opening
from recortex.storage.postgres.store import PgStore

SECRET = "hunter2-Zq9"  # noqa: S105  nobody's
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of these tests, and a database on it."""
    server = local_postgres.start(tmp_path_factory.mktemp("pg"))
    yield local_postgres.url(server)
    server.cleanup()


@pytest.fixture
def address(url: str) -> Address:
    """A workspace."""
    return parse(url, workspace="connections")


@pytest.fixture
def store(address: Address) -> Iterator[PgStore]:
    """The workspace, opened."""
    opened = PgStore(address, clock=lambda: NOW, connections=2)
    yield opened
    opened.close()


def _ended(url: str) -> int:
    """End every other connection to the database; returns how many."""
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return len(found.fetchall())


def _write(store: PgStore, *, before: Callable[[], object] = int, after: Callable[[], object] = int) -> None:
    """A transaction with something that happens before its statement, or after it."""
    with store.transaction():
        before()
        store.database.rows("SELECT 1")
        after()


def _connections(url: str, *, size: int = 1, patience: float = 0.05) -> Connections:
    return Connections(url, sql.SQL("SET search_path = public").format(), size=size, patience=patience)


def test_a_connection_is_used_again(url: str) -> None:
    connections = _connections(url)
    first = connections.take()
    connections.give(first)
    assert connections.take() is first
    connections.give(first)
    connections.close()


def test_a_connection_given_back_in_a_transaction_is_closed(url: str) -> None:
    connections = _connections(url)
    first = connections.take()
    first.execute("BEGIN")
    connections.give(first)
    assert first.closed
    second = connections.take()
    assert second is not first
    connections.give(second)
    connections.close()


def test_no_more_connections_than_allowed(url: str) -> None:
    connections = _connections(url)
    first = connections.take()
    with pytest.raises(StoreBusyError) as told:
        connections.take()
    assert "postgres.connections" in told.value.hint
    connections.give(first)
    connections.give(connections.take())
    connections.close()


def test_a_failed_connection_takes_no_place() -> None:
    connections = _connections("postgresql://127.0.0.1:1/none")
    for _ in range(3):
        with pytest.raises(psycopg.OperationalError):
            connections.take()


def test_a_connection_that_the_server_ended_is_not_handed_out(url: str) -> None:
    connections = _connections(url)
    connections.give(connections.take())
    assert _ended(url)
    again = connections.take()
    assert again.execute("SELECT 1").fetchone() == (1,)
    connections.give(again)
    connections.close()


def test_closed_is_closed(url: str) -> None:
    connections = _connections(url, size=2)
    used, idle = connections.take(), connections.take()
    connections.give(idle)
    connections.close()
    assert idle.closed
    assert not used.closed
    connections.give(used)
    assert used.closed
    with pytest.raises(StoreUnavailableError):
        connections.take()


def test_reads_and_writes_go_on_after_connections_were_ended(store: PgStore, url: str) -> None:
    for _ in range(3):
        _ended(url)
        assert store.database.value("SELECT 1") == 1
        _ended(url)
        with store.transaction():
            store.database.rows("SELECT 1")


def test_a_transaction_that_is_cut_says_that_nothing_was_kept(store: PgStore, url: str) -> None:
    """It is not repeated: what it had done is gone, and its caller is told so."""
    with pytest.raises(StoreUnavailableError, match="Nothing of the change was kept"):
        _write(store, before=lambda: _ended(url))
    assert store.database.value("SELECT 1") == 1


def test_a_commit_that_is_cut_says_that_it_is_not_known(store: PgStore, url: str) -> None:
    with pytest.raises(StoreUnavailableError, match="not known whether"):
        _write(store, after=lambda: _ended(url))


def test_a_writer_that_waits_too_long_is_told(store: PgStore, address: Address) -> None:
    with closing(PgStore(address, clock=lambda: NOW)) as other:
        with other.transaction():
            with pytest.raises(StoreBusyError), store.transaction(patience=0.05):
                pytest.fail("the workspace is another's")
            assert store.database.value("SELECT 1") == 1
        with store.transaction(patience=0.05):
            store.database.rows("SELECT 1")


def test_patience_does_not_outlast_its_transaction(store: PgStore) -> None:
    before = store.database.value("SHOW lock_timeout")
    with store.transaction(patience=0.05):
        assert store.database.value("SHOW lock_timeout") == "50ms"
    assert store.database.value("SHOW lock_timeout") == before


def test_a_writer_that_does_nothing_is_put_out(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as impatient:
        impatient.setattr(opening, "IDLE_SECONDS", 0.5)
        hung = PgStore(address, clock=lambda: NOW)
    kept_out = pytest.raises(StoreUnavailableError, match="Nothing of the change was kept")
    with closing(hung), closing(PgStore(address, clock=lambda: NOW)) as other, kept_out:
        _write(hung, before=lambda: _write(other))


def test_a_database_that_may_only_be_read(address: Address, url: str) -> None:
    name = urlsplit(url).path.strip("/")
    PgStore(address, clock=lambda: NOW).close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        try:
            with closing(PgStore(address, clock=lambda: NOW)) as read_only:
                assert read_only.memories.get([]) == []
                with pytest.raises(PermissionsError):
                    read_only.ledger.degrade(_degradation(), NOW)
        finally:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")


def _degradation() -> object:
    from recortex.domain.maintenance import Degradation

    return Degradation("tests", "nothing", "nothing")


def test_threads_share_connections(store: PgStore) -> None:
    answers: dict[int, list[int]] = {}

    def ask(number: int) -> None:
        answers[number] = [store.database.value("SELECT ?1 + 0", (number,)) for _ in range(10)]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: [number] * 10 for number in range(8)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_leaves_the_parents_connections_alone(store: PgStore) -> None:
    mine = store.database.value("SELECT pg_backend_pid()")
    read, write = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(local_postgres.LONGEST_SECONDS)
        try:
            os.write(write, str(store.database.value("SELECT pg_backend_pid()")).encode())
            store.close()
        finally:
            os._exit(0)
    os.close(write)  # so that a child that says nothing is not waited for
    with os.fdopen(read) as said:
        theirs = int(said.read())
    os.waitpid(child, 0)
    assert theirs != mine
    assert store.database.value("SELECT pg_backend_pid()") == mine


def test_an_exit_without_close_says_nothing(address: Address) -> None:
    script = (
        "import sys; from datetime import datetime, UTC\n"
        "from recortex.domain.address import parse\n"
        "from recortex.storage.postgres.store import PgStore\n"
        "store = PgStore(parse(sys.argv[1], workspace='exit'), clock=lambda: datetime.now(UTC))\n"
        "print(store.database.value('SELECT 41 + 1'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", script, address.conninfo],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "42\n", "")


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://someone:{SECRET}@127.0.0.1:1/none",
        f"postgresql://someone:{SECRET}@no-such-host.invalid/none",
        f"postgresql://someone:{SECRET}%zz@127.0.0.1:1/none",
        f"postgresql://someone:a@{SECRET}@127.0.0.1:1/none",
        f"postgresql://someone:1/{SECRET}@127.0.0.1/none",
        f"postgresql://someone:{SECRET}/x@127.0.0.1/none",
        f"postgresql://someone:1?{SECRET}@127.0.0.1/none",
        f"postgresql://someone:1#{SECRET}@127.0.0.1/none",
        f"postgresql://127.0.0.1:1/none?pasword={SECRET}",
        f"postgresql://127.0.0.1:1/none?password={SECRET}",
        f"postgresql://127.0.0.1:1/none?{SECRET}",
        f"postgresql://someone:{SECRET}",
        f"postgresql:host=127.0.0.1 password={SECRET}",
    ],
)
def test_no_message_tells_a_password(url: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RecortexError) as told:
        PgStore(parse(url, workspace="w"), clock=lambda: NOW)
    error = told.value
    assert isinstance(error, ConfigError | StoreUnavailableError | PermissionsError)
    assert SECRET not in f"{error.message} {error.hint}"
    assert error.hint
    assert SECRET not in "".join(traceback.format_exception(error))
    assert SECRET not in "".join(capfd.readouterr())


def test_texts_are_unicode_whatever_the_environment_says(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """libpq takes the encoding of texts from PGCLIENTENCODING, and from the URL."""
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    address = parse(f"{url}&client_encoding=sql_ascii", workspace="unicode")
    with closing(PgStore(address, clock=lambda: NOW)) as store:
        assert store.database.value("SELECT ?", ("日本",)) == "日本"


def test_defaults_of_a_database_change_no_answer(url: str) -> None:
    local_postgres.run(
        url,
        "DROP DATABASE IF EXISTS odd",
        "CREATE DATABASE odd",
        "ALTER DATABASE odd SET default_transaction_isolation = 'repeatable read'",
        "ALTER DATABASE odd SET extra_float_digits = -10",
    )
    address = parse(url.replace("/postgres?", "/odd?"), workspace="w")
    with closing(PgStore(address, clock=lambda: NOW)) as store:
        assert store.database.value("SHOW transaction_isolation") == "read committed"
        assert store.database.value("SELECT CAST(0.1 AS double precision) + 0.2") == 0.1 + 0.2


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_cannot_hold_every_text_is_refused_at_once(url: str, encoding: str) -> None:
    """Not with the first memory that has a letter which is none there."""
    made = f"CREATE DATABASE narrow ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
    local_postgres.run(url, "DROP DATABASE IF EXISTS narrow", made)
    with pytest.raises(MigrationError, match=encoding) as told:
        PgStore(parse(url.replace("/postgres?", "/narrow?"), workspace="w"), clock=lambda: NOW)
    assert "ENCODING 'UTF8'" in told.value.hint


def test_a_wrong_password_is_told_as_one(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        path = Path(connection.execute("SHOW hba_file").fetchone()[0])  # type: ignore[index]
        connection.execute("DROP ROLE IF EXISTS someone")
        connection.execute("CREATE ROLE someone LOGIN PASSWORD 'another'")
        before = path.read_text()
        path.write_text(f"local all someone scram-sha-256\n{before}")
        connection.execute("SELECT pg_reload_conf()")
        try:
            wrong = url.replace("postgres:@", f"someone:{SECRET}@", 1)
            with pytest.raises(PermissionsError) as told:
                PgStore(parse(wrong, workspace="w"), clock=lambda: NOW)
        finally:
            path.write_text(before)
            connection.execute("SELECT pg_reload_conf()")
    assert "someone" in told.value.message
    assert "PGPASSWORD" in told.value.hint
    assert SECRET not in f"{told.value.message} {told.value.hint}"


def test_a_server_that_is_away_is_named_after_the_tries() -> None:
    """Not as a pool that is too small."""
    database = PgDatabase(
        "postgresql://127.0.0.1:1/none", sql.SQL("SELECT 1").format(), 1, size=1, persistence=0
    )
    with pytest.raises(StoreUnavailableError):
        database.value("SELECT 1")
    with pytest.raises(StoreUnavailableError), database.transaction():
        pytest.fail("there is no server")


def test_opening_waits_while_every_connection_is_taken(
    address: Address, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "RECONNECT_SECONDS", local_postgres.LONGEST_SECONDS)
    taken = _all_connections(url)
    timer = threading.Timer(0.3, lambda: [one.close() for one in taken])
    timer.start()
    try:
        with closing(PgStore(address, clock=lambda: NOW)) as store:
            assert store.database.value("SELECT 1") == 1
    finally:
        timer.join()


def _all_connections(url: str) -> list[psycopg.Connection]:
    """Every connection that a server has."""
    taken: list[psycopg.Connection] = []
    try:
        while True:
            taken.append(psycopg.connect(url))
    except psycopg.OperationalError:
        return taken
