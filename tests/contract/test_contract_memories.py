"""The contract of `ports.store.Memories`, on every engine."""

from dataclasses import replace
from datetime import timedelta

import pytest

from example_memories import AT, attach, bury, changed, code, id_of, insert, memory, update
from recortex.domain.memory import FileLink, PatternLink, Relation, Source, Version
from recortex.domain.search import MemoryQuery, SearchText
from recortex.domain.vocabulary import Actor, Origin, RelationType, Status
from recortex.errors import InvalidInputError, StorageError

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
            version=number,
            recorded_from=AT + (number - 1) * HOUR,
            recorded_to=AT + number * HOUR,
            changed_by=Actor.IMPORT,
            reason="r",
        )
        for number in (1, 2)
    ]
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
