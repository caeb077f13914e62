"""The contracts of memories, relations and the ledger, and of transactions, on every engine."""

import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from random import Random
from string import ascii_letters

import pytest
from sealed import unfit

from example_memories import AT, attach, bury, changed, code, id_of, insert, memory, update
from recortex.domain.maintenance import Checkpoint, Degradation
from recortex.domain.memory import (
    BACKWARD,
    AuditEntry,
    FileLink,
    PatternLink,
    Relation,
    Source,
    Verdict,
    Version,
)
from recortex.domain.search import MemoryQuery, SearchText
from recortex.domain.vocabulary import Actor, Origin, RelationStatus, RelationType, Status
from recortex.errors import (
    CorruptStoreError,
    InvalidInputError,
    PermissionsError,
    StorageError,
    StoreBusyError,
    StoreUnavailableError,
)
from recortex.storage.sqlite.store import SqliteStore

# -- The contract of `ports.store.Memories`, on every engine.
HOUR = timedelta(hours=1)
ALL = MemoryQuery(statuses=())


def test_a_deleted_memory_takes_all_that_hangs_on_it(store):
    one, other = memory(1, "one", files=(FileLink("a.py"),), patterns=(PatternLink("p"),)), memory(2, "other")
    insert(store, one, other)
    update(store, one, replace(one, text="changed"))
    with store.transaction():
        store.relations.put(Relation(one.id, other.id, RelationType.SUPPORTS, AT))
        store.relations.put(Relation(other.id, one.id, RelationType.BLOCKS, AT))
        store.memories.add_evidence(one.id, b"place")
        store.memories.delete(one.id)
    assert store.relations.all() == []
    assert store.memories.history(one.id) == []
    assert store.memories.former(ALL, AT) == []
    assert store.sessions.cited(["a.py"]) == []
    insert(store, one)
    assert [version.version for version in store.memories.history(one.id)] == [1]
    with store.transaction():
        assert store.memories.add_evidence(one.id, b"place")


def test_get_follows_the_order_asked_for(store):
    insert(store, *(memory(n, f"{n}") for n in range(3)))
    wanted = [id_of(2), "nobody", id_of(0), id_of(2)]
    assert [one.id for one in store.memories.get(wanted)] == [id_of(2), id_of(0), id_of(2)]
    assert store.memories.get([]) == []


def test_an_id_is_found_by_its_beginning(store):
    insert(store, *(memory(n, f"{n}") for n in range(5)))
    assert store.memories.ids_beginning("9b1c") == [id_of(0), id_of(1), id_of(2)]
    assert store.memories.ids_beginning(id_of(4)) == [id_of(4)]
    assert store.memories.ids_beginning("9b1d") == store.memories.ids_beginning("9B1C") == []
    assert store.memories.ids_beginning("9b1_") == store.memories.ids_beginning("%") == []


def test_a_living_memory_is_found_by_its_hash(store):
    said = memory(1, "the same")
    insert(store, replace(said, status=Status.ARCHIVED), memory(2, "the same"), memory(3, "the same"))
    assert store.memories.same([said.content_hash]) == [id_of(2)]
    changed(store, id_of(2), status=Status.QUARANTINED)
    assert store.memories.same([said.content_hash]) == [id_of(2)]
    insert(store, memory(4, "another"))
    other, nothing = memory(5, "another").content_hash, "00" * 32
    asked = [nothing], [other, said.content_hash], [nothing, other, said.content_hash]
    assert store.memories.same(*asked) == [None, id_of(4), id_of(2)]


def test_counts_by_kind_and_status(store):
    insert(store, memory(1, "a"), memory(2, "b"), memory(3, "c", "insight", status=Status.ARCHIVED))
    assert store.memories.counts() == {"tribal": {"active": 2}, "insight": {"archived": 1}}
    assert store.memories.count(MemoryQuery()) == 2
    assert store.memories.count(MemoryQuery(statuses=(), limit=1)) == 3


