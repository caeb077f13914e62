"""A walk never goes beyond its depth, never in a circle, and always along relations that fit."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from recortex.domain.memory import Relation
from recortex.domain.vocabulary import RelationType
from recortex.engines.graph import RelationFilter, walk

AT = datetime(2026, 3, 1, tzinfo=UTC)
nodes = st.sampled_from("abcdefgh")
relations = st.lists(
    st.builds(
        Relation,
        nodes,
        nodes,
        st.sampled_from([RelationType.RELATED, RelationType.CAUSED]),
        st.just(AT),
        st.floats(0, 1),
        bidirectional=st.booleans(),
    ),
    max_size=30,
)
ways = st.builds(
    RelationFilter,
    types=st.sets(st.sampled_from([RelationType.RELATED, RelationType.CAUSED])),
    direction=st.sampled_from(["both", "outgoing", "incoming"]),
    min_strength=st.floats(0, 1),
)


@given(relations, ways, st.integers(0, 10), st.integers(1, 12))
def test_every_step_is_reached_once_by_a_path_that_fits(graph, way, depth, limit):
    def relations_of(ids):
        return [one for one in graph if one.source_id in ids or one.target_id in ids]

    steps = walk("a", way, relations_of, depth=depth, limit=limit)
    assert len(steps) <= limit
    assert len({"a", *(step.id for step in steps)}) == len(steps) + 1
    assert [step.depth for step in steps] == sorted(step.depth for step in steps)
    for step in steps:
        assert 1 <= step.depth <= depth
        near = "a"
        seen = {near}
        for relation in step.path:
            assert way.follows(relation, near)
            near = relation.other(near)
            assert near not in seen
            seen.add(near)
        assert near == step.id


@given(relations, ways, st.integers(0, 10))
def test_depth_is_the_shortest_way(graph, way, depth):
    steps = walk("a", way, lambda _: graph, depth=depth, limit=100)
    distance = {"a": 0}
    for level in range(1, depth + 1):
        edge = [node for node, far in distance.items() if far == level - 1]
        for near in edge:
            for one in graph:
                if near in {one.source_id, one.target_id} and way.follows(one, near):
                    distance.setdefault(one.other(near), level)
    assert {step.id: step.depth for step in steps} | {"a": 0} == distance
