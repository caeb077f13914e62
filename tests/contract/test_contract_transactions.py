"""Transactions, threads and a second opening, on every engine."""

import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from string import ascii_letters

import pytest

from example_memories import AT, insert, memory
from recortex.domain.memory import FileLink
from recortex.domain.search import MemoryQuery, SearchText
from recortex.domain.vocabulary import Actor
from recortex.errors import (
    CorruptStoreError,
    InvalidInputError,
    PermissionsError,
    StorageError,
    StoreBusyError,
    StoreUnavailableError,
)
from recortex.storage.sqlite.store import SqliteStore


@contextmanager
def opened_again(store):
    """Another opening of the same store."""
    if isinstance(store, SqliteStore):
        again = SqliteStore(store.path, backups=Path(store.path.parent, "backups"), clock=lambda: AT)
    else:
        again = type(store)(store.address, clock=lambda: AT)
    try:
        yield again
    finally:
        again.close()


def run_together(*works):
    """Each in a thread; what one raises is raised."""
    errors = []

    def guarded(work):
        try:
            work()
        except BaseException as error:  # noqa: BLE001  whatever it is, the test shows it
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_a_transaction_inside_another_ends_with_it(store):
    def nested():
        with store.transaction():
            insert(store, memory(1))
            with store.transaction():
                insert(store, memory(2, "other"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        nested()
    assert store.memories.count(MemoryQuery(statuses=())) == 0


def test_what_is_not_committed_is_seen_by_its_writer_alone(store):
    with store.transaction():
        insert(store, memory(1))
        assert store.memories.count(MemoryQuery()) == 1
        with opened_again(store) as beside:
            assert beside.memories.count(MemoryQuery()) == 0
            assert beside.search.match(["bcrypt"], 5, None) == []
            assert beside.search.frequencies(["bcrypt"]) == [0]
    with opened_again(store) as beside:
        assert beside.memories.find(MemoryQuery()) == [memory(1)]
        assert beside.search.frequencies(["bcrypt"]) == [1]


def test_readers_and_a_writer_at_once(store):
    insert(store, memory(0, "the first"))
    done = threading.Event()

    def read():
        while not done.is_set():
            found = store.memories.find(MemoryQuery(order="recorded"))
            assert len(found) == len({one.id for one in found}) >= 1
            store.search.match(["memory"], 5, None)

    def write():
        try:
            for number in range(1, 101):
                insert(store, memory(number, f"memory {number}"))
        finally:
            done.set()

    run_together(read, read, read, read, write)
    assert store.memories.count(MemoryQuery()) == 101
    assert store.search.frequencies(["memory"]) == [100]


def test_writers_in_threads_lose_nothing(store):
    def write(first):
        for number in range(first, first + 25):
            insert(store, memory(number, f"memory {number}"))

    run_together(*(lambda first=first: write(first) for first in range(0, 100, 25)))
    assert store.memories.count(MemoryQuery()) == 100
    assert store.search.frequencies(["memory"]) == [100]


def test_two_openings_of_one_store_write_in_turn(store):
    with opened_again(store) as beside:

        def write(where, first):
            for number in range(first, first + 25):
                with where.transaction():
                    where.memories.insert(memory(number, f"memory {number}"), SearchText(), actor=Actor.USER)

        run_together(lambda: write(store, 0), lambda: write(beside, 25))
        keys = {one.key for one in beside.statistics.presentable(10**18)}
    assert len(keys) == store.memories.count(MemoryQuery()) == 50
    assert store.search.frequencies(["memory"]) == [50]


def test_what_an_index_cannot_take_is_no_lost_connection(empty):
    long = "".join(Random(7).choices(ascii_letters, k=9_000))  # noqa: S311  nothing that an index could pack
    with empty("postgres") as store:
        with pytest.raises(InvalidInputError, match="cannot hold that"), store.transaction():
            insert(store, replace(memory(1), files=(FileLink(long),)))
        assert store.memories.count(MemoryQuery(statuses=())) == 0
        insert(store, memory(2))


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("57P01", StoreUnavailableError),
        ("08006", StoreUnavailableError),
        ("53100", PermissionsError),
        ("53200", StorageError),
        ("54000", InvalidInputError),
        ("55000", StorageError),
        ("55P03", StoreBusyError),
        ("58030", CorruptStoreError),
        ("58P01", CorruptStoreError),
        ("XX001", CorruptStoreError),
        ("40001", StorageError),
        ("P0001", StorageError),
    ],
)
def test_what_the_server_says_is_told_as_what_it_is(empty, code, error):
    with empty("postgres") as store:
        with pytest.raises((StorageError, InvalidInputError)) as caught, store.transaction():
            store.database.rows(f"DO $$ BEGIN RAISE EXCEPTION 'so it is' USING ERRCODE = '{code}'; END $$")
        assert type(caught.value) is error
        assert "so it is" in caught.value.message
        assert caught.value.hint