def test_neighbours_are_the_turns_of_the_session(store):
    for turn in (2, 0, 3, 1, 1):
        number = len(store.memories.find(ALL)) + 1
        insert(store, memory(number, f"turn {turn}", source=Source(session="s", turn=turn, speaker="ada")))
    insert(store, memory(9, "elsewhere", source=Source(session="t", turn=1)))
    found = store.memories.neighbours("s", 1, 2)
    assert [(one.turn, one.speaker, one.text) for one in found] == [
        (1, "ada", "turn 1"),
        (1, "ada", "turn 1"),
        (2, "ada", "turn 2"),
    ]


def test_a_time_that_goes_back_does_not_turn_history_round(store):
    insert(store, memory())
    kept = changed(store, id_of(1), text="earlier?", updated_at=AT - HOUR)
    assert kept.updated_at == AT


def test_states_as_of_a_time(store):
    insert(store, memory(1, "first"), memory(2, "beside", recorded_at=AT + HOUR, updated_at=AT + HOUR))
    changed(store, id_of(1), text="second", updated_at=AT + 2 * HOUR)
    assert store.memories.as_of(id_of(1), AT - HOUR) is None
    assert store.memories.as_of(id_of(1), AT + HOUR) == memory(1, "first")
    assert store.memories.as_of(id_of(1), AT + 2 * HOUR).text == "second"
    assert [one.text for one in store.memories.former(ALL, AT + HOUR)] == ["first"]
    assert store.memories.former(MemoryQuery(tags=("none",)), AT + HOUR) == []
    query = MemoryQuery(as_of=AT + HOUR)
    assert [one.text for one in store.memories.find(query)] == ["beside", "first"]
    assert store.memories.count(replace(query, limit=1)) == 2
    assert [one.text for one in store.memories.find(replace(query, limit=1, offset=1))] == ["first"]


def test_what_was_said_in_a_session_is_known_since_then(store):
    said, heard, ended = Source(session="s"), AT - 3 * HOUR, AT - HOUR
    insert(
        store,
        memory(1, "said", source=said, valid_from=heard),
        memory(2, "told by hand", valid_from=heard),
        memory(3, "changed later", source=said, valid_from=heard),
        memory(4, "ended", source=said, valid_from=heard),
    )
    changed(store, id_of(3), text="otherwise", updated_at=AT + HOUR)
    changed(store, id_of(4), valid_until=ended, updated_at=AT + HOUR)
    query = MemoryQuery(as_of=AT - 2 * HOUR)
    assert {one.text for one in store.memories.find(query)} == {"said", "changed later", "ended"}
    assert store.memories.count(query) == 3
    assert {one.text for one in store.memories.find(replace(query, as_of=ended))} == {"said", "changed later"}
    assert store.memories.find(replace(query, as_of=heard - HOUR)) == []
    known = [store.memories.as_of(id_of(number), AT - 2 * HOUR) for number in (1, 2, 3, 4)]
    assert [one and one.text for one in known] == ["said", None, "changed later", "ended"]


def test_former_states_of_an_export_are_kept(store):
    insert(store, memory(1, "now", version=3, updated_at=AT + 2 * HOUR))
    former = [
        Version(
            memory=memory(1, f"then {number}", version=number, updated_at=AT + (number - 1) * HOUR),
            version=number, recorded_from=AT + (number - 1) * HOUR, recorded_to=AT + number * HOUR,
            changed_by=Actor.IMPORT, reason="r",
        )
        for number in (1, 2)
    ]  # fmt: skip
    with store.transaction():
        store.memories.insert_versions(id_of(1), former)
    assert store.memories.history(id_of(1))[1:] == former[::-1]


def test_an_access_is_counted_and_never_goes_back(store):
    insert(store, memory(1), memory(2, "other"))
    store.memories.touch([id_of(1), "nobody"], AT + HOUR)
    store.memories.touch([id_of(1)], AT)
    one, other = store.memories.get([id_of(1), id_of(2)])
    assert (one.access_count, one.last_accessed_at) == (2, AT + HOUR)
    assert (other.access_count, other.last_accessed_at) == (0, None)


