"""Backups of a store, whichever engine it is: files that are named, kept and left alone alike."""

from datetime import timedelta

import pytest
from servers import workspace

from example_memories import AT, insert, memory
from recortex.errors import PermissionsError, StoreUnavailableError
from recortex.storage.sqlite.backup import memories_in
from recortex.storage.sqlite.store import SqliteStore

KEPT = 3


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "backups"


@pytest.fixture
def store(layout, server, tmp_path, folder):
    """A store with two memories whose backups have a folder of their own."""
    if layout == "sqlite":
        opened = SqliteStore(tmp_path / "cortex.db", backups=folder, clock=lambda: AT, keep_backups=KEPT)
        insert(opened, memory(1), memory(2, "other"))
        yield opened
        opened.close()
        return
    with workspace(server.url(layout), server.new_name(), backups=folder, keep_backups=KEPT) as opened:
        insert(opened, memory(1), memory(2, "other"))
        yield opened


def test_the_newest_is_the_last_whatever_the_clock_says(store):
    made = [store.backups.make(AT - timedelta(days=day)) for day in range(KEPT + 2)]
    assert store.backups.all() == made[-KEPT:]
    assert [memories_in(path) for path in store.backups.all()] == [2] * KEPT


def test_two_of_one_moment_are_two(store):
    assert store.backups.make(AT) != store.backups.make(AT)
    assert len(store.backups.all()) == 2


def test_one_that_a_person_named_stays(store, folder):
    named = store.backups.make(AT, path=folder / "before the move.db")
    for day in range(KEPT + 1):
        store.backups.make(AT + timedelta(days=day))
    assert named.is_file()
    assert len(list(folder.iterdir())) == KEPT + 1


def test_a_copy_that_failed_leaves_nothing(store, folder):
    (folder / "taken.db" / "by a folder").mkdir(parents=True)
    with pytest.raises(PermissionsError):
        store.backups.make(AT, path=folder / "taken.db")
    assert [path.name for path in folder.iterdir()] == ["taken.db"]


def test_a_copy_that_was_cut_leaves_nothing(server, folder, monkeypatch):
    with workspace(server.url(), server.new_name(), backups=folder) as store:
        insert(store, memory(1))
        read, left = store.full_copy.page, iter(range(4))

        def cut(*wanted):
            if next(left, None) is None:
                raise StoreUnavailableError
            return read(*wanted)

        monkeypatch.setattr(store.full_copy, "page", cut)
        with pytest.raises(StoreUnavailableError):
            store.backups.make(AT)
        assert list(folder.iterdir()) == []
