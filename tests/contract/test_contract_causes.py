"""Nothing is ever a cause of itself, on every engine, whatever is written in whatever order by whomever.

rustworkx, which knows nothing of our order, is the judge.
"""

import os
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import rustworkx
from causal_writer import opened
from hypothesis import given, settings
from hypothesis import strategies as st
from servers import LAYOUTS, empty_store

from example_memories import AT, changed, id_of, insert, memory
from generated import drawn
from recortex.domain.memory import CAUSAL, Relation, order, shortest
from recortex.domain.vocabulary import RelationStatus, RelationType, Status
from recortex.engines.graph import levels, to_causes, to_dependents, to_effects, walk
from recortex.errors import CausalCycleError
from recortex.storage.database import copied_tables, json
from recortex.storage.transfer import copy

HERE = Path(__file__).parent
WRITERS, MEMORIES, WRITTEN = 8, 25, 60
NODES = range(7)
NOW_IS = {"archive": "archived", "restore": "active"}
RELATIONS = st.builds(
    Relation, st.sampled_from([*map(id_of, NODES)]), st.sampled_from([*map(id_of, NODES)]),
    st.sampled_from([*sorted(CAUSAL), RelationType.SUPPORTS, RelationType.SUPERSEDES]),
    st.just(AT), st.sampled_from([0.2, 0.5, 0.9]),
    status=st.sampled_from([RelationStatus.ACTIVE, RelationStatus.ACTIVE, RelationStatus.SUGGESTED]),
)  # fmt: skip
ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), RELATIONS),
        st.tuples(st.just("put"), RELATIONS),
        st.tuples(st.just("put all"), st.lists(RELATIONS, max_size=4)),
        st.tuples(st.just("remove"), RELATIONS),
        st.tuples(st.just("approve"), st.none()),
        st.tuples(st.just("archive"), st.sampled_from(NODES)),
        st.tuples(st.just("restore"), st.sampled_from(NODES)),
        st.tuples(st.just("delete"), st.sampled_from(NODES)),
    ),
    max_size=30,
)


def arcs(relations):
    """Causes and effects of those that are active."""
    return [ends for one in relations if (ends := order(one)) and one.status is RelationStatus.ACTIVE]


def graph(relations):
    ids = {id_: place for place, id_ in enumerate(sorted({end for arc in arcs(relations) for end in arc}))}
    made = rustworkx.PyDiGraph()
    made.add_nodes_from(list(ids))
    made.add_edges_from_no_data([(ids[cause], ids[effect]) for cause, effect in arcs(relations)])
    return made


def acyclic(relations):
    return rustworkx.is_directed_acyclic_graph(graph(relations))


def in_order(store):
    """Whether each cause stands before its effects, once there is an order."""
    order_ = store.relations._order
    ends = sorted({end for arc in arcs(store.relations.all()) for end in arc})
    places = {id_: place for id_, _, place in order_._rows("places", json(ends))}
    return not order_.made() or all(
        places[cause] < places[effect] for cause, effect in arcs(store.relations.all())
    )


def expected(before, relation):
    """Whether the judge lets a relation in."""
    if order(relation) is None:
        return True
    others = [one for one in before if (one.source_id, one.target_id, one.type) != key(relation)]
    return acyclic([*others, replace(relation, status=RelationStatus.ACTIVE)])


def key(relation):
    return relation.source_id, relation.target_id, relation.type


def put(store, relation):
    before = store.relations.all()
    wanted = expected(before, relation)
    if wanted:
        store.relations.put(relation)
        return
    with pytest.raises(CausalCycleError, match=r"^A memory would be a cause of itself"):
        store.relations.put(relation)
    assert store.relations.all() == before