def test_the_same_evidence_counts_once(store):
    insert(store, memory(1), memory(2, "other"))
    with store.transaction():
        assert store.memories.add_evidence(id_of(1), b"\x00a")
        assert not store.memories.add_evidence(id_of(1), b"\x00a")
        assert store.memories.add_evidence(id_of(1), b"\x00b")
        assert store.memories.add_evidence(id_of(2), b"\x00a")
        assert not store.memories.add_evidence("nobody", b"\x00a")


def test_a_vector_stays_with_a_text_that_stays(store):
    insert(store, memory())
    attach(store, memory(), code(1, -1))
    changed(store, id_of(1), priority=9)
    assert store.vectors.count_pending() == 0
    (old,) = store.memories.get([id_of(1)])
    with store.transaction():
        store.memories.update(
            old, replace(old, text="new"), SearchText(), actor=Actor.USER, reason="", keep_vector=False
        )
    assert store.vectors.count_pending() == 1


def test_a_key_is_never_given_twice(store):
    insert(store, memory(1, "first"))
    key = bury(store, id_of(1))
    assert insert(store, memory(2, "second"))[0] > key


def test_an_id_twice_is_our_error_and_nothing_is_kept(store):
    insert(store, memory())
    with pytest.raises(StorageError) as caught:
        insert(store, memory(2, "with it"), memory())
    assert caught.value.code == "storage_error"
    assert store.memories.find(ALL) == [memory()]
    assert store.search.frequencies(["bcrypt", "with"]) == [1, 1]


def test_a_number_too_large_is_our_error(store):
    with pytest.raises(InvalidInputError):
        insert(store, memory(1, tokens=2**70))
    assert store.memories.count(ALL) == 0


def test_what_files_of_instructions_say_is_found_among_all_else(store):
    user, rule = Origin.USER, Source(rule="instruction_file")
    insert(
        store,
        memory(1, "said by a person", origin=user),
        memory(2, "in the person's own file", origin=user, source=rule),
        memory(3, "in a file of the repository", origin=Origin.REPOSITORY),
        memory(4, "learned from a session", origin=Origin.EXTRACTION, source=rule),
    )
    for query in (MemoryQuery(in_files=True), MemoryQuery(in_files=True, as_of=AT + HOUR)):
        assert {one.id for one in store.memories.find(query)} == {id_of(2), id_of(3)}


def test_what_was_not_true_at_a_time_is_told_of_former_states_too(store):
    insert(
        store,
        memory(1, "true", valid_until=None),
        memory(2, "was true", valid_until=AT + HOUR),
    )
    query = MemoryQuery(not_valid_at=AT + 2 * HOUR)
    for one in (query, replace(query, as_of=AT + 3 * HOUR)):
        assert {found.id for found in store.memories.find(one)} == {id_of(2)}


# -- The contract of `ports.store.Relations`, on every engine.
def put(store, *relations):
    with store.transaction():
        return [store.relations.put(one) for one in relations]


def test_relations_are_made_read_changed_and_removed(store):
    one, other = memory(1, "one"), memory(2, "other")
    insert(store, one, other)
    made = Relation(one.id, other.id, RelationType.SUPPORTS, AT, 0.5, ("because",), inferred=True)
    assert put(store, made) == [True]
    assert (
        store.relations.find_touching([other.id])
        == store.relations.find_touching([one.id, other.id])
        == [made]
    )
    stronger = replace(made, strength=0.9, status=RelationStatus.SUGGESTED, bidirectional=True)
    assert put(store, stronger) == [True]
    assert store.relations.all() == [stronger]
    assert put(store, replace(made, target_id="nobody")) == [False]
    with store.transaction():
        assert store.relations.remove(one.id, other.id, RelationType.BLOCKS) == []
        assert store.relations.remove(one.id, other.id) == [RelationType.SUPPORTS]
    assert store.relations.count() == 0


