"""Exchanges in a damaged store: what can be read stays, and a backup fills the gaps."""

import os
from contextlib import closing
from datetime import UTC, datetime

import apsw
import pytest

from recortex.domain.exchange import Exchange, ExchangeQuery
from recortex.engines.similarity.jaccard import content_hash
from recortex.storage.sqlite.maintenance import doubtful
from recortex.storage.sqlite.recovery import recover
from recortex.storage.sqlite.store import SqliteStore

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MANY = 300


def exchange(number):
    return Exchange(
        id=f"{number:032x}",
        session="s",
        client="c",
        opener="person",
        first_turn=number,
        last_turn=number,
        root_turn=number,
        message=f"Message {number} about the queue. " * 5,
        conclusion=f"It ended so: {number}.",
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cortex.db"


def opened(path):
    return closing(SqliteStore(path, backups=path.with_name("backups"), clock=lambda: NOW))


def fill(path, *, backup):
    with opened(path) as store:
        with store.transaction():
            store.exchanges.put([(exchange(number), "") for number in range(MANY)], NOW)
        return [store.backups.make(NOW)] if backup else []


def damage(path):
    """A stretch in the middle of the file is nothing any more."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 3)
        file.write(b"\0" * (path.stat().st_size // 3))
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def read(path):
    with opened(path) as store:
        assert store.check().whole
        assert store.exchange_search.match({"queue": 1}, 3, None)
        found = store.exchanges.find(ExchangeQuery())
    assert all(one == exchange(one.first_turn) for one in found)
    return len(found)


@pytest.mark.parametrize("backup", [True, False])
def test_what_can_be_read_stays_and_a_backup_fills_the_gaps(path, backup):
    backups = fill(path, backup=backup)
    damage(path)
    recover(path, backups=backups, now=NOW, fingerprint=content_hash)
    kept = read(path)
    assert kept == MANY or (kept and not backup)


def test_a_value_that_changed_behind_the_stores_back_is_seen(path):
    fill(path, backup=False)
    with closing(apsw.Connection(os.fspath(path))) as connection:
        connection.execute("UPDATE exchanges SET commit_id = 'abc1234' WHERE key = 7")
    with opened(path) as store:
        (why,) = doubtful(store.pool, content_hash)
    assert exchange(6).id in why


def test_a_damaged_keyword_index_is_made_anew(path):
    fill(path, backup=False)
    with closing(apsw.Connection(os.fspath(path))) as connection:
        connection.execute("DELETE FROM exchanges_fts_data WHERE id > 10")
    with opened(path) as store:
        assert not store.check().index_whole
    recover(path, backups=[], now=NOW, fingerprint=content_hash)
    assert read(path) == MANY
