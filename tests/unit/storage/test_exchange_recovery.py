"""Exchanges and documents in a damaged store: what can be read stays, and a backup fills the gaps."""

import os
from contextlib import closing

import apsw
import pytest

from example_exchanges import SAID_AT as NOW
from example_exchanges import exchange
from recortex.documents.making import Source, make
from recortex.domain.exchange import ExchangeQuery
from recortex.engines.similarity import content_hash
from recortex.storage.sqlite.maintenance import doubtful
from recortex.storage.sqlite.recovery import recover
from recortex.storage.sqlite.store import SqliteStore

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