def test_what_was_read_in_a_pair_stands_until_one_of_the_two_changes(store):
    one, other, third = memory(1, "one"), memory(2, "other"), memory(3, "third")
    insert(store, one, other, third)
    read = Verdict(one.id, other.id, "a", 1, 1, "nothing", 0.0)
    more = Verdict(other.id, third.id, "a", 1, 1, "contradicts", 0.7)
    with store.transaction():
        store.relations.judge([read, more, read._replace(new_id="nobody")])
    assert store.relations.verdicts(one.id) == [read]
    assert sorted(store.relations.verdicts(other.id)) == sorted([read, more])
    again = read._replace(reader="b", outcome="replaces", chance=0.9)
    with store.transaction():
        store.relations.judge([again])
    assert store.relations.verdicts(one.id) == [again]
    with store.transaction():
        store.relations.judge([again._replace(known_version=2)])
    assert store.relations.verdicts(one.id) == []


def test_many_are_the_same_as_one_after_another(store):
    """One that is said again, also at once, changes and keeps its beginning.

    One without an end is left out.
    """
    insert(store, *(memory(n, f"{n}") for n in range(3)))
    first = Relation(id_of(0), id_of(1), RelationType.RELATED, AT)
    put(store, first)
    said = [
        replace(first, created_at=AT + timedelta(1), strength=0.2),
        Relation(id_of(2), id_of(0), RelationType.SUPPORTS, AT + timedelta(2)),
        Relation(id_of(2), "nobody", RelationType.SUPPORTS, AT),
        Relation("nobody", id_of(2), RelationType.SUPPORTS, AT),
        Relation(id_of(2), id_of(0), RelationType.SUPPORTS, AT + timedelta(3), evidence=("again",)),
        Relation(id_of(2), id_of(0), RelationType.RELATED, AT + timedelta(4)),
    ]
    with store.transaction():
        assert store.relations.put_all([]) == 0
        assert store.relations.put_all(said) == 4
    kept = [replace(said[0], created_at=AT), replace(said[4], created_at=AT + timedelta(2)), said[5]]
    assert store.relations.all() == kept
    assert unfit(store) == []


def test_every_relation_type_is_kept(store):
    insert(store, memory(1, "one"), memory(2, "other"))
    made = [
        Relation(*(map(id_of, (2, 1) if type_ in BACKWARD else (1, 2))), type_, AT + timedelta(seconds=n))
        for n, type_ in enumerate(RelationType)
    ]
    put(store, *made)
    assert store.relations.all() == made
    assert store.relations.count() == len(RelationType)
    with store.transaction():
        assert set(store.relations.remove(id_of(1), id_of(2))) == set(RelationType) - BACKWARD
        assert set(store.relations.remove(id_of(2), id_of(1))) == BACKWARD


def test_all_are_given_oldest_first(store):
    insert(store, *(memory(n, f"{n}") for n in range(3)))
    late, early = (
        Relation(id_of(0), id_of(2), RelationType.RELATED, AT + timedelta(1)),
        Relation(id_of(2), id_of(1), RelationType.RELATED, AT),
    )
    put(store, late, early)
    assert store.relations.all() == [early, late]
    assert {one.other(id_of(2)) for one in store.relations.find_touching([id_of(2)])} == {id_of(0), id_of(1)}


def test_suggestions_wait_between_active_memories(store):
    insert(store, *(memory(n, f"{n}") for n in range(3)), memory(3, "3", status=Status.ARCHIVED))
    waits = [
        Relation(id_of(0), id_of(n), RelationType.RELATED, AT + timedelta(n), status=RelationStatus.SUGGESTED)
        for n in (1, 2, 3)
    ]
    put(store, *waits, Relation(id_of(1), id_of(2), RelationType.RELATED, AT))
    assert store.relations.suggested(RelationType.RELATED, 9) == [waits[1], waits[0]]
    assert store.relations.suggested(RelationType.RELATED, 1) == [waits[1]]
    assert store.relations.suggested(RelationType.BLOCKS, 9) == []


def test_contradictions_are_told_between_active_memories(store):
    insert(store, *(memory(n, f"{n}") for n in range(3)), memory(3, "3", status=Status.SUPERSEDED))
    put(
        store,
        Relation(id_of(1), id_of(0), RelationType.CONTRADICTS, AT, status=RelationStatus.SUGGESTED),
        Relation(id_of(2), id_of(1), RelationType.SUPPORTS, AT),
        Relation(id_of(3), id_of(2), RelationType.CONTRADICTS, AT),
    )
    pair = (id_of(1), id_of(0))
    for asked in ([id_of(0)], [id_of(1)], [id_of(0), id_of(1), id_of(2)]):
        assert store.memories.contradicting(asked) == [pair]
    assert store.memories.contradicting([id_of(2), id_of(3)]) == store.memories.contradicting([]) == []


