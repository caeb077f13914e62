"""A store that lost its end, or all of it, is told from a whole one; the first change makes a backup."""

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from example_memories import insert
from example_memories import memory as example
from ready_recortex import run
from recortex import Cortex
from recortex.errors import CorruptStoreError
from recortex.storage.sqlite.connection import noted_of
from recortex.storage.sqlite.store import SqliteStore

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def _open(path, told=lambda _: None):
    return SqliteStore(
        path, backups=path.parent / "backups", clock=lambda: NOW, vectors=False, on_degradation=told
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store" / "cortex.db"


@pytest.fixture(autouse=True)
def _folder(path):
    path.parent.mkdir()


def _fill(path, numbers):
    store = _open(path)
    for number in numbers:
        with store.transaction():
            insert(store, example(number, f"Worker {number} waits for {number} seconds."))
    return store


def test_a_log_that_was_blanked_is_told(path):
    store = _fill(path, range(1, 4))
    store.pool.exclusive().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for number in range(4, 9):
        insert(store, example(number, f"Worker {number} waits for {number} seconds."))
    copy = path.with_name("copy")
    copy.mkdir()
    for one in path.parent.glob("cortex.db*"):
        shutil.copy(one, copy)
    store.close()
    log = copy / "cortex.db-wal"
    log.write_bytes(bytes(log.stat().st_size))
    (copy / "cortex.db-shm").unlink()
    told = []
    lost = _open(copy / "cortex.db", told.append)
    assert "5 memories" in lost.behind()
    assert "5 memories" in told[0].failure
    insert(lost, example(20, "Something new."))
    lost.close()


def test_nothing_is_told_of_a_whole_store(path):
    _fill(path, range(1, 4)).close()
    told = []
    store = _open(path, told.append)
    assert (store.behind(), told) == ("", [])
    store.close()


def test_what_a_purge_takes_is_not_missing(path):
    store = _fill(path, range(1, 4))
    with store.transaction():
        key = store.memories.delete(example(3).id)
        store.database.rows("DELETE FROM audit WHERE memory_key = ?", (key,))
    assert store.behind() == ""
    store.close()
    store = _open(path)
    assert store.behind() == ""
    store.close()


@pytest.mark.parametrize("how", ["emptied", "deleted"])
def test_a_store_that_is_gone_before_its_first_backup_is_not_begun_anew(path, how):
    _fill(path, range(1, 3)).close()
    path.write_bytes(b"") if how == "emptied" else path.unlink()
    for _ in range(2):
        with pytest.raises(CorruptStoreError) as caught:
            _open(path)
        assert "2 memories" in caught.value.message
        assert "recortex recover" in caught.value.hint


def test_the_note_is_for_the_owner_alone_and_no_link_is_followed(path, tmp_path):
    other = tmp_path / "other"
    other.write_text("kept")
    note = path.with_name("cortex.db.last")
    note.symlink_to(other)
    _fill(path, [1]).close()
    assert other.read_text() == "kept"
    note.unlink()
    _fill(path, [2]).close()
    assert note.stat().st_mode & 0o777 == 0o600
    assert noted_of(path).memories == 2


def test_the_first_backup_comes_with_the_first_memory(project, clock, home):
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Never push to main.")
        (made,) = home.rglob("backups/*-first.db")
        cortex.remember("Releases are cut on Tuesdays.")
        assert list(home.rglob("backups/*.db")) == [made]


def test_an_emptied_store_is_said_at_once_and_recovered_from_its_first_backup(project, clock, home):
    with Cortex.open(project, clock=clock) as cortex:
        cortex.remember("Never push to main.")
    (store,) = home.rglob("cortex.db")
    os.truncate(store, 0)
    with Cortex.open(project, clock=clock) as cortex:
        with pytest.raises(CorruptStoreError):
            cortex.recall("push to main")
        assert "gone or empty" in str(cortex.doctor())
        cortex.recover()
        assert [hit.memory.text for hit in cortex.recall("push to main").hits] == ["Never push to main."]


@pytest.mark.full
def test_a_loss_is_in_the_first_line_of_doctor_and_status_also_after_the_next_write(project, home):
    """The process that wrote was killed, and a power cut took the log that it left."""
    with Cortex.open(project) as cortex:
        cortex.remember("Releases are cut on Tuesdays.")
    said = b"".join(run(verb, cwd=project).stdout for verb in ("doctor", "status"))
    assert said.startswith(b"All is well.\n")
    assert b"lost" not in said
    code = (
        "import os, sys; from recortex import Cortex; cortex = Cortex.open(sys.argv[1]);"
        "cortex.remember('Never push to main.'); cortex.remember('Keep the log.'); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(project)], check=False)
    (log,) = home.rglob("cortex.db-wal")
    log.write_bytes(bytes(log.stat().st_size))
    log.with_name("cortex.db-shm").unlink()
    for _ in range(2):
        first, *_, rest = run("doctor", cwd=project).stdout.decode().partition("\n")
        assert first == "Something that was kept is lost; nothing is broken now."
        assert "2 memories" in rest
        assert run("status", cwd=project).stdout.decode().startswith("lost: ")
        recovered = run("recover", "--yes", cwd=project).stdout.decode()
        assert "Nothing was wrong" not in recovered
        assert "2 memories" in recovered.partition("Lost")[2]
        run("remember", "The queue is drained at night.", cwd=project)


def test_all_is_well_stands_above_no_notice(project, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    first = run("doctor", cwd=project).stdout.decode().partition("\n")[0]
    assert first.startswith("Nothing is broken; 1 notice below.")
