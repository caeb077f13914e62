"""One opened Recortex in several threads, and in a process that forks."""

import json
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from datetime import UTC, datetime

import apsw
import pytest

from recortex import Cortex
from recortex.errors import StorageError
from recortex.storage import sqlite
from recortex.storage.sqlite.store import SqliteStore

pytestmark = pytest.mark.full

LONGEST_SECONDS = 300


@pytest.fixture
def store(tmp_path):
    made = SqliteStore(
        tmp_path / "cortex.db", backups=tmp_path / "backups", clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)
    )
    yield made
    made.close()


def test_looking_purging_and_writing_at_once(cortex):
    cortex.remember_many([{"text": f"The module number {n} is slow for reason {n * 7}."} for n in range(150)])
    failures, stop, told = [], threading.Event(), []

    def again(act):
        number = 0
        while not stop.is_set():
            number += 1
            try:
                act(number)
            except Exception as error:  # noqa: BLE001  whatever it is, a caller would see it
                failures.append(repr(error))

    def write(number):
        told.append(cortex.remember(f"A thread learned {number} at {time.monotonic_ns()}.").id)

    def look(_):
        failures.extend(
            one.message for one in cortex.doctor().findings if one.level == "problem" and "store" in one.check
        )

    acts = [
        write,
        write,
        look,
        lambda n: cortex.purge(text=f"module number {n} is"),
        lambda n: cortex.recall(f"reason {n}"),
    ]
    threads = [threading.Thread(target=again, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    time.sleep(3)
    stop.set()
    for thread in threads:
        thread.join()
    assert not failures
    assert all(cortex.get(id_) for id_ in told)  # alike texts are merged, and have one id


@contextmanager
def somebody_writes(store):
    """Another thread holds the writer, so that readers need connections of their own."""
    inside, done = threading.Event(), threading.Event()

    def hold():
        with store.transaction():
            inside.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    assert inside.wait(LONGEST_SECONDS)
    try:
        yield
    finally:
        done.set()
        thread.join()


def test_the_connections_of_threads_that_ended_are_closed(store):
    with somebody_writes(store):
        for _ in range(20):
            reader = threading.Thread(target=store.memories.counts)
            reader.start()
            reader.join()
        assert len(store.pool._readers) <= 1


def test_what_another_thread_writes_is_kept_before_the_store_is_closed(store, tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite, "FORK_SECONDS", LONGEST_SECONDS)
    inside, failures = threading.Event(), []

    def write():
        try:
            with store.transaction():
                inside.set()
                time.sleep(0.3)
                store.pool.rows("INSERT INTO growth VALUES (1, 2, 3)")
        except Exception as error:  # noqa: BLE001  whatever it is, a caller would see it
            failures.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    assert inside.wait(LONGEST_SECONDS)
    store.close()
    thread.join()
    assert not failures
    with closing(apsw.Connection(str(tmp_path / "cortex.db"))) as beside:
        assert beside.execute("SELECT * FROM growth").get == (1, 2, 3)
    with pytest.raises(StorageError, match="closed"):
        store.memories.counts()


def test_an_interrupt_as_a_transaction_begins_leaves_none_open(store, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    store.pool._schema = None
    monkeypatch.setattr(store.pool, "on_change_of_schema", interrupted)
    with pytest.raises(KeyboardInterrupt), store.transaction():
        pass
    monkeypatch.undo()
    assert not store.pool.exclusive().in_transaction
    with store.transaction():
        pass


FORKS = """
import json, os, sys, threading
from pathlib import Path
from recortex import Cortex

folder = Path(sys.argv[1])
cortex = Cortex.open(folder)
told = [cortex.remember("Before the forks").id]
children = []
for child in range(4):
    number = os.fork()
    if not number:
        ids = [
            cortex.remember(f"Child {child} learned {turn} of module{child * 100 + turn}").id
            for turn in range(25)
        ]
        (folder / f"{child}.json").write_text(json.dumps(ids))
        os._exit(0)
    children.append(number)
told += [cortex.remember(f"The parent learned {turn}").id for turn in range(10)]
cortex.close()
assert [os.waitpid(number, 0)[1] for number in children] == [0] * 4
for child in range(4):
    told += json.loads((folder / f"{child}.json").read_text())
print(json.dumps(told))
"""


@pytest.mark.usefixtures("without_vectors")
def test_parent_and_children_write_on(project):
    """Inherited connections damaged the file as soon as the parent closed its own."""
    done = subprocess.run(
        [sys.executable, "-c", FORKS, str(project)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert len(told) == 111
    with Cortex.open(project) as cortex:
        assert {cortex.get(id_).id for id_ in told} == set(told)
        assert all(one.level != "problem" for one in cortex.doctor().findings)


WITHIN = """
import os, sys
from recortex import Cortex
from recortex.errors import StorageError

cortex = Cortex.open(sys.argv[1])
id_ = cortex.remember("Before").id
with cortex._app.all_services()[0].store.transaction():
    number = os.fork()
    if not number:
        try:
            cortex.get(id_)
        except StorageError as error:
            os._exit(7 if "fork" in error.message else 1)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 7
cortex.remember("After")
"""


@pytest.mark.usefixtures("without_vectors")
def test_a_fork_within_a_transaction_is_told_of_in_the_child(project):
    done = subprocess.run(
        [sys.executable, "-c", WITHIN, str(project)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
