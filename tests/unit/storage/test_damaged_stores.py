"""Damaged stores: what can be read stays, and a loss is noticed."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from example_exchanges import SAID_AT as NOW
from example_exchanges import exchange
from places import store_folder
from recortex import Cortex
from recortex.documents.making import Source, make
from recortex.domain.exchange import ExchangeQuery
from recortex.engines.similarity import content_hash
from recortex.errors import InvalidInputError
from recortex.storage.sqlite.maintenance import doubtful
from recortex.storage.sqlite.recovery import recover
from recortex.storage.sqlite.store import SqliteStore

# -- Exchanges and documents in a damaged store: what can be read stays, and a backup fills the gaps.
MANY = 300


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cortex.db"


def opened(path):
    return closing(SqliteStore(path, backups=path.with_name("backups"), clock=lambda: NOW))


def document(number):
    text = f"# Queue {number}\n\n" + f"Message {number} about the queue. " * 40
    return make(Source(f"docs/{number}.md", text.encode(), "docs", NOW), NOW, lambda said: len(said) // 4)


def fill(path, kind="exchanges"):
    """Some of what was put is gone again, so that there are free pages."""
    with opened(path) as store, store.transaction():
        if kind == "exchanges":
            store.exchanges.put([(exchange(number), "") for number in range(MANY)], NOW)
        for one in map(document, range(0 if kind == "documents" else MANY, MANY + 60)):
            store.documents.put(one.document, one.chunks)
        store.documents.delete([f"docs/{number}.md" for number in range(MANY, MANY + 60)])


def exchanges_left(store):
    """The share of them; each is as it was put."""
    assert store.exchange_search.match({"parser": 1}, 3, None)
    found = store.exchanges.find(ExchangeQuery())
    assert all(one == exchange(one.first_turn // 10) for one in found)
    return len(found) / MANY


def documents_left(store):
    """The share of their parts; each is as it was put."""
    chunks = {one.id: one for number in range(MANY) for one, _ in document(number).chunks}
    found = store.documents.chunks(list(chunks))
    assert all(one == chunks[one.id] for one in found)
    documents = store.documents.all()
    assert all(one == document(int(one.title.split()[1])).document for one in documents)
    return min(len(found) / len(chunks), len(documents) / MANY)


@pytest.mark.parametrize(
    ("left", "backup"),
    [
        (exchanges_left, True),
        (documents_left, False),
        pytest.param(exchanges_left, False, marks=pytest.mark.full),
        pytest.param(documents_left, True, marks=pytest.mark.full),
    ],
)
def test_what_can_be_read_stays_and_a_backup_fills_the_gaps(path, left, backup):
    fill(path, left.__name__.partition("_")[0])
    with opened(path) as store:
        backups = [store.backups.make(NOW)] if backup else []
    with path.open("r+b") as file:  # a stretch in the middle of the file is nothing any more
        file.seek(path.stat().st_size // 3)
        file.write(b"\0" * (path.stat().st_size // 3))
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    recover(path, backups=backups, now=NOW, fingerprint=content_hash)
    with opened(path) as store:
        assert store.check().whole
        kept = left(store)
    assert kept == 1 if backup else kept > 0
    assert backup or kept < 1 or left is exchanges_left  # no page of theirs need lie there


def test_a_value_that_changed_behind_the_stores_back_is_seen(path):
    fill(path)
    with closing(apsw.Connection(os.fspath(path))) as connection:
        connection.execute("UPDATE exchanges SET commit_id = 'abc9999' WHERE key = 7")
    with opened(path) as store:
        (why,) = doubtful(store.pool, content_hash)
    assert exchange(6).id in why


def test_a_damaged_keyword_index_is_made_anew(path):
    fill(path)
    with closing(apsw.Connection(os.fspath(path))) as connection:
        connection.execute("DELETE FROM exchanges_fts_data WHERE id > 10")
    with opened(path) as store:
        assert not store.check().index_whole
    recover(path, backups=[], now=NOW, fingerprint=content_hash)
    with opened(path) as store:
        assert exchanges_left(store) == 1


# -- What may stand in the place of a backup, and where one may be written.
#
# Nothing of anybody else's is lost for it.
TEXTS = [f"The worker number {number} takes job {number * 7} of the queue." for number in range(20)]


def foreign(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE places (url TEXT)")
        connection.execute("INSERT INTO places VALUES ('somebody else''s')")
    connection.close()


ODD = {
    "empty": lambda path: path.touch(), "foreign": foreign, "folder": lambda path: path.mkdir(),
    "dangling": lambda path: path.symlink_to(path.with_name("nowhere")), "pipe": os.mkfifo,
    "text": lambda path: path.write_text("no database\n" * 500),
    "no time": lambda path: path.with_name("99999999T999999999999-x.db").write_text("x"),
    "end of time": lambda path: path.with_name("99991231T235959999999-x.db").write_text("x"),
}  # fmt: skip


@pytest.fixture
def database(project, clock):
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember_many([{"text": text} for text in TEXTS], link=False)
        clock.pass_(minutes=1)
        cortex.backup()
    return store_folder(project) / "cortex.db"


@pytest.mark.usefixtures("without_vectors", "database")
@pytest.mark.parametrize("odd", ODD)
def test_what_is_no_backup_stands_in_no_backups_way(project, clock, database, odd):
    ODD[odd](database.parent / "backups" / "zz.db")
    clock.pass_(minutes=1)
    with Cortex.open(project, clock=clock) as cortex:
        cortex.status()
        Path(cortex.backup().path).unlink()
    os.truncate(database, 4096)
    with Cortex.open(project, clock=clock) as cortex:
        done = cortex.recover()
        assert (done.outcome, done.memories) == ("restored", len(TEXTS))


def anothers(path):
    with Cortex.open(path.parent, url=f"sqlite:///{path}") as cortex:
        cortex.remember("What another project keeps")


@pytest.mark.usefixtures("without_vectors", "database")
@pytest.mark.parametrize("make", [foreign, anothers, lambda path: path.write_text("a letter")])
def test_a_backup_replaces_nothing_but_a_backup(project, clock, tmp_path, make):
    there = tmp_path / "there.db"
    make(there)
    before = there.read_bytes()
    with Cortex.open(project, clock=clock) as cortex:
        with pytest.raises(InvalidInputError, match="is no backup"):
            cortex.backup(str(there))
        assert there.read_bytes() == before


@pytest.mark.usefixtures("without_vectors", "database")
@pytest.mark.parametrize("suffix", ["", "-wal", ".recovered", ".part", ".from-backup"])
def test_no_backup_takes_the_place_of_a_part_of_the_store(project, clock, database, suffix):
    with Cortex.open(project, clock=clock) as cortex:
        with pytest.raises(InvalidInputError):
            cortex.backup(f"{database}{suffix}")
        cortex.remember("It still works")
