"""Documents in a damaged store: what can be read stays, and a backup fills the gaps."""

from contextlib import closing
from datetime import UTC, datetime

import pytest

from recortex.engines.documents.making import Source, make
from recortex.engines.similarity.jaccard import content_hash
from recortex.storage.sqlite.recovery import recover
from recortex.storage.sqlite.store import SqliteStore

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MANY = 300


def made(number):
    text = f"# Queue {number}\n\n" + f"Message {number} about the queue. " * 40
    source = Source(f"docs/{number}.md", text.encode(), "docs", NOW)
    return make(source, NOW, lambda said: len(said) // 4)


def opened(path):
    return closing(SqliteStore(path, backups=path.with_name("backups"), clock=lambda: NOW))


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "cortex.db"
    with opened(path) as store, store.transaction():
        for number in range(MANY):
            one = made(number)
            store.documents.put(one.document, one.chunks)
    return path


def damage(path):
    """A stretch in the middle of the file is nothing any more."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 3)
        file.write(b"\0" * (path.stat().st_size // 3))
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@pytest.mark.parametrize("backup", [True, False])
def test_what_can_be_read_stays_and_a_backup_fills_the_gaps(path, backup):
    backups = []
    if backup:
        with opened(path) as store:
            backups = [store.backups.make(NOW)]
    damage(path)
    recover(path, backups=backups, now=NOW, fingerprint=content_hash)
    with opened(path) as store:
        assert store.check().whole
        chunks = {one.id: one for number in range(MANY) for one, _ in made(number).chunks}
        found = store.documents.chunks(list(chunks))
        assert all(one == chunks[one.id] for one in found)
        documents = store.documents.all()
        assert all(one == made(int(one.title.split()[1])).document for one in documents)
    if backup:
        assert (len(documents), len(found)) == (MANY, len(chunks))
    else:
        assert 0 < len(found) < len(chunks)