def act(store, name, value):
    there = name in {"archive", "restore", "delete"} and store.memories.get([id_of(value)])
    match name:
        case "put":
            put(store, value)
        case "put all":
            refused = []
            kept = store.relations.put_all(value, refused)
            assert kept + len(refused) <= len(value)
        case "remove":
            store.relations.remove(value.source_id, value.target_id, value.type)
        case "approve":
            for one in store.relations.all():
                if one.status is RelationStatus.SUGGESTED:
                    put(store, replace(one, status=RelationStatus.ACTIVE))
        case "archive" | "restore" if there:
            changed(store, id_of(value), status=Status(NOW_IS[name]))
        case "delete" if there:
            with store.transaction():
                store.memories.delete(id_of(value))


@pytest.mark.parametrize("name", LAYOUTS)
def test_no_sequence_of_acts_makes_a_circle_and_nothing_else_is_refused(name, server):
    @settings(max_examples=drawn(60 if name == "sqlite" else 10))
    @given(acts=ACTS)
    def run(acts):
        with empty_store(server, name) as store:
            insert(store, *(memory(n, f"{n}") for n in NODES))
            for each in acts:
                act(store, *each)
                assert acyclic(store.relations.all())
                assert in_order(store)
            with store.transaction():
                assert store.relations.untangle(AT) == []
            assert in_order(store)

    run()


@pytest.mark.parametrize("type_", sorted(CAUSAL))
def test_a_circle_is_refused_with_its_path(store, type_):
    insert(store, *(memory(n, f"{n}") for n in range(4)))
    for cause, effect in ((0, 1), (1, 2), (2, 3)):
        store.relations.put(Relation(id_of(cause), id_of(effect), RelationType.CAUSED, AT))
    ends = (3, 0) if type_ in {"caused", "enabled", "prevented"} else (0, 3)
    last = Relation(*map(id_of, ends), type_, AT)
    with pytest.raises(CausalCycleError) as refused:
        store.relations.put(last)
    assert refused.value.message.count(" caused ") == 3 + (type_ == "caused")
    assert f"{last.source_id[:8]} {type_} {last.target_id[:8]}" in refused.value.message
    both = Relation(id_of(0), id_of(3), type_, AT, bidirectional=True)
    with pytest.raises(CausalCycleError, match="in both directions"):
        store.relations.put(both)
    assert store.relations.count() == 3


def test_of_many_only_those_that_close_a_circle_are_left_out(store):
    insert(store, *(memory(n, f"{n}") for n in range(3)))
    said = [
        Relation(id_of(0), id_of(1), RelationType.CAUSED, AT),
        Relation(id_of(0), id_of(1), RelationType.DERIVED_FROM, AT),
        Relation(id_of(1), id_of(0), RelationType.SUPPORTS, AT),
        Relation(id_of(1), id_of(2), RelationType.ENABLED, AT),
    ]
    refused = []
    assert store.relations.put_all(said, refused) == 3
    assert len(refused) == 1
    assert "derived_from" in refused[0]


def test_what_waits_keeps_nothing_out_and_is_tested_when_it_is_approved(store):
    insert(store, *(memory(n, f"{n}") for n in range(2)))
    waits = Relation(id_of(1), id_of(0), RelationType.CAUSED, AT, status=RelationStatus.SUGGESTED)
    store.relations.put(waits)
    store.relations.put(Relation(id_of(0), id_of(1), RelationType.CAUSED, AT))
    with pytest.raises(CausalCycleError):
        store.relations.put(replace(waits, status=RelationStatus.ACTIVE))


@pytest.mark.full
@pytest.mark.parametrize("name", ["sqlite", "postgres"])
def test_several_writers_at_once_make_no_circle(name, server, tmp_path):
    address = str(tmp_path / "cortex.db") if name == "sqlite" else server.workspace_url()
    store = opened(address)
    insert(store, *(memory(n, f"{n}") for n in range(MEMORIES)))
    words = [sys.executable, str(HERE / "causal_writer.py"), address]
    paths = os.pathsep.join([str(HERE), str(HERE.parent)])
    running = [
        subprocess.Popen(
            [*words, str(seed), str(MEMORIES), str(WRITTEN)],
            env=os.environ | {"PYTHONPATH": paths}, stdout=subprocess.PIPE, text=True,
        )
        for seed in range(WRITERS)
    ]  # fmt: skip
    told = [tuple(map(int, one.communicate(timeout=500)[0].split())) for one in running]
    assert [sum(counts) for counts in told] == [WRITTEN] * WRITERS
    found = store.relations.all()
    assert acyclic(found)
    assert in_order(store)
    assert sum(refused for _, refused, _ in told) > WRITERS
    assert len(found) > MEMORIES
    store.close()