# -- The contract of `ports.store.Ledger`, on every engine.
DAY = timedelta(days=1)


def entry(number, operation, **details):
    return AuditEntry(
        memory_id=id_of(number), operation=operation, actor=Actor.USER, at=AT, details=dict(details)
    )


def record(store, *entries):
    with store.transaction():
        store.ledger.record(entries)


def test_the_audit_log_is_read_in_order(store):
    insert(store, memory(1, "one"), memory(2, "other"))
    kept = [entry(1, "create"), entry(2, "create"), entry(1, "update", fields=["tags", "日本"])]
    record(store, *kept)
    assert store.ledger.entries(id_of(1)) == [kept[0], kept[2]]
    assert store.ledger.recent(2) == [kept[2], kept[1]]
    assert store.ledger.entries("nobody") == []


def test_an_entry_of_nobody_is_left_out(store):
    record(store, entry(1, "create"))
    assert store.ledger.recent(9) == []


def test_a_purged_memory_is_remembered_by_its_id(store):
    insert(store, memory(1, "one"))
    record(store, entry(1, "purge"))
    assert store.ledger.buried(id_of(1)) is None
    bury(store, id_of(1), AT + DAY)
    assert store.ledger.buried(id_of(1)) == (AT + DAY, "purge")
    assert store.ledger.buried("nobody") is None
    assert store.ledger.entries(id_of(1)) == store.ledger.recent(1) == [entry(1, "purge")]


def test_it_is_known_why_a_memory_is_gone(store):
    insert(store, memory(1, "one"))
    with store.transaction():
        store.ledger.bury(store.memories.delete(id_of(1)), id_of(1), AT, reason="expiry")
    assert store.ledger.buried(id_of(1)).reason == "expiry"


def test_a_fall_back_is_recorded_once_and_counted(store):
    failed = Degradation("embedding model", "no file", "hashed")
    store.ledger.degrade(failed, AT)
    store.ledger.degrade(Degradation("tokens", "no table", "estimate"), AT + DAY)
    store.ledger.degrade(replace(failed, recovered=True), AT + 2 * DAY)
    latest, other = store.ledger.degradations()
    assert (latest.degradation, latest.times) == (replace(failed, recovered=True), 2)
    assert (latest.first_at, latest.last_at) == (AT, AT + 2 * DAY)
    assert (other.degradation.component, other.times) == ("tokens", 1)


def test_a_checkpoint_is_kept_and_moved(store):
    place = Checkpoint(path="/t/ä.jsonl", session_id="s", client="c", position=10, turns=2, extracted_at=AT)
    assert store.ledger.checkpoint(place.path) is None
    for kept in (place, replace(place, position=2**40, turns=3, extracted_at=AT + DAY)):
        store.ledger.save_checkpoint(kept)
        assert store.ledger.checkpoint(place.path) == kept


# -- Transactions, threads and a second opening, on every engine.
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
        ("57P01", StoreUnavailableError), ("08006", StoreUnavailableError), ("53100", PermissionsError),
        ("53200", StorageError), ("54000", InvalidInputError), ("55000", StorageError),
        ("55P03", StoreBusyError), ("58030", CorruptStoreError), ("58P01", CorruptStoreError),
        ("XX001", CorruptStoreError), ("40001", StorageError), ("P0001", StorageError),
    ],
)  # fmt: skip
def test_what_the_server_says_is_told_as_what_it_is(empty, code, error):
    with empty("postgres") as store:
        with pytest.raises((StorageError, InvalidInputError)) as caught, store.transaction():
            store.database.rows(f"DO $$ BEGIN RAISE EXCEPTION 'so it is' USING ERRCODE = '{code}'; END $$")
        assert type(caught.value) is error
        assert "so it is" in caught.value.message
        assert caught.value.hint
