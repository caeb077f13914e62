"""Files of SQLite: odd places, contention, openings that fail, digests."""

import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import apsw
import pytest

from choices import quick
from example_memories import AT, MODEL, attach, code, insert, memory
from places import store_folder
from recortex import Cortex
from recortex.errors import ConfigError, StoreBusyError
from recortex.storage import sqlite
from recortex.storage.postgres import Turns
from recortex.storage.sqlite import Pool, digest, migrations
from recortex.storage.sqlite import connection as opening
from recortex.storage.sqlite.connection import Patience, connect
from recortex.storage.sqlite.migrations import DIGESTS, expected
from recortex.storage.sqlite.store import SqliteStore


# -- What only SQLite has; what both engines promise is in tests/contract.
@pytest.fixture
def store(tmp_path):
    opened = SqliteStore(tmp_path / "cortex.db", backups=tmp_path / "backups", clock=lambda: AT)
    yield opened
    opened.close()


def test_a_store_is_durable_and_takes_little_memory(store):
    def pragma(name):
        return store.pool.value(f"PRAGMA {name}")

    assert pragma("journal_mode") == "wal"
    assert (pragma("synchronous"), pragma("foreign_keys"), pragma("secure_delete")) == (1, 1, 1)
    assert (pragma("auto_vacuum"), pragma("cache_size"), pragma("mmap_size")) == (2, -8000, 0)
    with store.transaction():
        assert (pragma("synchronous"), pragma("foreign_keys"), pragma("secure_delete")) == (1, 1, 1)


def test_a_store_without_sqlite_vec_works_and_is_searched_later(tmp_path):
    path = tmp_path / "cortex.db"
    plain = SqliteStore(path, backups=tmp_path / "backups", clock=lambda: AT, vectors=False)
    insert(plain, memory())
    attach(plain, memory(), code(1, -1))
    assert not plain.has_vectors
    assert plain.search.nearest(bytes(4 * 384), 5, None, MODEL) == []
    plain.close()
    full = SqliteStore(path, backups=tmp_path / "backups", clock=lambda: AT)
    assert full.vectors.agrees()
    assert len(full.search.nearest(bytes(4 * 384), 5, None, MODEL)) == 1
    full.close()


# -- Many connections on one file: whoever waits gets its turn, and the write-ahead log stays short.
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
    monkeypatch.setattr(sqlite, "PATIENCE_SECONDS", 0)
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


# -- Stores in folders and files with names that a URL, a glob or SQLite takes for something else.
NAMES = ["a?b", "a#b", "a%20b", "a b", "a\nb", "a'b", "a[1]b", "a;b", "ä\u0301"]


def rounds(cortex):
    cortex.remember("The words that must go")
    cortex.backup()
    return cortex.purge(text="words that must go")


@pytest.mark.usefixtures("without_vectors")
@pytest.mark.parametrize("name", quick(NAMES, 3))
def test_a_project_in_a_folder_of_that_name(tmp_path, name):
    (tmp_path / name / ".git").mkdir(parents=True)
    with Cortex.open(tmp_path / name) as cortex:
        assert rounds(cortex).traces == ()
    assert (store_folder(tmp_path / name) / "cortex.db").is_file()


@pytest.mark.usefixtures("without_vectors")
@pytest.mark.parametrize("name", quick(NAMES, 3))
def test_a_file_of_that_name_by_its_url(project, tmp_path, name):
    file = tmp_path / "there" / f"{name}.db"
    with Cortex.open(project, url=f"sqlite:///{quote(str(file))}") as cortex:
        done = rounds(cortex)
    assert {str(file), *(str(one) for one in file.parent.glob("*/*.db"))} <= set(done.files)
    assert not done.traces


@pytest.mark.usefixtures("without_vectors")
@pytest.mark.parametrize("name", quick(NAMES, 3))
def test_a_copy_into_a_file_of_that_name(project, tmp_path, name):
    target = tmp_path / "there" / f"{name}.db"
    with Cortex.open(project) as cortex:
        cortex.remember("What moves")
        assert cortex.migrate_store(str(store_folder(project) / "cortex.db"), str(target)).memories == 1
    files = {one.name for one in target.parent.iterdir() if one.is_file()}
    assert files <= {target.name, f"{target.name}.last"}


@pytest.mark.usefixtures("without_vectors")
@pytest.mark.parametrize("name", ["a?b.db", "a.db?mode=ro", "a#b.db", "a\nb.db"])
def test_a_url_that_would_mean_another_file_is_refused(project, tmp_path, name):
    with pytest.raises(ConfigError) as caught:
        Cortex.open(project, url=f"sqlite:///{tmp_path}/{name}")
    assert "%3F" in caught.value.hint
    assert not list(tmp_path.glob("a*"))


@pytest.mark.usefixtures("without_vectors")
@pytest.mark.parametrize("url", ["sqlite:///{}/a\udcffb.db", "sqlite:///{}/a%FFb.db"])
def test_a_name_that_sqlite_cannot_be_given_is_told(project, tmp_path, url):
    with pytest.raises(ConfigError, match="UTF-8"):
        Cortex.open(project, url=url.format(tmp_path))


# -- A store of ours is known by the digest of its schema: making all schemas takes longer than a hook may.
def test_every_schema_of_ours_is_known_by_its_digest():
    assert {digest(expected(version)): version for version in range(migrations.newest() + 1)} == DIGESTS


# -- Whose turn it is: threads that wait for a place are served in the order in which they came.
LONGEST_SECONDS = 300


def test_who_waits_longest_is_next_however_quick_the_others_are():
    turns, done = Turns(2), threading.Event()

    def greedy():
        while not done.is_set():
            assert turns.acquire(LONGEST_SECONDS)
            turns.release()

    threads = [threading.Thread(target=greedy) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(200):
            assert turns.acquire(LONGEST_SECONDS)
            turns.release()
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert turns.acquire(0)
    assert turns.acquire(0)
    assert not turns.acquire(0.01)
    turns.release()
    assert turns.acquire(0)