def test_a_copy_and_an_older_store_get_an_order_of_their_own(store, empty):
    """Circles that an older version let in: of each the weakest relation waits, and the log says so."""
    insert(store, *(memory(n, f"{n}") for n in range(5)))
    chain = [Relation(id_of(n), id_of(n - 1), RelationType.CAUSED, AT, 0.8) for n in range(4, 0, -1)]
    for one in chain:
        store.relations.put(one)
    weak = Relation(id_of(0), id_of(3), RelationType.ENABLED, AT, 0.4)
    store.relations._keep([weak])
    with empty("sqlite") as other:
        copy(copied_tables(), store.full_copy, other.full_copy, lambda *_: None)
        assert not acyclic(other.relations.all())
        assert other.relations.put(Relation(id_of(4), id_of(0), RelationType.ENABLED, AT))
        assert acyclic(other.relations.all())
        (waiting,) = [one for one in other.relations.all() if one.status is RelationStatus.SUGGESTED]
        assert key(waiting) == key(weak)
        assert [one.operation for one in other.ledger.entries(id_of(0))] == ["doubt"]
        with pytest.raises(CausalCycleError):
            other.relations.put(Relation(id_of(0), id_of(2), RelationType.CAUSED, AT))


def test_what_a_relation_was_is_kept_where_it_is_told_when_it_ended(store):
    insert(store, *(memory(n, f"{n}") for n in range(2)))
    one = Relation(id_of(0), id_of(1), RelationType.CAUSED, AT, 0.5, ("because",))
    store.relations.put(one)
    store.relations.put(replace(one, strength=0.9), at=AT + timedelta(1))
    store.relations.remove(id_of(0), id_of(1), at=AT + timedelta(2), reason="rejected")
    former = store.relations.former([id_of(1)])
    assert sorted((each.relation.strength, each.ended_at - AT, each.reason) for each in former) == [
        (0.5, timedelta(1), "changed"),
        (0.9, timedelta(2), "rejected"),
    ]
    assert {each.relation.evidence for each in former} == {()}


@given(st.lists(RELATIONS, max_size=12))
def test_the_way_is_a_shortest_one(relations):
    active = [one for one in relations if one.status is RelationStatus.ACTIVE]
    made, ids = graph(active), sorted({end for arc in arcs(active) for end in arc})
    for start in range(len(ids)):
        lengths = rustworkx.digraph_dijkstra_shortest_path_lengths(made, start, lambda _: 1.0)
        for goal in set(range(len(ids))) - {start}:
            path = shortest(ids[start], ids[goal], [(*order(one), one) for one in active if order(one)])
            assert len(path) == lengths[goal] if goal in lengths else not path


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_walk_that_reads_less_reaches_the_same(name, server):
    @settings(max_examples=drawn(30 if name == "sqlite" else 8))
    @given(st.lists(RELATIONS, max_size=20), st.integers(1, 8))
    def run(relations, limit):
        with empty_store(server, name) as store:
            insert(store, *(memory(n, f"{n}") for n in NODES))
            store.relations.put_all(relations)
            for way in (to_causes(), to_effects(), to_dependents()):
                for start in map(id_of, NODES):
                    less = walk(start, way, levels(store.relations, way, limit), limit=limit)
                    assert less == walk(start, way, store.relations.find_touching, limit=limit)

    run()
