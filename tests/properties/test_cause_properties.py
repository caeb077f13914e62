"""What is reached from a memory by causes, over random graphs without circles."""

from datetime import UTC, datetime, timedelta

import rustworkx
from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.memory import CAUSAL, FORWARD, FormerRelation, Relation, order
from recortex.domain.vocabulary import RelationStatus, RelationType
from recortex.engines.graph import counterfactual, known_at, to_causes, to_effects, walk

AT = datetime(2026, 3, 1, tzinfo=UTC)
NODES = "abcdefghij"


@st.composite
def graphs(draw):
    """Relations from earlier letters to later ones, by any type; some weak, some waiting."""
    made = {}
    for _ in range(draw(st.integers(0, 30))):
        cause, effect = sorted(draw(st.lists(st.sampled_from(NODES), min_size=2, max_size=2, unique=True)))
        type_ = draw(st.sampled_from([*sorted(CAUSAL), RelationType.SUPPORTS, RelationType.DEPENDS_ON]))
        ends = (cause, effect) if type_ in FORWARD else (effect, cause)
        status = draw(st.sampled_from([RelationStatus.ACTIVE] * 3 + [RelationStatus.SUGGESTED]))
        strength = draw(st.sampled_from([0.1, 0.3, 0.6, 1.0]))
        made[*ends, type_] = Relation(*ends, type_, AT, strength, status=status)
    return list(made.values())


starts, depths, limits = st.sampled_from(NODES), st.integers(0, 6), st.integers(1, 12)


def of(graph):
    return lambda ids: [one for one in graph if one.source_id in ids or one.target_id in ids]


def ids(steps):
    return {step.id for step in steps}


def followed(graph):
    return [
        ends
        for one in graph
        if one.status is RelationStatus.ACTIVE and one.strength >= 0.3 and (ends := order(one))
    ]


@given(graphs(), starts)
def test_effects_are_the_descendants_and_origins_the_ancestors(graph, start):
    judge = rustworkx.PyDiGraph()
    judge.add_nodes_from(list(NODES))
    judge.add_edges_from_no_data([tuple(map(NODES.index, ends)) for ends in followed(graph)])
    place = NODES.index(start)
    assert ids(walk(start, to_effects(), of(graph), depth=10)) == {
        NODES[n] for n in rustworkx.descendants(judge, place)
    }
    assert ids(walk(start, to_causes(), of(graph), depth=10)) == {
        NODES[n] for n in rustworkx.ancestors(judge, place)
    }


@given(graphs(), starts, depths, limits)
def test_what_falls_is_part_of_the_effects_and_has_no_cause_left(graph, start, depth, limit):
    read = of(graph)
    found = counterfactual(start, read, depth=depth, limit=limit)
    assert ids(one.step for one in found) <= ids(walk(start, to_effects(), read, depth=depth, limit=limit))
    fallen = {start, *(one.step.id for one in found if not one.others)}
    for one in found:
        causes = {cause for cause, effect in followed(graph) if effect == one.step.id}
        assert set(one.others) == causes - fallen
        assert bool(one.others) == (one.step.id not in fallen)


acts = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("def"), st.sampled_from([None, 0.3, 0.6, 0.9])),
    max_size=12,
)


@given(acts, st.integers(-1, 13))
def test_what_was_known_at_a_time_is_what_was_there_then(acts, moment):
    """Each act sets a relation's strength or takes it away; the states are rebuilt from what is left."""
    now, former, states = {}, [], []
    for hour, (source, target, strength) in enumerate(acts):
        at, old = AT + timedelta(hours=hour), now.pop((source, target), None)
        if old is not None:
            former.append(FormerRelation(old, at, "changed"))
        if strength is not None:
            created = old.created_at if old else at
            now[source, target] = Relation(source, target, RelationType.CAUSED, created, strength)
        states.append(dict(now))
    asked = AT + timedelta(hours=moment)
    then = states[min(moment, len(states) - 1)] if states and moment >= 0 else {}
    found = {(one.source_id, one.target_id): one for one in known_at(asked, now.values(), former)}
    assert found == then
