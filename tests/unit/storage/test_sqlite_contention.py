"""Many connections on one file: whoever waits gets its turn, and the write-ahead log stays short."""

import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from recortex.errors import StoreBusyError
from recortex.storage.sqlite import connection as opening
from recortex.storage.sqlite import pool
from recortex.storage.sqlite.connection import Patience, connect
from recortex.storage.sqlite.pool import Pool

THREADS, EACH = 8, 40
FEW_PAGES = 20


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a table."""
    path = tmp_path / "a.db"
    connection = _connect(path)
    connection.execute("CREATE TABLE notes (said)")
    connection.close()
    return path


@pytest.fixture
def opened(path: Path) -> Iterator[Pool]:
    """A pool on it."""
    pool = Pool(path, vectors=False)
    yield pool
    pool.close()


def _connect(path: Path) -> apsw.Connection:
    return connect(path, vectors=False)


def _write(connection: apsw.Connection, size: int = 4000) -> None:
    connection.execute("INSERT INTO notes VALUES (zeroblob(?))", (size,))


def test_a_statement_by_itself_waits_as_long_as_a_transaction(opened: Pool, path: Path) -> None:
    """The busy handler gives up before the pool does; the pool asks again."""
    other = _connect(path)
    opened.exclusive().set_busy_handler(Patience(0))
    other.execute("BEGIN IMMEDIATE")
    timer = threading.Timer(0.1, lambda: other.execute("COMMIT"))
    timer.start()
    opened.rows("INSERT INTO notes VALUES (1)")
    timer.join()
    assert opened.value("SELECT count(*) FROM notes") == 1


def test_a_lock_that_never_ends_is_said(opened: Pool, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "PATIENCE_SECONDS", 0)
    opened.exclusive().set_busy_handler(Patience(0))
    other = _connect(path)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusyError):
        opened.rows("INSERT INTO notes VALUES (1)")
    with pytest.raises(StoreBusyError), opened.transaction():
        pytest.fail("the lock is another's")
    other.execute("ROLLBACK")
    assert opened.value("SELECT count(*) FROM notes") == 0


def test_the_log_is_folded_in(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "PAGES", FEW_PAGES)
    connection = _connect(path)
    for _ in range(10 * FEW_PAGES):
        _write(connection)
    assert _frames(connection) < 3 * FEW_PAGES
    assert path.stat().st_size > 5 * FEW_PAGES * 4096


def test_a_log_that_someone_read_all_the_time_is_begun_anew(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one reader follows the other the log grows.

    When it is long, writers wait until it is begun anew.
    """
    monkeypatch.setattr(opening, "PAGES", FEW_PAGES)
    monkeypatch.setattr(opening, "LONG_LOG", 10 * FEW_PAGES)
    writer, readers = _connect(path), [_connect(path) for _ in range(2)]
    readers[0].execute("BEGIN; SELECT count(*) FROM notes").fetchall()
    for number in range(15 * FEW_PAGES):
        _write(writer)
        if not number % 10:  # one begins before the other ends
            later, earlier = readers[number // 10 % 2 - 1], readers[number // 10 % 2]
            if not later.in_transaction:
                later.execute("BEGIN; SELECT count(*) FROM notes").fetchall()
            if earlier.in_transaction:
                earlier.execute("COMMIT")
    for reader in readers:
        if reader.in_transaction:
            reader.execute("COMMIT")
    for _ in range(10 * FEW_PAGES):
        _write(writer)
    assert _frames(writer) < 10 * FEW_PAGES


def test_a_log_full_of_others_pages_is_folded_in(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "FOREIGN_PAGES", FEW_PAGES)
    open_all_along = _connect(path)
    for _ in range(10 * FEW_PAGES):
        one = _connect(path)
        _write(one)
        one.close()
    assert _frames(open_all_along) < 3 * FEW_PAGES


def _frames(connection: apsw.Connection) -> int:
    """Pages in the log."""
    return connection.wal_checkpoint()[0]
