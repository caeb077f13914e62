"""The contract of `ports.store.Relations`, on every engine."""

from dataclasses import replace
from datetime import timedelta

from sealed import unfit

from example_memories import AT, id_of, insert, memory
from recortex.domain.memory import BACKWARD, Relation, Verdict
from recortex.domain.vocabulary import RelationStatus, RelationType, Status


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
        assert store.relations.contradicting(asked) == [pair]
    assert store.relations.contradicting([id_of(2), id_of(3)]) == store.relations.contradicting([]) == []
